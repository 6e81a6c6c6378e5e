-- Which installation this database is: engines carry it on everything we make, so that a sweep run against another, an
-- empty or a restored database recognises nothing as its own.
create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null
);
insert into installation (id) values (gen_random_uuid());

create table deploy_tiers (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  payment_method text not null check (payment_method in ('service_points', 'bitcoin')),
  memory_limit_mb integer not null check (memory_limit_mb >= 6),
  cpu_limit_millicores integer not null check (cpu_limit_millicores >= 10),
  custom_domain_allowed boolean not null,
  monthly_stipend_points bigint not null check (monthly_stipend_points >= 0),
  ad_reach_multiplier numeric not null check (ad_reach_multiplier >= 0),
  monthly_cost_points bigint check (monthly_cost_points >= 0),
  monthly_cost_sats bigint check (monthly_cost_sats >= 0),
  -- A retired tier is offered no more; deployments on it stay.
  retired boolean not null default false,
  inserted_at timestamptz not null,
  updated_at timestamptz not null
);
insert into deploy_tiers (id, name, slug, payment_method, memory_limit_mb, cpu_limit_millicores, custom_domain_allowed,
                          monthly_stipend_points, ad_reach_multiplier, monthly_cost_points, monthly_cost_sats,
                          inserted_at, updated_at)
values
  ('01980000-0000-7000-8000-000000000001', 'Starter', 'starter', 'service_points', 128, 250, false, 0, 1.0, 500, null, now(), now()),
  ('01980000-0000-7000-8000-000000000002', 'Standard', 'standard', 'service_points', 512, 500, true, 0, 1.25, 2000, null, now(), now()),
  ('01980000-0000-7000-8000-000000000003', 'Pro', 'pro', 'service_points', 1024, 1000, true, 250, 1.5, 5000, null, now(), now()),
  ('01980000-0000-7000-8000-000000000004', 'Sovereign', 'sovereign', 'bitcoin', 2048, 2000, true, 500, 2.0, null, 50000, now(), now());

-- What an owner wants (desired, generation), what was last observed (status and below), and who works on it (lease).
create table deployments (
  id uuid primary key,
  app_id uuid not null,
  owner_id uuid not null,
  deploy_tier_id uuid not null references deploy_tiers,
  container_name text not null,
  container_image text not null,
  subdomain text not null,
  port integer not null,
  sealed_env bytea not null,
  memory_limit_mb integer not null,
  cpu_limit_millicores integer not null,

  -- Intent. `suspended_by` overrides `desired`: null, or 'billing' or 'admin'. The generation grows with every change of
  -- what should run; results of work on an older one are not written.
  desired text not null default 'running' check (desired in ('running', 'stopped', 'destroyed')),
  suspended_by text check (suspended_by in ('billing', 'admin')),
  generation integer not null default 1,

  -- Observation. `serving_generation` is the one the router sends people to, at `endpoint_*`; it may be older than
  -- `generation` while a replacement is not ready.
  status text not null default 'pending' check (status in ('pending', 'deploying', 'running', 'stopped', 'destroyed')),
  health_status text,
  host_server text,
  image_digest text,
  image_generation integer,
  serving_generation integer,
  endpoint_host text,
  endpoint_port integer,
  deployed_at timestamptz,
  stopped_at timestamptz,
  last_health_check timestamptz,

  -- Work. A final failure of a generation is settled here and not tried again until the generation grows.
  failed_generation integer,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  transient_since timestamptz,
  last_error text,
  restarts_seen integer not null default 0,
  restart_times timestamptz[] not null default '{}',
  lease_owner uuid,
  lease_until timestamptz,

  -- Custom domain: a claim routes only once a TXT record has proved it (D-61).
  custom_domain text,
  domain_verified_at timestamptz,
  domain_checked_at timestamptz,

  -- Billing (D-62)
  billing_status text,
  paid_until timestamptz,

  inserted_at timestamptz not null,
  destroyed_at timestamptz
);
create unique index deployments_subdomain on deployments (subdomain) where status <> 'destroyed';
create index deployments_kept_names on deployments (subdomain, destroyed_at desc) where status = 'destroyed';
create unique index deployments_domain on deployments (custom_domain) where domain_verified_at is not null and status <> 'destroyed';
create index deployments_claims on deployments (domain_checked_at nulls first) where custom_domain is not null and status <> 'destroyed';
create index deployments_app on deployments (app_id, id desc);
create index deployments_due on deployments (next_attempt_at) where status <> 'destroyed';
create index deployments_unpaid on deployments (id) where suspended_by = 'billing' and status <> 'destroyed';
create index deployments_host on deployments (host_server) where status <> 'destroyed';
create index deployments_paid on deployments (paid_until) where paid_until is not null and status <> 'destroyed';

-- What was done to a deployment. An entry begins as pending and is settled once.
create table deploy_logs (
  id uuid primary key,
  deployment_id uuid not null,
  generation integer not null,
  action text not null check (action in ('create', 'deploy', 'stop', 'restart', 'destroy', 'suspend', 'reactivate')),
  status text not null check (status in ('pending', 'succeeded', 'failed', 'superseded')),
  initiated_by uuid,
  details jsonb not null,
  inserted_at timestamptz not null,
  settled_at timestamptz
);
create index deploy_logs_deployment on deploy_logs (deployment_id, id desc);
create index deploy_logs_open on deploy_logs (deployment_id) where status = 'pending';

-- Images that we fetched, by target: only these are ever collected.
create table pulled_images (
  target text not null,
  image text not null,
  pulled_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (target, image)
);

-- One charge per deployment and cycle, whoever runs the job how often (D-62).
create table deploy_charges (
  deployment_id uuid not null,
  cycle integer not null,
  cost_transfer_id uuid,
  stipend_transfer_id uuid,
  cycle_starts timestamptz not null,
  cycle_ends timestamptz not null,
  inserted_at timestamptz not null,
  primary key (deployment_id, cycle)
);

-- What the workers last saw of each container host. Times here and in leases are the database's own, so that clocks of
-- processes need not agree.
create table container_hosts (
  name text primary key,
  kind text not null check (kind in ('docker', 'swarm')),
  reachable boolean not null,
  fault text,
  version text,
  memory_mb integer,
  millicores integer,
  hosts integer,
  seen_at timestamptz not null
);
