import type { Static } from 'typebox'
import type { deploy_release } from '../../../contract/deployment-fields.ts'
import type { Page } from '../../platform/each.ts'
import { firstRow, json, theRow, theValue, type Sql, type Tx } from '../../platform/postgres/database.ts'
import { intents_channel, routes_channel } from '../channels.ts'
import type { ReleaseChange, ReleaseContent } from './releases.rules.ts'
import type { DeploymentRow } from './store.ts'

export interface ReleaseRow extends ReleaseContent, Omit<Static<typeof deploy_release>, 'env_names'> {
  deployment_id: string
}

/**
 * Locks a deployment of the app against other changes of its desired state; undefined if its destruction was requested
 * or it belongs to another app.
 */
export const lockForChange = (tx: Tx, { id, app_id }: { id: string; app_id: string }) =>
  firstRow(tx.sql<DeploymentRow & { payment_method: 'service_points' | 'bitcoin' }>`
    select d.*, d.desired = 'destroyed' as is_being_removed, is_stopping(d.status, d.desired, d.suspended_by),
           d.host_servers[1] as host_server, t.payment_method
      from deployments d join deploy_tiers t on t.id = d.deploy_tier_id
     where d.id = ${id} and d.app_id = ${app_id} and d.desired <> 'destroyed' and d.status <> 'destroyed'
       for no key update of d`)

/** The release that the latest generation runs. The caller holds the lock of the deployment's row. */
export const targetRelease = (tx: Tx, deployment: { id: string }): Promise<ReleaseRow> =>
  theRow(tx.sql<ReleaseRow>`
    select * from deploy_releases where deployment_id = ${deployment.id} and is_target`)

export interface NewRelease extends ReleaseContent {
  id: string
  deployment_id: string
  changed: readonly ReleaseChange[]
  env_changed: readonly string[]
  rolled_back_to: number | null
  initiated_by: string | null
  charged_points: number
  now: Date
}

/**
 * Makes a release the target, supersedes a pending one, and deletes the oldest beyond `kept_max`, except the serving
 * one. Returns its number. The caller holds the lock of the deployment's row.
 */
export const insertRelease = (tx: Tx, made: NewRelease, kept_max: number): Promise<number> =>
  theValue(tx.sql<{ number: number }>`
    with numbers as (
      select coalesce(max(number), 0) + 1 as next from deploy_releases where deployment_id = ${made.deployment_id}
    ), replaced as (
      update deploy_releases
         set is_target = false, status = case when status = 'pending' then 'superseded' else status end
       where deployment_id = ${made.deployment_id} and (is_target or status = 'pending')
    ), forgotten as (
      delete from deploy_releases
       where deployment_id = ${made.deployment_id} and status in ('replaced', 'failed', 'superseded') and charged_points = 0
         and number <= (select next from numbers) - ${kept_max}
    )
    insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, deploy_tier_id,
                                 memory_limit_mb, cpu_limit_millicores, port, custom_domain, replicas, health_path, sealed_env, env_names,
                                 changed, env_changed, rolled_back_to, initiated_by, charged_points, inserted_at)
    select ${made.id}, ${made.deployment_id}, next, 'pending', true, ${made.container_image}, ${made.deploy_tier_id},
           ${made.memory_limit_mb}, ${made.cpu_limit_millicores}, ${made.port}, ${made.custom_domain}, ${made.replicas}, ${made.health_path}::text, ${made.sealed_env},
           ${made.env_names}, ${made.changed}::text[], ${made.env_changed}::text[], ${made.rolled_back_to}::integer,
           ${made.initiated_by}::uuid, ${made.charged_points}::bigint, ${made.now}::timestamptz
      from numbers
    returning number`)

export interface ChangeInPlace {
  /** The id of the release. */
  id: string
  deployment_id: string
  entry_id: string
  initiated_by: string | null
  details: object
  now: Date
}

/**
 * Makes a release that needs no new container the serving one: only the number of replicas (D-105) or the custom domain
 * differs. Logs it, and lets workers start or end replicas. The caller holds the lock of the deployment's row.
 */
export const changeInPlace = (tx: Tx, { id, deployment_id, entry_id, initiated_by, details, now }: ChangeInPlace) =>
  tx.sql`
    with replaced as (
      update deploy_releases set status = 'replaced'
       where deployment_id = ${deployment_id} and status = 'current'
      returning image_digest
    ), serving as (
      update deploy_releases
         set status = 'current', served_at = now(), charged_points = 0, image_digest = (select image_digest from replaced)
       where id = ${id}
      returning deployment_id, replicas, custom_domain
    ), due as (
      update deployments d
         set next_attempt_at = now(), replicas = s.replicas,
             custom_domain = s.custom_domain,
             domain_verified_at = case when s.custom_domain is not distinct from d.custom_domain then d.domain_verified_at end,
             domain_checked_at = case when s.custom_domain is not distinct from d.custom_domain then d.domain_checked_at end
        from serving s
       where d.id = s.deployment_id
      returning d.id, d.generation
    ), logged as (
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at, settled_at)
      select ${entry_id}, id, generation, 'deploy', 'succeeded', ${initiated_by}::uuid, ${json(details)}::jsonb,
             ${now}::timestamptz, ${now}::timestamptz
        from due
    )
    select pg_notify(channel, ${deployment_id}::text) from unnest(array[${intents_channel}, ${routes_channel}]) channel`

/** Starts a new generation, which workers roll out. The desired state does not change. */
export const startGeneration = (tx: Tx, id: string, now: Date) =>
  theValue(tx.sql<{ generation: number }>`
    update deployments
       set generation = generation + 1, next_attempt_at = least(${now}, now()), attempts = 0, last_error = null
     where id = ${id}
    returning generation`)

export const listReleasesNewestFirst = (db: Sql, deployment_id: string, rows_max: number) =>
  db.sql<ReleaseRow>`
    select * from deploy_releases where deployment_id = ${deployment_id} order by number desc limit ${rows_max}`

export const findRelease = (db: Sql, deployment_id: string, id: string) =>
  firstRow(db.sql<ReleaseRow>`
    select * from deploy_releases where id = ${id} and deployment_id = ${deployment_id}`)

// Charges of more expensive tiers

export const addSurcharge = (tx: Tx, release_id: string, points: number) =>
  tx.sql`update deploy_releases set charged_points = charged_points + ${points}::bigint where id = ${release_id}`

/** Deployments with paid releases that will never serve, in order of id. */
export const listUnservedCharges = (db: Sql, { after, rows_max }: Page) =>
  db.sql<{ id: string }>`
    select distinct deployment_id as id from deploy_releases
     where charged_points > 0 and status in ('failed', 'superseded')
       and deployment_id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by deployment_id limit ${rows_max}`

/** Clears the charges of releases that will never serve, each once. Returns the amount, the payer and the purpose of each. */
export const clearUnservedCharges = (tx: Tx, deployment_id: string) =>
  tx.sql<{ charged_points: number; app_id: string; subdomain: string }>`
    with held as (
      select id, deployment_id, charged_points from deploy_releases
       where deployment_id = ${deployment_id} and charged_points > 0 and status in ('failed', 'superseded')
       order by id for update
    ), cleared as (
      update deploy_releases r set charged_points = 0 from held where r.id = held.id
    )
    select held.charged_points, d.app_id, d.subdomain
      from held join deployments d on d.id = held.deployment_id`
