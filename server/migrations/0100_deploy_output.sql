-- What containers wrote, kept by workers (D-64). A source is one container, or one task of a Swarm: its lines are numbered from 1.
create table deploy_output_sources (
  id bigint generated always as identity primary key,
  deployment_id uuid not null,
  -- The engine's id of the container or task.
  source text not null,
  replica integer not null,
  generation integer not null,
  -- The number of the release that it was started for; null where none was known.
  release integer,
  -- The number of the next line. A writer that does not know it writes nothing, so no line is written twice.
  next_number bigint not null default 1,
  -- The last line of each stream that was taken, kept or not: its time in nanoseconds, and how many lines of that time were.
  stdout_at bigint not null default 0,
  stdout_count integer not null default 0,
  stderr_at bigint not null default 0,
  stderr_count integer not null default 0,
  -- Lines over the bound that no note in the output tells of yet.
  dropped bigint not null default 0,
  -- When a worker last saw its container.
  seen_at timestamptz not null default now(),
  unique (deployment_id, source)
);
create index deploy_output_sources_seen on deploy_output_sources (seen_at);

-- Lines in parts of a second or more each. `data` is read by server/hosting/output.rules.ts.
create table deploy_output (
  seq bigint generated always as identity primary key,
  deployment_id uuid not null,
  source_id bigint not null,
  first_number bigint not null,
  lines integer not null check (lines > 0),
  -- Of the text, before it is compressed.
  bytes integer not null,
  -- The times of the oldest and the newest line in nanoseconds.
  first_at bigint not null,
  last_at bigint not null,
  data bytea not null
);
-- Compressed already.
alter table deploy_output alter column data set storage external;
create index deploy_output_newest on deploy_output (deployment_id, last_at, seq);
create index deploy_output_source on deploy_output (source_id, first_number);
create index deploy_output_last on deploy_output (last_at);

-- Which worker collects the output of a host.
create table deploy_output_collectors (
  host text primary key,
  owner uuid not null,
  lease_until timestamptz not null
);
