-- A channel keeps its ref_id as it was sent: names that differ only in masked words are two channels (D-72, D-124). Null where the name
-- is shown as it was sent.
alter table channels add column shown_ref_id text;
