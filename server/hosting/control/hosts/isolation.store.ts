import { json, type Database, type Sql } from '../../../platform/postgres/database.ts'
import type { MachineIsolation } from './isolation.rules.ts'

/**
 * Returns true to only one worker when a probe of the host is due. The next probe is due after `seconds`, unless that worker changes it.
 */
export const claimProbe = async (db: Sql, host: string, seconds: number) =>
  (
    await db.sql`
    insert into host_probes as known (host, due_at) values (${host}, now() + make_interval(secs => ${seconds}))
    on conflict (host) do update set due_at = excluded.due_at where known.due_at <= now()
    returning 1`
  ).length > 0

/** Replaces the host's probe results and schedules the next probe in `seconds`. */
export const saveIsolation = (db: Database, host: string, machines: readonly MachineIsolation[], seconds: number) =>
  db.transaction(async (tx) => {
    await tx.sql`update host_probes set due_at = now() + make_interval(secs => ${seconds}) where host = ${host}`
    await tx.sql`delete from host_isolation where host = ${host}`
    await tx.sql`
      insert into host_isolation (host, node, state, found, reason)
      select ${host}, m.node, m.state, m.found, m.reason
        from jsonb_to_recordset(${json(machines)}::jsonb) m(node text, state text, found jsonb, reason text)`
  })

export const listIsolation = (db: Sql, hosts: readonly string[]) =>
  db.sql<MachineIsolation>`
    select host, node, state, found, reason from host_isolation where host = any(${hosts}::text[]) order by host, node`

/** Makes the deployments due that wait for an isolated host. Without this call they become due soon. */
export const makeRefusedDue = (db: Sql) =>
  db.sql`
    with due as (
      update deployments d set next_attempt_at = now()
       where status <> 'destroyed' and next_attempt_at > now() and next_attempt_at < now() + interval '2 minutes'
         and (lease_until is null or lease_until < now())
         and exists (select from deploy_instances i
                      where i.deployment_id = d.id and i.next_attempt_at > now() and i.last_error like 'host_not_isolated:%')
      returning id
    )
    update deploy_instances i set next_attempt_at = now()
      from due where i.deployment_id = due.id and i.last_error like 'host_not_isolated:%'
    returning 1`
