import type { Page } from '../../platform/each.ts'
import { firstRow, type Sql, type Tx } from '../../platform/postgres/database.ts'
import type { Watch, WatchedState } from './watch.rules.ts'

/** Starts watching running deployments whose port does not answer. */
export const watchUnwell = (db: Sql, now: Date) =>
  db.sql`
    insert into deploy_watch (deployment_id, unwell_since)
    select id, ${now} from deployments
     where status <> 'destroyed' and status = 'running' and desired = 'running' and suspended_by is null
       and health_status in ('unhealthy', 'restarting')
     order by id
    on conflict do nothing`

/** A page of watched deployments, in order of id. */
export const listWatched = (db: Sql, { after, rows_max }: Page) =>
  db.sql<{ id: string }>`
    select deployment_id as id from deploy_watch
     where deployment_id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by deployment_id limit ${rows_max}::integer`

/** Locks the row of a watched deployment; undefined if another job has locked or deleted it. */
export const lockWatch = (tx: Tx, deployment_id: string) =>
  firstRow(tx.sql<Watch>`
    select unwell_since, down_since, cause, told, mailed_at from deploy_watch where deployment_id = ${deployment_id}
       for update skip locked`)

/** The state of a deployment, read after its watch is locked. */
export const findWatchedState = (tx: Tx, deployment_id: string) =>
  firstRow(tx.sql<WatchedState & { app_id: string; owner_id: string }>`
    select status, desired, suspended_by, health_status, serving_generation, app_id, owner_id
      from deployments where id = ${deployment_id}`)

export const saveWatch = (tx: Tx, deployment_id: string, watch: Watch) =>
  tx.sql`
    update deploy_watch
       set unwell_since = ${watch.unwell_since}, down_since = ${watch.down_since}, cause = ${watch.cause}, told = ${watch.told},
           mailed_at = ${watch.mailed_at}::timestamptz[]
     where deployment_id = ${deployment_id}`

export const deleteWatch = (tx: Tx, deployment_id: string) =>
  tx.sql`delete from deploy_watch where deployment_id = ${deployment_id}`
