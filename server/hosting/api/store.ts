import type { Static } from 'typebox'
import type { admin_deployment } from '../../../contract/admin-deployments.ts'
import type { deploy_log_entry } from '../../../contract/deployment-fields.ts'
import type { DeploymentStatus } from '../../../contract/states.ts'
import { newId } from '../../platform/ids.ts'
import { firstRow, firstValue, json, theRow, theValue, type Sql, type Tx } from '../../platform/postgres/database.ts'
import { intents_channel, routes_channel } from '../channels.ts'
import type { DeployAction, Desired } from './rules.ts'

/** The columns of a deployment that responses may show. Lists and polls must not fetch its environment. */
export interface DeploymentRow extends Static<typeof admin_deployment> {
  suspended_by: 'billing' | 'admin' | 'owner' | null
  serving_generation: number | null
}

export interface NewDeployment {
  id: string
  app_id: string
  owner_id: string
  deploy_tier_id: string
  container_image: string
  subdomain: string
  port: number
  sealed_env: Buffer
  memory_limit_mb: number
  cpu_limit_millicores: number
  custom_domain: string | null
  replicas: number
  health_path: string | null
  billing_status: string | null
  suspended_by: 'billing' | null
  paid_until: Date | null
  reserved_since: Date
  now: Date
}

/** A new deployment with the content of its first release. */
export type InsertedDeployment = DeploymentRow & Pick<NewDeployment, 'port' | 'sealed_env'>

/**
 * Inserts a deployment; undefined if its name is taken or reserved for the owner of a destroyed one (D-55). Of
 * concurrent inserts of one name, only one succeeds.
 */
export const insertDeployment = (tx: Tx, made: NewDeployment) =>
  firstRow(tx.sql<InsertedDeployment>`
    insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                             sealed_env, memory_limit_mb, cpu_limit_millicores, custom_domain, replicas, health_path, billing_status,
                             suspended_by, paid_until, next_attempt_at, inserted_at)
    select ${made.id}, ${made.app_id}, ${made.owner_id}, ${made.deploy_tier_id}, ${`plaza-${made.id}`},
           ${made.container_image}, ${made.subdomain}, ${made.port}, ${made.sealed_env}, ${made.memory_limit_mb},
           ${made.cpu_limit_millicores}, ${made.custom_domain}, ${made.replicas}, ${made.health_path}::text, ${made.billing_status}, ${made.suspended_by},
           ${made.paid_until}, least(${made.now}, now()), ${made.now}
     where not exists (
             select from deployments other
              where other.subdomain = ${made.subdomain} and other.owner_id <> ${made.owner_id}
                and other.status <> 'destroyed')
       and not exists (
             select from deployments other
              where other.subdomain in (${made.subdomain}, 'left-' || encode(sha256(convert_to(${made.subdomain}, 'UTF8')), 'hex'))
                and other.owner_id <> ${made.owner_id} and other.status = 'destroyed'
                and (other.destroyed_at is null or other.destroyed_at > ${made.reserved_since}))
    on conflict (subdomain) where status <> 'destroyed' do nothing
    returning *, false as is_being_removed, false as is_stopping`)

export const findDeployment = (db: Sql, id: string) =>
  firstRow(db.sql<DeploymentRow>`
    select id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, status, memory_limit_mb,
           cpu_limit_millicores, custom_domain, billing_status, health_status, host_servers[1] as host_server, host_servers, deployed_at, stopped_at,
           last_health_check, inserted_at, desired, suspended_by, generation, serving_generation, last_error,
           domain_verified_at, paid_until, destroyed_at, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by), replicas, health_path, ready_replicas
      from deployments
     where id = ${id}`)

const list_max = 1_000

/** The app's deployments that are not destroyed, newest first. */
export const listDeploymentsOfApp = (db: Sql, app_id: string) =>
  db.sql<DeploymentRow>`
    select id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, status, memory_limit_mb,
           cpu_limit_millicores, custom_domain, billing_status, health_status, host_servers[1] as host_server, host_servers, deployed_at, stopped_at,
           last_health_check, inserted_at, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by), replicas, health_path, ready_replicas
      from deployments
     where app_id = ${app_id} and status <> 'destroyed'
     order by id desc
     limit ${list_max}`

// Intent

export interface DesiredChange {
  id: string
  app_id: string
  desired: Desired
  /** The statuses in which the operation is allowed. */
  statuses: readonly DeploymentStatus[]
  /** Also allowed while the deployment is suspended. */
  allow_suspended: boolean
  now: Date
}

/**
 * Sets the desired state with a new generation; undefined if the status does not allow it or the deployment is to be
 * destroyed. A start that no worker has claimed yet counts as `deploying`. A destruction releases the domain.
 */
