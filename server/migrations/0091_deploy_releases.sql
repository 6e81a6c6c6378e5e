-- What a deployment was made of over time (D-104). The target is what its latest generation runs; `deployments` itself shows
-- what serves. A table of its own: version 0.1.0 may run beside, and makes deployments whose first release is written
-- at their first change.
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
  -- Null: not known, since version 0.1 sealed it.
  env_names text[],

  changed text[] not null default '{}',
  env_changed text[] not null default '{}',
  rolled_back_to integer,
  initiated_by uuid,
  -- What a dearer tier cost for the rest of the cycle, until it serves or was given back.
  charged_points bigint not null default 0 check (charged_points >= 0),
  failure jsonb,
  served_at timestamptz,
  inserted_at timestamptz not null,
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
