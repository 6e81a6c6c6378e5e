-- Who learns on which path. Whatever writes a person's progress holds this row's lock, so that for one person it all
-- comes one after another: a choice, a completion, a reset (server/learning/store.ts).
create table learners (
  user_id uuid primary key,
  path text not null,
  chosen_at timestamptz not null,
  -- the first completion on this path: from then on the path stays (D-77)
  started_at timestamptz
);

-- One row per person and step, for good, also after a reset: it is what lets a reward be paid once only (D-78). Whether
-- a module is completed follows from its steps; what a module consists of is in the content files, not here.
create table step_completions (
  user_id uuid not null,
  step_id text not null,
  first_completed_at timestamptz not null,
  -- null while the step is open again
  completed_at timestamptz,
  times integer not null default 1 check (times > 0),
  primary key (user_id, step_id)
);
