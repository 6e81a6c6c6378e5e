import type { Sql } from '../kit/database.ts'
import type { Place } from './placement.rules.ts'

export interface HostReport {
  name: string
  kind: 'docker' | 'swarm'
  version: string
  memory_mb: number
  millicores: number
  hosts: number
}

/** The mark that all engines' objects of this database carry. */
export async function findInstallation(db: Sql): Promise<string> {
  const [row] = await db.sql<{ id: string }>`select id from installation`
  if (!row) throw new Error('the database has no installation id')
  return row.id
}

export const saveReachableHost = (db: Sql, report: HostReport) =>
  db.sql`
    insert into container_hosts (name, kind, reachable, fault, version, memory_mb, millicores, hosts, seen_at)
    values (${report.name}, ${report.kind}, true, null, ${report.version}, ${report.memory_mb}, ${report.millicores},
            ${report.hosts}, now())
    on conflict (name) do update
       set kind = excluded.kind, reachable = true, fault = null, version = excluded.version,
           memory_mb = excluded.memory_mb, millicores = excluded.millicores, hosts = excluded.hosts, seen_at = now()`

/** Notes that a host did not answer. `seen_at` stays: since then it is lost. Another worker may reach it still. */
export const saveUnreachableHost = (
  db: Sql,
  { name, kind, fault, quiet_seconds }: { name: string; kind: string; fault: string; quiet_seconds: number },
) =>
  db.sql`
    insert into container_hosts (name, kind, reachable, fault, seen_at)
    values (${name}, ${kind}, false, ${fault}, now())
    on conflict (name) do update
       set reachable = false, fault = excluded.fault
     where container_hosts.seen_at < now() - make_interval(secs => ${quiet_seconds})
       and (container_hosts.reachable or container_hosts.fault is distinct from excluded.fault)`

const fresh_seconds = 30

/** Hosts that answer, with what is promised on each. */
export const findPlaces = (db: Sql, names: string[]) =>
  db.sql<Place>`
    select h.name, h.memory_mb, h.millicores,
           coalesce(sum(d.memory_limit_mb), 0)::bigint as reserved_memory_mb,
           coalesce(sum(d.cpu_limit_millicores), 0)::bigint as reserved_millicores
      from container_hosts h
      left join deployments d on d.host_server = h.name and d.status <> 'destroyed'
     where h.name = any(${names}::text[])
       and h.reachable and h.memory_mb is not null and h.millicores > 0
       and h.seen_at > now() - make_interval(secs => ${fresh_seconds})
     group by h.name, h.memory_mb, h.millicores`

/**
 * Takes deployments that should run off hosts that have not answered for `lost_seconds`, where another host does:
 * they are placed anew. Answers which those are.
 */
export const leaveLostHosts = (db: Sql, lost_seconds: number) =>
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
    select id, host_server, pg_notify('plaza_routes', id::text) from moved`
