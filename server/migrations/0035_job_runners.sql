-- Which processes run jobs, and under which names they lock them in the job queue. A process that is alive writes here
-- every few seconds; the jobs of one that has not done so for a minute are taken over. Times are the database's own.
create table job_runners (
  id uuid primary key,
  worker_ids text[] not null,
  -- Since when it has written here without a break.
  steady_since timestamptz not null,
  seen_at timestamptz not null
);
