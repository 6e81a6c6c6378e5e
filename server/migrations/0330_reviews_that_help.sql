-- The fields of an app at its last decision show the reviewer what a resubmission changes; null before the first decision. Of earlier
-- decisions only the approved fields are known.
alter table oauth_apps
  add column resubmission_note text check (length(resubmission_note) <= 1000),
  add column decided_fields jsonb;
