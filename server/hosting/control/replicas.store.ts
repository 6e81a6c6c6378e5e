import type { Sql } from '../../platform/postgres/database.ts'
import { routes_channel } from '../channels.ts'
import type { Claim } from './leases.store.ts'
import type { Port } from './plan.rules.ts'

/** Every write holds while the lease of the deployment is the owner's and its generation is still the latest, as in steps.store.ts. */

/** One follower of a deployment. */
export interface FollowerClaim extends Claim {
  number: number
}

export const addFollowers = (db: Sql, { id, owner, generation }: Claim, numbers: number[]) =>
  db.sql`
    insert into deploy_replicas (deployment_id, number)
    select d.id, n from deployments d, unnest(${numbers}::integer[]) n
     where d.id = ${id} and d.generation = ${generation} and d.lease_owner = ${owner}
    on conflict do nothing`

export const dropFollower = (db: Sql, { id, owner, generation, number }: FollowerClaim) =>
  db.sql`
    delete from deploy_replicas r using deployments d
     where r.deployment_id = ${id} and r.number = ${number}
       and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}`

export const placeFollower = (db: Sql, { id, owner, generation, number }: FollowerClaim, host: string) =>
  db.sql`
    update deploy_replicas r set host_server = ${host}
      from deployments d
     where r.deployment_id = ${id} and r.number = ${number}
       and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}`

/** The same of one that is on another host: no request is routed to what runs there, which is removed as a stale copy. */
export const moveFollower = (db: Sql, { id, owner, generation, number }: FollowerClaim, host: string | null) =>
  db.sql`
    with moved as (
      update deploy_replicas r
         set host_server = ${host}, endpoint_host = null, endpoint_port = null, transient_since = null, switched_at = now()
        from deployments d
       where r.deployment_id = ${id} and r.number = ${number}
         and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}
      returning d.id
    )
    select pg_notify(${routes_channel}, id::text) from moved`

/** Saves that its rollout or repair begins. */
export const saveFollowerStart = (db: Sql, { id, owner, generation, number }: FollowerClaim) =>
  db.sql`
    update deploy_replicas r
       set transient_since = coalesce(r.transient_since, now()),
           health_status = case when r.endpoint_host is null then 'starting' else r.health_status end
      from deployments d
     where r.deployment_id = ${id} and r.number = ${number}
       and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}
    returning 1`

/** Routes requests to an instance whose port has answered. */
export const attachFollower = (
  db: Sql,
  { id, owner, generation, number }: FollowerClaim,
  { serving, endpoint }: { serving: number; endpoint: Port },
) =>
  db.sql`
    with written as (
      update deploy_replicas r
         set serving_generation = ${serving}, endpoint_host = ${endpoint.host}, endpoint_port = ${endpoint.port},
             health_status = 'healthy', switched_at = now(), transient_since = null, attempts = 0, last_error = null
        from deployments d
       where r.deployment_id = ${id} and r.number = ${number}
         and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}
      returning d.id
    )
    select pg_notify(${routes_channel}, id::text) from written`

export const detachFollower = (db: Sql, { id, owner, generation, number }: FollowerClaim, health: string | null) =>
  db.sql`
    with written as (
      update deploy_replicas r
         set endpoint_host = null, endpoint_port = null, health_status = ${health}, switched_at = now()
        from deployments d
       where r.deployment_id = ${id} and r.number = ${number}
         and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}
      returning d.id
    )
    select pg_notify(${routes_channel}, id::text) from written`

/** Saves that an attempt failed; `health` null leaves it. */
export const postponeFollower = (
  db: Sql,
  { id, owner, generation, number }: FollowerClaim,
  { seconds, message, health }: { seconds: number; message: string; health: string | null },
) =>
  db.sql`
    update deploy_replicas r
       set attempts = r.attempts + 1, next_attempt_at = now() + make_interval(secs => ${seconds}), last_error = ${message},
           transient_since = null, health_status = coalesce(${health}, r.health_status)
      from deployments d
     where r.deployment_id = ${id} and r.number = ${number}
       and d.id = r.deployment_id and d.generation = ${generation} and d.lease_owner = ${owner}`

