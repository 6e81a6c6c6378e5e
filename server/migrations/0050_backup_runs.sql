-- Scheduled backups: the age of the last good one and the last failure, for all processes. Rows of this installation only: a
-- backup leaves them out.
create table backup_runs (
  id uuid primary key,
  -- the machine that has the file
  host text not null,
  file text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  rows bigint,
  bytes bigint,
  -- why it failed; null together with ended_at: it runs, or its process was killed
  error text
);
create index backup_runs_started on backup_runs (started_at desc);
