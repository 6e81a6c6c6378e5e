import type { EngineKind } from '../../../../contract/kinds/engines.ts'
import { allValues, type Sql, type Tx } from '../../../platform/postgres/database.ts'
import { routes_channel } from '../../channels.ts'
import type { HostCapacity } from './placement.rules.ts'

export interface HostReport {
  name: string
  kind: EngineKind
  version: string
  memory_mb: number
  millicores: number
  hosts: number
}

const fresh_seconds = 30

/** The installation id: a label on all engine objects that belong to this database. */
export async function findInstallation(db: Sql): Promise<string> {
  const [row] = await db.sql<{ id: string }>`select id from installation`
  if (!row) throw new Error('the database has no installation id')
  return row.id
}

/**
 * Saves that a host answered. A host that was away may have lost its firewall rules: its isolation results are deleted
 * and a probe is due, so that new instances wait for the probe. `is_first`: the first report of this process. Its
 * machine may be the host itself and have been away with it. Only one of several workers finds that a host was away.
 */
export const saveReachableHost = (db: Sql, report: HostReport, { is_first }: { is_first: boolean }) =>
  db.sql`
    with before as materialized (
      select not reachable or (${is_first}::boolean and seen_at < now() - make_interval(secs => ${fresh_seconds})) as was_away
        from container_hosts where name = ${report.name}
         for no key update
    ), saved as (
      -- Joined, so that the lock is taken first.
      insert into container_hosts (name, kind, reachable, fault, version, memory_mb, millicores, hosts, seen_at, asked_at)
      select ${report.name}, ${report.kind}, true, null, ${report.version}, ${report.memory_mb}::integer,
             ${report.millicores}::integer, ${report.hosts}::integer, now(), now()
        from (values (1)) one left join before on was_away is not null
      on conflict (name) do update
         set kind = excluded.kind, reachable = true, fault = null, version = excluded.version,
             memory_mb = excluded.memory_mb, millicores = excluded.millicores, hosts = excluded.hosts, seen_at = now(),
             asked_at = now()
    ), due as (
      update host_probes set due_at = now() from before where host = ${report.name} and was_away
      returning host
    )
    delete from host_isolation i using due where i.host = due.host and i.state <> 'trusted'`

/** Saves the host's limitations and its advice to the operator. */
export const saveHostNotes = (
  db: Sql,
  { name, advice, limits }: { name: string; advice: string[]; limits: string[] },
) =>
  db.sql`
    insert into host_notes as known (host, advice, limits) values (${name}, ${advice}::text[], ${limits}::text[])
    on conflict (host) do update set advice = excluded.advice, limits = excluded.limits
     where (known.advice, known.limits) is distinct from (excluded.advice, excluded.limits)`

/** Saves that a host did not answer. It stays reachable while another worker has reached it within `quiet_seconds`. */
export const saveUnreachableHost = (
  db: Sql,
  { name, kind, fault, quiet_seconds }: { name: string; kind: string; fault: string; quiet_seconds: number },
) =>
  db.sql`
    insert into container_hosts as known (name, kind, reachable, fault, seen_at, asked_at)
    values (${name}, ${kind}, false, ${fault}, now(), now())
    on conflict (name) do update
       set reachable = known.reachable and known.seen_at >= now() - make_interval(secs => ${quiet_seconds}),
           fault = case when known.seen_at >= now() - make_interval(secs => ${quiet_seconds}) then known.fault
                        else excluded.fault end,
           asked_at = now()`

const placement_lock = 7_205_461_338

/** Serialises placements: only one transaction at a time reads the capacities and assigns a host. */
export const lockPlacement = (tx: Tx) => tx.sql`select pg_advisory_xact_lock(${placement_lock})`

/**
 * The reachable hosts among these, with the resources that instances reserve, both for the serving and for the target
 * release. A serving release has the limits of its deployment.
 */
export const listHostCapacities = (db: Sql, names: readonly string[]) =>
  db.sql<HostCapacity>`
    select h.name, h.memory_mb, h.millicores,
           coalesce(reserved.memory_mb, 0)::bigint as reserved_memory_mb,
           coalesce(reserved.millicores, 0)::bigint as reserved_millicores
      from container_hosts h,
           lateral (
             select sum(greatest(placed.memory_limit_mb, r.memory_limit_mb)) as memory_mb,
                    sum(greatest(placed.cpu_limit_millicores, r.cpu_limit_millicores)) as millicores
               from deploy_instances i
               join deployments placed on placed.id = i.deployment_id and placed.status <> 'destroyed'
               left join deploy_releases r
                 on r.deployment_id = placed.id and r.is_target and r.status in ('pending', 'failed')
              where i.host_server = h.name
           ) reserved
     where h.name = any(${names}::text[])
       and h.reachable and h.memory_mb is not null and h.millicores > 0
       and h.seen_at > now() - make_interval(secs => ${fresh_seconds})`

