-- An owner sees when an app was decided on and why, and may submit a rejected one again. Both null for what version 0.1 did;
-- the reason of the last decision stays while a resubmitted app is pending.
alter table oauth_apps add column decided_at timestamptz, add column resubmitted_at timestamptz;
