-- What hosted containers use, and the requests at the router (D-104). No index of the deployments alone: rows are read by
-- deployment and time, and deleted by time.

-- Every 15 s, kept for a day. Times are the beginnings of slots, so that of several workers one writes each.
create table deploy_samples (
  deployment_id uuid not null,
  at timestamptz not null,
  memory_bytes bigint not null,
  -- Since the sample before; null for the first one of an instance.
  received_bytes bigint,
  sent_bytes bigint,
  millicores integer,
  replica smallint not null default 1,
  primary key (deployment_id, replica, at)
);
create index deploy_samples_at on deploy_samples (at);

-- Hours that are over, kept for 30 days. Averages leave out the time in which nothing ran.
create table deploy_sample_hours (
  deployment_id uuid not null,
  at timestamptz not null,
  memory_bytes bigint not null,
  memory_bytes_max bigint not null,
  received_bytes bigint,
  sent_bytes bigint,
  millicores integer,
  millicores_max integer,
  samples integer not null,
  replica smallint not null,
  primary key (deployment_id, replica, at)
);
create index deploy_sample_hours_at on deploy_sample_hours (at);

-- Requests by slot of 15 s, kept for a day: the routers' counts, added up. `latencies` counts by the bounds of
-- server/hosting/measuring.rules.ts.
create table deploy_requests (
  deployment_id uuid not null,
  at timestamptz not null,
  status_2xx integer not null,
  status_3xx integer not null,
  status_4xx integer not null,
  status_5xx integer not null,
  latencies integer[] not null,
  primary key (deployment_id, at)
);
create index deploy_requests_at on deploy_requests (at);

create table deploy_request_hours (
  deployment_id uuid not null,
  at timestamptz not null,
  status_2xx bigint not null,
  status_3xx bigint not null,
  status_4xx bigint not null,
  status_5xx bigint not null,
  latencies bigint[] not null,
  primary key (deployment_id, at)
);
create index deploy_request_hours_at on deploy_request_hours (at);
