import type { Page } from '../../platform/each.ts'
import { firstRow, theRow, type Sql, type Tx } from '../../platform/postgres/database.ts'
import type { DeploymentRow } from './store.ts'
import type { TierRow } from './tiers.store.ts'

export type Prices = Pick<TierRow, 'payment_method' | 'monthly_cost_points' | 'monthly_stipend_points'>

export type BilledRow = DeploymentRow & Prices

/**
 * Deployments whose paid cycle has ended, in order of id. Leaves out those that need an admin: awaited payments and
 * suspensions by an admin.
 */
export const listDueForCharge = (db: Sql, now: Date, { after, rows_max }: Page) =>
  db.sql<{ id: string }>`
    select id from deployments
     where paid_until <= ${now} and status <> 'destroyed' and desired <> 'destroyed'
       and billing_status in ('active', 'suspended') and (suspended_by is null or suspended_by = 'billing')
       and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by id
     limit ${rows_max}`

/** Locks a due deployment and returns it with its tier's current prices; undefined if it is not due or another run has locked it. */
export const lockDueForCharge = (tx: Tx, id: string, now: Date) =>
  firstRow(tx.sql<BilledRow>`
    select d.*, d.desired = 'destroyed' as is_being_removed, is_stopping(d.status, d.desired, d.suspended_by),
           d.host_servers[1] as host_server,
           t.payment_method, t.monthly_cost_points, t.monthly_stipend_points
      from deployments d join deploy_tiers t on t.id = d.deploy_tier_id
     where d.id = ${id} and d.paid_until <= ${now} and d.status <> 'destroyed' and d.desired <> 'destroyed'
       and d.billing_status in ('active', 'suspended') and (d.suspended_by is null or d.suspended_by = 'billing')
       for no key update of d skip locked`)

/** Locks a deployment and returns it with its tier's current prices. */
export const lockWithPrices = (tx: Tx, id: string) =>
  firstRow(tx.sql<BilledRow>`
    select d.*, d.desired = 'destroyed' as is_being_removed, is_stopping(d.status, d.desired, d.suspended_by),
           d.host_servers[1] as host_server,
           t.payment_method, t.monthly_cost_points, t.monthly_stipend_points
      from deployments d join deploy_tiers t on t.id = d.deploy_tier_id
     where d.id = ${id}
       for no key update of d`)

/** The cost of a cycle of the pending release; undefined if no release is pending or its tier does not cost points. */
export const findPendingPrice = (tx: Tx, deployment_id: string) =>
  firstRow(tx.sql<{ id: string; cost: number }>`
    select r.id, coalesce(t.monthly_cost_points, 0) * r.replicas as cost
      from deploy_releases r join deploy_tiers t on t.id = r.deploy_tier_id
     where r.deployment_id = ${deployment_id} and r.is_target and r.status = 'pending' and t.payment_method <> 'bitcoin'`)

export interface NewCharge {
  deployment_id: string
  cost_transfer_id: string | null
  stipend_transfer_id: string | null
  cycle_starts: Date
  cycle_ends: Date
  now: Date
}

/** Records the next cycle as paid. The caller holds the lock of the deployment's row; the primary key excludes duplicates. */
export const insertCharge = (tx: Tx, charge: NewCharge) =>
  tx.sql`
    insert into deploy_charges (deployment_id, cycle, cost_transfer_id, stipend_transfer_id, cycle_starts, cycle_ends,
                                inserted_at)
    select ${charge.deployment_id}, coalesce(max(cycle), 0) + 1, ${charge.cost_transfer_id}::uuid,
           ${charge.stipend_transfer_id}::uuid, ${charge.cycle_starts}::timestamptz, ${charge.cycle_ends}::timestamptz,
           ${charge.now}::timestamptz
      from deploy_charges where deployment_id = ${charge.deployment_id}`

/** Sets `paid_until`. A suspension by billing ends, with a new generation. */
export const markPaid = (tx: Tx, id: string, paid_until: Date, now: Date) =>
  theRow(tx.sql<DeploymentRow>`
    update deployments
       set billing_status = 'active', paid_until = ${paid_until},
           suspended_by = case when suspended_by <> 'billing' then suspended_by end,
           generation = case when suspended_by = 'billing' then generation + 1 else generation end,
           attempts = case when suspended_by = 'billing' then 0 else attempts end,
           last_error = case when suspended_by = 'billing' then null else last_error end,
           next_attempt_at = case when suspended_by = 'billing' then least(${now}, now()) else next_attempt_at end
     where id = ${id}
    returning *, desired = 'destroyed' as is_being_removed, is_stopping(status, desired, suspended_by),
           host_servers[1] as host_server`)

/** Deployments suspended by billing, in order of id. */
export const listSuspendedByBilling = (db: Sql, { after, rows_max }: Page) =>
  db.sql<{ id: string }>`
    select id from deployments
     where suspended_by = 'billing' and status <> 'destroyed' and desired <> 'destroyed'
       and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by id
     limit ${rows_max}`

/** Ends a suspension by billing and clears the billing columns; undefined if there is no such suspension. */
export const liftBillingSuspension = (tx: Tx, id: string, now: Date) =>
  firstRow(tx.sql<{ id: string; generation: number }>`
    update deployments
       set suspended_by = null, billing_status = null, paid_until = null, generation = generation + 1, attempts = 0,
           last_error = null, next_attempt_at = least(${now}, now())
     where id = ${id} and suspended_by = 'billing' and status <> 'destroyed' and desired <> 'destroyed'
    returning id, generation`)
