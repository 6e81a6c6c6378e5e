-- A page of the deployments that are not destroyed, by id. The settings force a scan of the index that ends with the page:
-- a plan that sorts would read all deployments.
create or replace function live_deployments(p_after uuid, p_rows_max integer)
returns setof uuid
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
  select d.id from deployments d
   where d.status <> 'destroyed' and d.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
   order by d.id
   limit p_rows_max;
end $$;

-- True if a running deployment must stop, because of its owner or a suspension (D-126).
create or replace function is_stopping(p_status text, p_desired text, p_suspended_by text) returns boolean
language sql immutable as $$
  select p_status in ('deploying', 'running') and p_desired <> 'destroyed' and (p_desired = 'stopped' or p_suspended_by is not null)
$$;

create or replace function replicas_max_of(p_deploy_tier_id uuid) returns integer
language sql stable as $$
  select coalesce((select replicas_max from deploy_tier_replicas where deploy_tier_id = p_deploy_tier_id), 1)
$$;

-- The instances of a deployment by number, for workers. Durations use the clock of the database: clocks of processes may
-- differ.
create or replace function instances_of(p_deployment_id uuid) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'number', number, 'host_server', host_server, 'node', node, 'generation', generation, 'serving_generation', serving_generation,
           'endpoint_host', endpoint_host, 'endpoint_port', endpoint_port, 'health_status', health_status,
           'restarts_seen', restarts_seen, 'restart_times', restart_times, 'attempts', attempts,
           'last_error', last_error, 'switched_seconds', extract(epoch from now() - switched_at)::float8,
           'starting_seconds', extract(epoch from now() - starting_since)::float8,
           'due_seconds', extract(epoch from next_attempt_at - now())::float8) order by number), '[]')
    from deploy_instances where deployment_id = p_deployment_id
$$;

-- The addresses of a deployment's instances by number, for routers. Contains nothing that changes with time alone.
create or replace function endpoints_of(p_deployment_id uuid) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'replica', number, 'generation', serving_generation, 'host', endpoint_host, 'port', endpoint_port,
           'is_healthy', health_status is distinct from 'unhealthy') order by number), '[]')
    from deploy_instances where deployment_id = p_deployment_id and endpoint_host is not null
$$;

-- Locks and returns the deployment if the worker holds its lease for the latest generation.
create or replace function held_deployment(p_id uuid, p_owner uuid, p_generation integer) returns setof uuid
language sql volatile as $$
  select id from deployments where id = p_id and lease_owner = p_owner and generation = p_generation for no key update
$$;

-- Copies the state of the instances into the row of their deployment: host, address and health of one that gets requests,
-- a healthy one if possible. The health is copied only while the deployment runs. The row of a destroyed deployment does
-- not change. Lock order: deployment, instances.
create or replace function show_instances() returns trigger
language plpgsql as $$
declare
  changed_id uuid := coalesce(new.deployment_id, old.deployment_id);
  hosts text[];
  shown deploy_instances;
  ready integer;
begin
  select coalesce(array_agg(host_server || coalesce('/' || node, '')
                            order by endpoint_host is null, health_status is distinct from 'healthy', number)
                    filter (where host_server is not null), '{}'),
         count(endpoint_host)
    into hosts, ready
    from deploy_instances where deployment_id = changed_id;
  select * into shown from deploy_instances
   where deployment_id = changed_id
   order by endpoint_host is null, health_status is distinct from 'healthy', host_server is null, number limit 1;
  update deployments
     set host_server = shown.host_server, host_servers = hosts, ready_replicas = ready, endpoint_host = shown.endpoint_host,
         endpoint_port = shown.endpoint_port,
         health_status = case when status = 'running' then coalesce(shown.health_status, health_status) else health_status end
   where id = changed_id and status <> 'destroyed'
     and (host_server, host_servers, ready_replicas, endpoint_host, endpoint_port, health_status)
         is distinct from
         (shown.host_server, hosts, ready, shown.endpoint_host, shown.endpoint_port,
          case when status = 'running' then coalesce(shown.health_status, health_status) else health_status end);
  return null;
end $$;
create or replace trigger deploy_instances_are_shown after insert or delete or update of host_server, node, endpoint_host, endpoint_port,
                                                                                       health_status on deploy_instances
  for each row execute function show_instances();