export const changeDesired = (tx: Tx, change: DesiredChange) =>
  firstRow(tx.sql<DeploymentRow>`
    update deployments
       set desired = ${change.desired}, generation = generation + 1, next_attempt_at = least(${change.now}, now()), attempts = 0,
           last_error = null,
           custom_domain = case when ${change.desired} <> 'destroyed' then custom_domain end,
           domain_verified_at = case when ${change.desired} <> 'destroyed' then domain_verified_at end
     where id = ${change.id} and app_id = ${change.app_id} and desired <> 'destroyed'
       and (suspended_by is null or ${change.allow_suspended})
       and (status = any(${change.statuses}::text[])
            or (status = 'stopped' and desired = 'running'
                and (failed_generation is distinct from generation or retry_at is not null)
                and 'deploying' = any(${change.statuses}::text[])))
    returning *, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by),
           host_servers[1] as host_server`)

export interface Suspension {
  id: string
  suspended_by: 'billing' | 'admin'
  /** Null if it does not change. */
  billing_status: string | null
  now: Date
}

/**
 * Suspends a deployment with a new generation; undefined if it is destroyed or already suspended. A suspension by an
 * admin replaces any other.
 */
export const suspend = (tx: Tx, { id, suspended_by, billing_status, now }: Suspension) =>
  firstRow(tx.sql<DeploymentRow>`
    update deployments
       set suspended_by = ${suspended_by}, billing_status = coalesce(${billing_status}, billing_status),
           generation = generation + 1, next_attempt_at = least(${now}, now()), attempts = 0, last_error = null
     where id = ${id} and desired <> 'destroyed' and status <> 'destroyed'
       and (suspended_by is null or (suspended_by in ('billing', 'owner') and ${suspended_by} = 'admin'))
    returning *, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by),
           host_servers[1] as host_server`)

/**
 * Lifts an admin's suspension; undefined if there is none. Suspensions by billing or of the owner remain. The suspended
 * time is not charged.
 */
export const liftAdminSuspension = (tx: Tx, id: string, now: Date) =>
  firstRow(tx.sql<DeploymentRow>`
    update deployments
       set suspended_by = case when owner_suspended then 'owner'
                               when billing_status in ('suspended', 'awaiting_payment') then 'billing' end,
           paid_until = case when paid_until < ${now} then ${now} else paid_until end,
           generation = generation + 1, next_attempt_at = least(${now}, now()), attempts = 0, last_error = null
     where id = ${id} and suspended_by = 'admin' and desired <> 'destroyed' and status <> 'destroyed'
    returning *, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by),
           host_servers[1] as host_server`)

/**
 * Suspends all deployments of a suspended owner (D-88), locked in id order, and returns those that were not suspended
 * before. Suspensions by an admin remain.
 */
export const suspendAllOfOwner = (tx: Tx, owner_id: string, now: Date) =>
  tx.sql<DeploymentRow>`
    with owned as (
      select id from deployments
       where owner_id = ${owner_id} and not owner_suspended and desired <> 'destroyed' and status <> 'destroyed'
       order by id for no key update
    ), held as (
      update deployments d set owner_suspended = true
        from owned where d.id = owned.id and d.suspended_by = 'admin'
    )
    update deployments d
       set owner_suspended = true, suspended_by = 'owner', generation = generation + 1,
           next_attempt_at = least(${now}, now()), attempts = 0, last_error = null
      from owned
     where d.id = owned.id and d.suspended_by is distinct from 'admin'
    returning d.*`

/**
 * Lifts the suspensions that came from the owner's suspension, and returns those deployments. Suspensions by billing
 * remain. The suspended time is not charged.
 */
export const liftOwnerSuspensions = (tx: Tx, owner_id: string, now: Date) =>
  tx.sql<DeploymentRow>`
    with owned as (
      select id from deployments
       where owner_id = ${owner_id} and owner_suspended and desired <> 'destroyed' and status <> 'destroyed'
       order by id for no key update
    ), held as (
      update deployments d set owner_suspended = false
        from owned where d.id = owned.id and d.suspended_by is distinct from 'owner'
    )
    update deployments d
       set owner_suspended = false,
           suspended_by = case when billing_status in ('suspended', 'awaiting_payment') then 'billing' end,
           paid_until = case when paid_until < ${now} then ${now} else paid_until end,
           generation = generation + 1, next_attempt_at = least(${now}, now()), attempts = 0, last_error = null
      from owned
     where d.id = owned.id and d.suspended_by = 'owner'
    returning d.*`

export interface NewLogEntry {
  id: string
  deployment_id: string
  generation: number
  action: DeployAction
  initiated_by: string | null
  details: Record<string, unknown>
  now: Date
}

