import type { EngineKind } from '../../../contract/kinds/engines.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { routes_channel } from '../channels.ts'
import type { HostCapacity } from './placement.rules.ts'

export interface HostReport {
  name: string
  kind: EngineKind
  version: string
  memory_mb: number
  millicores: number
  hosts: number
}

export const fresh_seconds = 30

/** The installation id: all objects on engines that belong to this database carry it as a label. */
export async function findInstallation(db: Sql): Promise<string> {
  const [row] = await db.sql<{ id: string }>`select id from installation`
  if (!row) throw new Error('the database has no installation id')
  return row.id
}

/**
 * Saves that a host answered. Where it was away before, it may have lost the rules of its firewall: what is known of its isolation is
 * forgotten, and a probe due, so that what is new waits for it. `is_first`: of this process, whose machine may be the host itself and
 * have been away with it. Of several workers one finds it away.
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

/** Saves what a host cannot do, and what its operator should change. */
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

/** Serialises placements: one transaction at a time reads the capacities and assigns a host. */
export const lockPlacement = (tx: Tx) => tx.sql`select pg_advisory_xact_lock(${placement_lock})`

/**
 * The reachable ones of these hosts, with the resources that deployments have reserved: for what serves, and for what is to serve. A
 * release that serves has the limits of its deployment.
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
               from (
                 select id, memory_limit_mb, cpu_limit_millicores from deployments
                  where host_server = h.name and status <> 'destroyed'
                 union all
                 select id, memory_limit_mb, cpu_limit_millicores from deployments
                  where moved_from = h.name and status <> 'destroyed'
                 union all
                 select d.id, d.memory_limit_mb, d.cpu_limit_millicores
                   from deploy_replicas f join deployments d on d.id = f.deployment_id
                  where f.host_server = h.name
               ) placed
               left join deploy_releases r
                 on r.deployment_id = placed.id and r.is_target and r.status in ('pending', 'failed')
           ) reserved
     where h.name = any(${names}::text[])
       and h.reachable and h.memory_mb is not null and h.millicores > 0
       and h.seen_at > now() - make_interval(secs => ${fresh_seconds})`

/**
 * Unassigns deployments that should run from hosts that have not answered for `lost_seconds`, if any other host is reachable.
 * Returns them; they are due for placement.
 */
export const unassignFromLostHosts = (db: Sql, lost_seconds: number) =>
  db.sql<{ id: string; host_server: string }>`
    with lost as (
      select name from container_hosts
       where not reachable and seen_at < now() - make_interval(secs => ${lost_seconds})
         and exists (
           select 1 from container_hosts
            where reachable and seen_at > now() - make_interval(secs => ${fresh_seconds})
         )
    ), moved as (
      update deployments d
         set host_server = null, endpoint_host = null, endpoint_port = null, next_attempt_at = now(),
             status = case when d.status = 'running' then 'deploying' else d.status end
        from lost
       where d.host_server = lost.name
         and d.desired = 'running' and d.suspended_by is null and d.status in ('pending', 'deploying', 'running')
         and (d.lease_until is null or d.lease_until < now())
      returning d.id, lost.name as host_server
    )
    select id, host_server, pg_notify(${routes_channel}, id::text) from moved`

export interface RetiredQuery {
  /** The hosts in this worker's settings: never retired, whatever the table says. */
  configured_hosts: string[]
  /** A host is retired when no worker has polled it for this long. */
  retired_seconds: number
}

/**
 * Unassigns deployments with a pending log entry from retired hosts, where no worker could do it. `include_running`: also those
 * that only have to go on running. Returns them; they are due.
 */
export const unassignFromRetiredHosts = (
  db: Sql,
  { configured_hosts, retired_seconds, include_running }: RetiredQuery & { include_running: boolean },
) =>
  db.sql<{ id: string; host_server: string }>`
    with stranded as (
      select d.id, d.host_server from deployments d
       where d.host_server <> all(${configured_hosts}::text[]) and d.status <> 'destroyed'
         and not exists (
           select from container_hosts h
            where h.name = d.host_server and h.asked_at > now() - make_interval(secs => ${retired_seconds})
         )
         and (exists (select from deploy_logs l where l.deployment_id = d.id and l.status = 'pending')
              or (${include_running}::boolean and d.desired = 'running' and d.suspended_by is null
                  and d.status in ('pending', 'deploying', 'running')))
         and (d.lease_until is null or d.lease_until < now())
         for no key update of d skip locked
    ), moved as (
      update deployments d
         set host_server = null, endpoint_host = null, endpoint_port = null, next_attempt_at = now(),
             status = case when d.status = 'running' and d.desired = 'running' and d.suspended_by is null
                           then 'deploying' else d.status end
        from stranded
       where d.id = stranded.id
    ), logged as (
      update deploy_logs l
         set details = l.details || jsonb_build_object('host_given_up', stranded.host_server)
        from stranded
       where l.deployment_id = stranded.id and l.status = 'pending'
    )
    select id, host_server, pg_notify(${routes_channel}, id::text) from stranded`

/** Marks the health of deployments on retired hosts as unknown. Their status stays. */
export const markUnknownOnRetired = (db: Sql, { configured_hosts, retired_seconds }: RetiredQuery) =>
  db.sql`
    update deployments d
       set health_status = 'unknown'
     where d.host_server <> all(${configured_hosts}::text[]) and d.status in ('running', 'deploying')
       and d.health_status is distinct from 'unknown'
       and not exists (
         select from container_hosts h
          where h.name = d.host_server and h.asked_at > now() - make_interval(secs => ${retired_seconds})
       )`
