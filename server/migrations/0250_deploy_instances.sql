-- One row for each instance of a deployment. It replaces the columns of `deployments` that described the leading replica, and
-- `deploy_replicas`, which described the others. Containers keep their names: an instance keeps the number of its replica.
create table deploy_instances (
  deployment_id uuid not null,
  number integer not null check (number > 0),
  host_server text,
  -- The node of a Swarm that runs it; null on a host that is one machine.
  node text,
  -- The generation that was attempted last. The attempts, the restarts and the start below belong to it.
  generation integer,
  -- The generation that requests are routed to, or were routed to last.
  serving_generation integer,
  endpoint_host text,
  endpoint_port integer,
  health_status text,
  -- When requests were last routed to another container of it, or no longer: the one before finishes its requests.
  switched_at timestamptz,
  starting_since timestamptz,
  -- Null until the count of the engine has been observed.
  restarts_seen integer,
  restart_times timestamptz[] not null default '{}',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  primary key (deployment_id, number)
);
create index deploy_instances_host on deploy_instances (host_server);

-- A container that waits to be replaced on another host is a second instance there.
insert into deploy_instances (deployment_id, number, host_server, node, generation, serving_generation, endpoint_host, endpoint_port,
                              health_status, switched_at, starting_since, restarts_seen, restart_times)
select d.id, coalesce(s.leading_replica, 1), coalesce(d.moved_from, d.host_server), n.node,
       case when d.moved_from is null and d.failed_generation is distinct from d.generation then d.generation
            else d.serving_generation end,
       d.serving_generation, d.endpoint_host, d.endpoint_port, d.health_status, d.deployed_at,
       case when d.moved_from is null then d.transient_since end, nullif(d.restarts_seen, -1), d.restart_times
  from deployments d
  left join deploy_scales s on s.deployment_id = d.id
  left join deploy_nodes n on n.deployment_id = d.id and n.replica = coalesce(s.leading_replica, 1)
                          and n.host = coalesce(d.moved_from, d.host_server)
 where d.status <> 'destroyed' and (d.host_server is not null or d.serving_generation is not null);

insert into deploy_instances (deployment_id, number, host_server, node, generation, serving_generation, endpoint_host, endpoint_port,
                              health_status, switched_at, starting_since, attempts, next_attempt_at, last_error)
select r.deployment_id, r.number, r.host_server, n.node, r.serving_generation, r.serving_generation, r.endpoint_host,
       r.endpoint_port, r.health_status, r.switched_at, r.transient_since, r.attempts, r.next_attempt_at, r.last_error
  from deploy_replicas r
  join deployments d on d.id = r.deployment_id and d.status <> 'destroyed'
  left join deploy_nodes n on n.deployment_id = r.deployment_id and n.replica = r.number and n.host = r.host_server
on conflict do nothing;

insert into deploy_instances (deployment_id, number, host_server)
select d.id, (select max(i.number) + 1 from deploy_instances i where i.deployment_id = d.id), d.host_server
  from deployments d
 where d.status <> 'destroyed' and d.moved_from is not null and d.host_server is not null;

-- `host_server`, `endpoint_host` and `endpoint_port` show one of the instances; see `show_instances` in server/hosting/functions.sql.
-- `attempts` counts the failed tries of a release that had served, and `retry_at` is the next one. `transient_since` is left to
-- processes of version 0.2.
alter table deployments
  add column replicas integer not null default 1 check (replicas between 1 and 100),
  add column ready_replicas integer not null default 0,
  add column host_servers text[] not null default '{}',
  add column retry_at timestamptz,
  drop column moved_from,
  drop column restarts_seen,
  drop column restart_times;
update deployments d set replicas = s.replicas from deploy_scales s where s.deployment_id = d.id and s.replicas > 1;
update deployments set attempts = 0 where attempts > 0;
update deployments d
   set host_servers = i.hosts, ready_replicas = i.ready
  from (select deployment_id, count(endpoint_host) as ready,
               coalesce(array_agg(host_server || coalesce('/' || node, '')
                                  order by endpoint_host is null, health_status is distinct from 'healthy', number)
                          filter (where host_server is not null), '{}') as hosts
          from deploy_instances group by deployment_id) i
 where d.id = i.deployment_id;

drop function if exists followers_of(uuid), follower_endpoints_of(uuid), promote_replica(uuid, integer, text, timestamptz),
                        shown_host_of(uuid, integer, text);
drop table deploy_scales;
drop table deploy_replicas;
drop table deploy_nodes;

-- For API processes of version 0.2, which read deployments with these functions.
create or replace function replicas_of(p_deployment_id uuid) returns integer
language sql stable as $$ select replicas from deployments where id = p_deployment_id $$;
create or replace function ready_replicas_of(p_deployment_id uuid, p_endpoint_host text) returns integer
language sql stable as $$ select ready_replicas from deployments where id = p_deployment_id $$;
create or replace function shown_host_of(p_deployment_id uuid, p_host text) returns text
language sql stable as $$ select host_servers[1] from deployments where id = p_deployment_id $$;
create or replace function shown_hosts_of(p_deployment_id uuid, p_host text) returns text[]
language sql stable as $$ select host_servers from deployments where id = p_deployment_id $$;
