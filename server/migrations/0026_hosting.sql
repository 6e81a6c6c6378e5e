-- replaces: 0036_live_deployments.sql 0042_suspended_owners.sql 0091_deploy_releases.sql 0092_replicas.sql 0093_deploy_metrics.sql 0094_deploy_watch.sql 0100_deploy_output.sql 0105_host_isolation.sql 0106_host_notes.sql 0107_deploy_nodes.sql 0108_registry_roots.sql 0156_podman_hosts.sql 0158_coming_releases.sql 0161_names_found.sql

-- Workers and routers walk the deployments that are not destroyed page by page, however many were destroyed before.
create index deployments_live on deployments (id) where status <> 'destroyed';

-- Deployments of a suspended owner rest until the owner is back (D-88). An admin's own suspension comes before that, and that
-- before an unpaid one: `owner_suspended` and `billing_status` say what is left when the one in force is lifted.
alter table deployments
  add column owner_suspended boolean not null default false,
  drop constraint deployments_suspended_by_check,
  add constraint deployments_suspended_by_check check (suspended_by in ('billing', 'admin', 'owner'));
create index deployments_owner on deployments (owner_id) where status <> 'destroyed';

with suspended as (
  update deployments d
     set owner_suspended = true,
         generation = case when d.suspended_by = 'admin' then d.generation else d.generation + 1 end,
         suspended_by = case when d.suspended_by = 'admin' then 'admin' else 'owner' end,
         next_attempt_at = least(d.next_attempt_at, now())
    from users u
   where u.id = d.owner_id and u.suspended_at is not null and d.status <> 'destroyed' and d.desired <> 'destroyed'
  returning d.id, d.generation, d.suspended_by
)
insert into deploy_logs (id, deployment_id, generation, action, status, details, inserted_at)
select gen_random_uuid(), id, generation, 'suspend', 'pending', '{"message": "The owner of this deployment is suspended."}', now()
  from suspended where suspended_by = 'owner';

-- Retiring a key of SECRET_KEYS needs to know what it still seals. Environments begin with the fingerprint of their key (4 bytes).
create index deployments_env_keys on deployments (substring(sealed_env from 1 for 4), id) where sealed_env <> '';

-- The releases of a deployment (D-104). Its latest generation runs the target; `deployments` shows the release that serves.
create table deploy_releases (
  id uuid primary key,
  deployment_id uuid not null,
  number integer not null check (number > 0),
  -- `current` serves, or served last.
  status text not null check (status in ('pending', 'current', 'replaced', 'failed', 'superseded')),
  is_target boolean not null,

  container_image text not null,
  image_digest text,
  deploy_tier_id uuid not null,
  memory_limit_mb integer not null,
  cpu_limit_millicores integer not null,
  port integer not null,
  custom_domain text,
  -- Bound to the id of the deployment, as its own.
  sealed_env bytea not null,
  -- Null where version 0.1 sealed them.
  env_names text[],

  changed text[] not null default '{}',
  env_changed text[] not null default '{}',
  rolled_back_to integer,
  initiated_by uuid,
  -- The charge of a higher tier for the rest of the cycle, until the release serves or the charge is refunded.
  charged_points bigint not null default 0 check (charged_points >= 0),
  failure jsonb,
  served_at timestamptz,
  inserted_at timestamptz not null,
  replicas integer not null default 1 check (replicas between 1 and 100),
  unique (deployment_id, number)
);
create index deploy_releases_target on deploy_releases (deployment_id) where is_target;
create index deploy_releases_keys on deploy_releases (substring(sealed_env from 1 for 4), id) where sealed_env <> '';
create index deploy_releases_charged on deploy_releases (deployment_id) where charged_points > 0;

insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, image_digest, deploy_tier_id,
                             memory_limit_mb, cpu_limit_millicores, port, custom_domain, sealed_env, initiated_by,
                             served_at, inserted_at)
select gen_random_uuid(), id, 1, case when deployed_at is null then 'pending' else 'current' end, true, container_image,
       image_digest, deploy_tier_id, memory_limit_mb, cpu_limit_millicores, port, custom_domain, sealed_env, owner_id,
       deployed_at, inserted_at
  from deployments
 where status <> 'destroyed';

-- Replicas (D-105). A deployment's own row describes one of its replicas, the leading one; `deploy_replicas` describes the others, which
-- follow what it serves.
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
  -- The generation that it serves, or served last; null before the first.
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

-- The releases that do not serve yet, or failed to: what a host has reserved counts their limits beside those of what serves.
create index deploy_releases_coming on deploy_releases (deployment_id) where is_target and status in ('pending', 'failed');

-- Resource use of containers, and requests at the router (D-104). Rows are read by deployment and time, and deleted by time: an
-- index of the deployments alone is not needed.

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

-- Outages of deployments, which their owners are mailed. A row exists during a problem, and for an hour after a mail.
create table deploy_watch (
  deployment_id uuid primary key,
  -- Since when it runs without an answer.
  unwell_since timestamptz,
  -- The outage: its start, its cause, and whether its owner was mailed.
  down_since timestamptz,
  cause text,
  told boolean not null default false,
  -- When mails were written in the last hour.
  mailed_at timestamptz[] not null default '{}'
);

-- Output of containers, collected by workers (D-64). A source is one container, or one task of a Swarm. Its lines are numbered from 1.
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

-- The last probe of each machine of a container host: the addresses that a container reached and no app may reach. `trusted`: the
-- machine is not probed (ISOLATION). `node` is empty if the host is one machine. `found`, for admins, lists {what, address, port, answer}.
create table host_isolation (
  host text not null,
  node text not null default '',
  state text not null check (state in ('isolated', 'reachable', 'unchecked', 'trusted')),
  found jsonb not null default '[]',
  -- Why it could not be tried.
  reason text,
  checked_at timestamptz not null default now(),
  primary key (host, node)
);

-- When a host is probed next: one worker at a time does it.
create table host_probes (
  host text primary key,
  due_at timestamptz not null
);

-- Sentences for admins about limits of a container host and their remedy, from a worker's last look.
create table host_notes (
  host text primary key,
  advice text[] not null,
  limits text[] not null
);

-- Which node of a Swarm runs a replica, where its host is one; of the others there is no row. Shown behind the host's name.
create table deploy_nodes (
  deployment_id uuid not null,
  replica integer not null,
  host text not null,
  node text not null,
  primary key (deployment_id, replica)
);

-- The root of the certificates that vouch for tokens of the private registry. The newest signs them; an older one is gone.
create table registry_roots (
  id uuid primary key,
  certificate text not null,
  -- The private key in PKCS #8, sealed in the context of the id.
  sealed bytea not null,
  inserted_at timestamptz not null
);

-- Podman is a separate kind of container host.
alter table container_hosts drop constraint container_hosts_kind_check;
alter table container_hosts add constraint container_hosts_kind_check check (kind in ('docker', 'podman', 'swarm'));

-- Admins find deployments by the beginning of a name (D-81).
create index deployments_found on deployments (subdomain text_pattern_ops);
