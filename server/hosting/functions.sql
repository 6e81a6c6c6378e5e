-- A page of the deployments that are not destroyed, in order of id. It walks the index and ends with the page; a plan that
-- sorts would read all of them.
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

-- Whether a deployment is to stop, by its owner or by a suspension, and still runs (D-126).
create or replace function is_stopping(p_status text, p_desired text, p_suspended_by text) returns boolean
language sql immutable as $$
  select p_status in ('deploying', 'running') and p_desired <> 'destroyed' and (p_desired = 'stopped' or p_suspended_by is not null)
$$;

-- How many replicas a deployment should have (D-105).
create or replace function replicas_of(p_deployment_id uuid) returns integer
language sql stable as $$
  select coalesce((select replicas from deploy_scales where deployment_id = p_deployment_id), 1)
$$;

-- How many replicas requests are routed to; `p_endpoint_host` is that of the deployment's own row, which may just have changed.
create or replace function ready_replicas_of(p_deployment_id uuid, p_endpoint_host text) returns integer
language sql stable as $$
  select (p_endpoint_host is not null)::integer + count(*)::integer
    from deploy_replicas where deployment_id = p_deployment_id and endpoint_host is not null
$$;

-- Where a replica runs, for people: the host, and the node where it is a Swarm.
create or replace function shown_host_of(p_deployment_id uuid, p_replica integer, p_host text) returns text
language sql stable as $$
  select p_host || coalesce('/' || (select node from deploy_nodes
                                     where deployment_id = p_deployment_id and replica = p_replica and host = p_host), '')
$$;

-- The same of the replica that a deployment's own row describes.
create or replace function shown_host_of(p_deployment_id uuid, p_host text) returns text
language sql stable as $$
  select shown_host_of(p_deployment_id, coalesce((select leading_replica from deploy_scales
                                                   where deployment_id = p_deployment_id), 1), p_host)
$$;

-- Where all replicas of a deployment run, the leading one first.
create or replace function shown_hosts_of(p_deployment_id uuid, p_host text) returns text[]
language sql stable as $$
  select array_remove(array_prepend(shown_host_of(p_deployment_id, p_host),
                                    array(select shown_host_of(p_deployment_id, number, host_server) from deploy_replicas
                                           where deployment_id = p_deployment_id order by number)), null)
$$;

-- The replicas of a deployment besides the leading one, in order of number, as workers and routers see them. Durations are by
-- this clock: clocks of processes may differ.
create or replace function followers_of(p_deployment_id uuid) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'number', number, 'host_server', host_server, 'serving_generation', serving_generation,
           'endpoint_host', endpoint_host, 'endpoint_port', endpoint_port, 'health_status', health_status,
           'attempts', attempts,
           'switched_seconds', extract(epoch from now() - switched_at)::float8,
           'transient_seconds', extract(epoch from now() - transient_since)::float8,
           'due_seconds', extract(epoch from next_attempt_at - now())::float8) order by number), '[]')
    from deploy_replicas where deployment_id = p_deployment_id
$$;

create or replace function replicas_max_of(p_deploy_tier_id uuid) returns integer
language sql stable as $$
  select coalesce((select replicas_max from deploy_tier_replicas where deploy_tier_id = p_deploy_tier_id), 1)
$$;

-- Makes a follower the leading replica, where requests are routed to it and it serves what the leading one serves (D-105): the
-- deployment's row describes it from then on, and the leading one before becomes a follower without requests. How often its
-- container was restarted before is unknown: -1, which is `restarts_unknown` in control/restarts.rules.ts. Returns whether it did. Lock
-- order: deployment, follower.
create or replace function promote_replica(p_deployment_id uuid, p_number integer, p_health text, p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  old deployments;
  successor deploy_replicas;
  -- Not while something else is being rolled out.
  is_settled boolean;
begin
  select * into old from deployments where id = p_deployment_id for no key update;
  delete from deploy_replicas
   where deployment_id = p_deployment_id and number = p_number and endpoint_host is not null
     and serving_generation = old.serving_generation
  returning * into successor;
  if successor is null then return false; end if;
  is_settled := old.serving_generation = old.generation or coalesce(old.failed_generation = old.generation, false);

  insert into deploy_replicas (deployment_id, number, host_server, serving_generation, health_status, switched_at)
  select p_deployment_id, leading_replica, old.host_server, old.serving_generation, p_health, now()
    from deploy_scales where deployment_id = p_deployment_id;
  update deploy_scales set leading_replica = p_number where deployment_id = p_deployment_id;
  update deployments
     set status = case when is_settled then 'running' else status end, health_status = 'healthy', host_server = successor.host_server,
         endpoint_host = successor.endpoint_host, endpoint_port = successor.endpoint_port, restarts_seen = -1,
         restart_times = '{}', attempts = 0, transient_since = case when is_settled then null else transient_since end
   where id = p_deployment_id;
  -- A repair of the leading one before is over.
  update deploy_logs set status = 'succeeded', settled_at = p_moment
   where deployment_id = p_deployment_id and status = 'pending' and initiated_by is null and action = 'deploy'
     and generation <= old.generation and is_settled;
  perform pg_notify('plaza_routes', p_deployment_id::text);
  return true;
end $$;

-- Where the followers of a deployment answer, for routers: in order of number, and nothing in it that changes by itself.
create or replace function follower_endpoints_of(p_deployment_id uuid) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'replica', number, 'generation', serving_generation, 'host', endpoint_host, 'port', endpoint_port,
           'is_healthy', health_status is distinct from 'unhealthy') order by number), '[]')
    from deploy_replicas where deployment_id = p_deployment_id and endpoint_host is not null
$$;
