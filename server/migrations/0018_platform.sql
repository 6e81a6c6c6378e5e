-- breaking: processes of 0.1.0 do not run beside a newer schema
-- replaces: 0035_job_runners.sql 0050_backup_runs.sql 0090_sandbox.sql

-- Which processes run jobs, and under which names they lock them in the job queue. A process that is alive writes here
-- every few seconds; the jobs of one that has not done so for a minute are taken over. Times are the database's own.
create table job_runners (
  id uuid primary key,
  worker_ids text[] not null,
  -- Since when it has written here without a break.
  steady_since timestamptz not null,
  seen_at timestamptz not null
);

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

-- Tables that only a sandbox fills (D-102).

-- One row in the database of a sandbox, written when it is made, and never later.
create table sandbox_mark (
  is_sandbox boolean primary key default true check (is_sandbox),
  marked_at timestamptz not null default now()
);

-- Mails as the console shows them. They hold codes, so both texts are sealed.
create table sandbox_mails (
  id uuid primary key,
  -- In small letters.
  address text not null,
  sealed bytea not null,
  sent_at timestamptz not null
);
create index sandbox_mails_address on sandbox_mails (address, id desc);
create index sandbox_mails_age on sandbox_mails (sent_at);

create table test_persons (
  user_id uuid primary key,
  made_by uuid not null,
  inserted_at timestamptz not null
);
create index test_persons_maker on test_persons (made_by, user_id desc);
