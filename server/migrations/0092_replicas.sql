-- Replicas (D-105). In tables of their own, since calls of version 0.1.0 may hold locks of its tables. A deployment's own row
-- describes one of its replicas, the leading one; `deploy_replicas` describes the others, which follow what it serves.
create table deploy_tier_replicas (
  deploy_tier_id uuid primary key,
  replicas_max integer not null check (replicas_max between 1 and 100)
);

-- Of deployments that were scaled; all others have one replica, number 1.
create table deploy_scales (
  deployment_id uuid primary key,
  replicas integer not null check (replicas between 1 and 100),
  leading_replica integer not null default 1 check (leading_replica > 0)
);

create table deploy_replicas (
  deployment_id uuid not null,
  number integer not null check (number > 0),
  host_server text,
  -- What it serves, or served last; null before.
  serving_generation integer,
  endpoint_host text,
  endpoint_port integer,
  health_status text,
  -- When requests were last routed to another instance of it, or no longer: the one before finishes its requests.
  switched_at timestamptz,
  -- Since when its present rollout or repair has been going on.
  transient_since timestamptz,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  primary key (deployment_id, number)
);
create index deploy_replicas_host on deploy_replicas (host_server);

alter table deploy_releases add column replicas integer not null default 1 check (replicas between 1 and 100);