/** The hosts that have not answered for `lost_seconds`, if any other host is reachable. */
export const listLostHosts = (db: Sql, lost_seconds: number) =>
  allValues(db.sql<{ name: string }>`
    select name from container_hosts
     where not reachable and seen_at < now() - make_interval(secs => ${lost_seconds})
       and exists (
         select 1 from container_hosts
          where reachable and seen_at > now() - make_interval(secs => ${fresh_seconds})
       )`)

/** The hosts of instances that are in no worker's settings: no worker has polled them for `retired_seconds`. */
export const listRetiredHosts = (
  db: Sql,
  { configured_hosts, retired_seconds }: { configured_hosts: string[]; retired_seconds: number },
) =>
  allValues(db.sql<{ name: string }>`
    select distinct host_server as name from deploy_instances
     where host_server <> all(${configured_hosts}::text[])
       and not exists (
         select from container_hosts h
          where h.name = host_server and h.asked_at > now() - make_interval(secs => ${retired_seconds})
       )`)

/** Stops routing to instances on these hosts, for deployments with instances elsewhere. */
export const leaveHosts = (db: Sql, hosts: readonly string[]) =>
  db.sql<{ id: string; host_server: string }>`
    with away as materialized (
      select d.id, i.number, i.host_server
        from deploy_instances i join deployments d on d.id = i.deployment_id
       where i.host_server = any(${hosts}::text[]) and i.endpoint_host is not null and d.status <> 'destroyed'
         and (d.lease_until is null or d.lease_until < now())
         and exists (select from deploy_instances other
                      where other.deployment_id = d.id and other.endpoint_host is not null
                        and other.host_server <> all(${hosts}::text[]))
         for no key update of d skip locked
    ), left_alone as (
      update deploy_instances i
         set endpoint_host = null, endpoint_port = null, health_status = 'unknown', switched_at = now()
        from away where i.deployment_id = away.id and i.number = away.number
    )
    select id, host_server, pg_notify(${routes_channel}, id::text) from away`

/**
 * Unassigns instances from hosts that are lost (`lost`) or in no worker's settings, and returns them. Their deployments
 * are due; one of which nothing else serves becomes `deploying`. `includes_running`: those of deployments that should
 * run. From a retired host also those with a pending log entry, because no worker can complete it there, and those
 * whose deployment is served elsewhere.
 */
export const unassign = (
  db: Sql,
  hosts: readonly string[],
  { why, includes_running }: { why: 'lost' | 'retired'; includes_running: boolean },
) =>
  db.sql<{ id: string; host_server: string }>`
    with chosen as materialized (
      select d.id, i.number, i.host_server
        from deploy_instances i join deployments d on d.id = i.deployment_id
       where i.host_server = any(${hosts}::text[]) and d.status <> 'destroyed'
         and ((${includes_running}::boolean and d.desired = 'running' and d.suspended_by is null
               and d.status in ('pending', 'deploying', 'running'))
              or (${why === 'retired'}::boolean
                  and (exists (select from deploy_logs l where l.deployment_id = d.id and l.status = 'pending')
                       or exists (select from deploy_instances i
                                   where i.deployment_id = d.id and i.endpoint_host is not null
                                     and i.host_server <> all(${hosts}::text[])))))
         and (d.lease_until is null or d.lease_until < now())
         for no key update of d skip locked
    ), due as (
      update deployments d
         set next_attempt_at = now(),
             status = case when d.status = 'running' and d.desired = 'running' and d.suspended_by is null and not exists (
                                  select from deploy_instances i
                                   where i.deployment_id = d.id and i.endpoint_host is not null
                                     and i.host_server <> all(${hosts}::text[]))
                           then 'deploying' else d.status end
        from (select distinct id from chosen) c where d.id = c.id
    ), unassigned as (
      update deploy_instances i
         set host_server = null, node = null, endpoint_host = null, endpoint_port = null, starting_since = null,
             switched_at = now(), next_attempt_at = now()
        from chosen where i.deployment_id = chosen.id and i.number = chosen.number
    ), logged as (
      update deploy_logs l
         set details = l.details || jsonb_build_object('host_given_up', chosen.host_server)
        from chosen
       where ${why === 'retired'}::boolean and l.deployment_id = chosen.id and l.status = 'pending'
    )
    select id, host_server, pg_notify(${routes_channel}, id::text) from chosen`