/** Makes a follower the leading replica; see `promote_replica` in functions.sql. True where it did. */
export async function promoteFollower(
  db: Sql,
  { id, owner, generation, number }: FollowerClaim,
  { health, now }: { health: string; now: Date },
) {
  const [row] = await db.sql<{ promoted: boolean }>`
    select promote_replica(id, ${number}::integer, ${health}, ${now}) as promoted
      from deployments
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}`
  return row?.promoted ?? false
}

// Hosts that are away

/** The hosts that have not answered for `lost_seconds`, where any other host is reachable. */
export async function listLostHosts(
  db: Sql,
  { lost_seconds, fresh_seconds }: { lost_seconds: number; fresh_seconds: number },
) {
  const rows = await db.sql<{ name: string }>`
    select name from container_hosts
     where not reachable and seen_at < now() - make_interval(secs => ${lost_seconds})
       and exists (
         select 1 from container_hosts
          where reachable and seen_at > now() - make_interval(secs => ${fresh_seconds})
       )`
  return rows.map(({ name }) => name)
}

/** The hosts of replicas, where a deployment has several, that are in no worker's settings. */
export async function listRetiredHosts(
  db: Sql,
  { configured_hosts, retired_seconds }: { configured_hosts: string[]; retired_seconds: number },
) {
  const rows = await db.sql<{ name: string }>`
    select distinct used.name
      from deploy_replicas r join deployments d on d.id = r.deployment_id,
           lateral (values (r.host_server), (d.host_server)) used(name)
     where used.name <> all(${configured_hosts}::text[]) and d.status <> 'destroyed'
       and not exists (
         select from container_hosts h
          where h.name = used.name and h.asked_at > now() - make_interval(secs => ${retired_seconds})
       )`
  return rows.map(({ name }) => name)
}

/** Lets another replica lead each deployment whose leading one is on one of these hosts, where one serves elsewhere. */
export const promoteFromHosts = (db: Sql, hosts: readonly string[], now: Date) =>
  db.sql<{ id: string; host_server: string }>`
    with stranded as materialized (
      select distinct on (d.id) d.id, d.host_server, r.number
        from deployments d join deploy_replicas r on r.deployment_id = d.id
       where d.host_server = any(${hosts}::text[]) and d.desired = 'running' and d.suspended_by is null
         and d.status in ('deploying', 'running') and (d.lease_until is null or d.lease_until < now())
         and r.endpoint_host is not null and r.serving_generation = d.serving_generation
         and r.host_server <> all(${hosts}::text[])
       order by d.id, r.number
    )
    select id, host_server from stranded where promote_replica(id, number, 'unknown', ${now})`

/** Unassigns followers from these hosts: they are placed on others. Their deployments are due. */
export const unassignFollowers = (db: Sql, hosts: readonly string[]) =>
  db.sql<{ id: string }>`
    with moved as (
      update deploy_replicas r
         set host_server = null, endpoint_host = null, endpoint_port = null, next_attempt_at = now(), transient_since = null
       where r.host_server = any(${hosts}::text[])
      returning r.deployment_id
    ), due as (
      update deployments d set next_attempt_at = now()
       where d.id in (select deployment_id from moved) and d.status <> 'destroyed'
      returning d.id
    )
    select id, pg_notify(${routes_channel}, id::text) from due`

export interface FollowerHealth {
  id: string
  number: number
  endpoint_port: number
  health_status: string
}

/** Saves probe results of followers that still run at the probed port. */
export const saveFollowerHealth = (db: Sql, found: FollowerHealth[]) =>
  db.sql`
    with written as (
      update deploy_replicas r
         set health_status = f.health_status
        from unnest(
               ${found.map(({ id }) => id)}::uuid[], ${found.map(({ number }) => number)}::integer[],
               ${found.map(({ endpoint_port }) => endpoint_port)}::integer[],
               ${found.map(({ health_status }) => health_status)}::text[]
             ) f(id, number, endpoint_port, health_status)
       where r.deployment_id = f.id and r.number = f.number and r.endpoint_port = f.endpoint_port
         and r.health_status is distinct from f.health_status
      returning r.deployment_id
    )
    select pg_notify(${routes_channel}, deployment_id::text) from written group by deployment_id`