/**
 * Logs a change of the desired state in its transaction and notifies the workers on commit. It supersedes pending
 * entries, but the owner's stop does not supersede a suspension.
 */
export const logIntent = (tx: Tx, entry: NewLogEntry) =>
  tx.sql`
    with superseded as (
      update deploy_logs set status = 'superseded', settled_at = ${entry.now}
       where deployment_id = ${entry.deployment_id} and status = 'pending'
         and not (action = 'suspend' and ${entry.action} = 'stop')
    ), logged as (
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at)
      values (${entry.id}, ${entry.deployment_id}, ${entry.generation}, ${entry.action}, 'pending',
              ${entry.initiated_by}, ${json(entry.details)}, ${entry.now})
    )
    select pg_notify(${intents_channel}, ${entry.deployment_id})`

/** Logs an action of the platform: an admin, who is not named to the owner, the billing job, or a payment. */
export const logPlatformAction = (
  tx: Tx,
  { id, generation }: { id: string; generation: number },
  action: DeployAction,
  details: Record<string, unknown>,
  now: Date,
) => logIntent(tx, { id: newId(), deployment_id: id, generation, action, initiated_by: null, details, now })

/** The log entry of the change in progress, if any. */
export const findOpenDeploy = (db: Sql, deployment_id: string) =>
  firstValue(db.sql<{ id: string }>`
    select id from deploy_logs
     where deployment_id = ${deployment_id} and status = 'pending' and action = 'deploy' order by id desc limit 1`)

/** Notifies the routers on commit that the names of a deployment changed. */
export const notifyRoutes = (tx: Tx, id: string) => tx.sql`select pg_notify(${routes_channel}, ${id})`

// Log

/** The newest entries first. Generations order entries of several processes, because they are counted under the row's lock. */
export const listLogNewestFirst = (db: Sql, deployment_id: string, rows_max: number) =>
  db.sql<Static<typeof deploy_log_entry>>`
    select id, action, status, initiated_by, details, inserted_at
      from deploy_logs
     where deployment_id = ${deployment_id}
     order by generation desc, id desc
     limit ${rows_max}`

/** Returns those of these entries that are no longer pending or were deleted. */
export const listCompleted = (db: Sql, ids: readonly string[]) =>
  db.sql<{ id: string }>`
    select w.id from unnest(${ids}::uuid[]) w(id)
     where not exists (select from deploy_logs l where l.id = w.id and l.status = 'pending')`

// Container hosts

/** True if a container host was reachable within `seen_seconds`, by the database's clock (D-65). */
export const isAnyHostReachable = (db: Sql, seen_seconds: number) =>
  theValue(db.sql<{ reachable: boolean }>`
    select exists (select from container_hosts
                    where reachable and seen_at > now() - make_interval(secs => ${seen_seconds})) as reachable`)

/** The requirements of hosting other than registries: configured hosts, a reachable one, and an offered tier. */
export const findHostingState = (db: Sql, seen_seconds: number) =>
  theRow(db.sql<{ has_hosts: boolean; is_reachable: boolean; has_tiers: boolean }>`
    select exists (select from container_hosts) as has_hosts,
           exists (select from container_hosts
                    where reachable and seen_at > now() - make_interval(secs => ${seen_seconds})) as is_reachable,
           exists (select from deploy_tiers where not retired) as has_tiers`)

// Administration

export interface DeploymentFilter {
  status: string | null
  health_status: string | null
  owner_id: string | null
  app_id: string | null
  /** The prefix of the subdomain, with the wildcards of `like` escaped. */
  starting: string | null
  id: string | null
  before_id: string | null
  rows_max: number
}

export const listDeploymentsNewestFirst = (db: Sql, filter: DeploymentFilter) =>
  db.sql<DeploymentRow>`
    select id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, status, memory_limit_mb,
           cpu_limit_millicores, custom_domain, billing_status, health_status, host_servers[1] as host_server, host_servers, deployed_at, stopped_at,
           last_health_check, inserted_at, desired, suspended_by, generation, last_error, domain_verified_at, paid_until,
           destroyed_at, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by), replicas, health_path, ready_replicas
      from deployments
     where (${filter.status}::text is null or status = ${filter.status})
       and (${filter.health_status}::text is null or health_status = ${filter.health_status})
       and (${filter.owner_id}::uuid is null or owner_id = ${filter.owner_id})
       and (${filter.app_id}::uuid is null or app_id = ${filter.app_id})
       and (${filter.starting}::text is null or subdomain like ${filter.starting} || '%' or id = ${filter.id})
       and (${filter.before_id}::uuid is null or id < ${filter.before_id})
     order by id desc
     limit ${filter.rows_max}`
