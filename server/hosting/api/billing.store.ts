import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { DeploymentRow } from './store.ts'
import type { PaymentMethod } from './rules.ts'

export interface BilledRow extends DeploymentRow {
  payment_method: PaymentMethod
  monthly_cost_points: number | null
  monthly_stipend_points: number
}

/**
 * Deployments whose paid time is over, by id. Those that wait for an admin are left out: to record a payment, or to lift a
 * suspension.
 */
export const listDue = (db: Sql, now: Date, { after, rows_max }: { after: string | null; rows_max: number }) =>
  db.sql<{ id: string }>`
    select id from deployments
     where paid_until <= ${now} and status <> 'destroyed' and desired <> 'destroyed'
       and billing_status in ('active', 'suspended') and (suspended_by is null or suspended_by = 'billing')
       and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by id
     limit ${rows_max}`

/** One of those, with its tier's prices of now; undefined when it is due no longer, or somebody else is at it. */
export async function lockDue(tx: Tx, id: string, now: Date) {
  const [row] = await tx.sql<BilledRow>`
    select d.*, t.payment_method, t.monthly_cost_points, t.monthly_stipend_points
      from deployments d join deploy_tiers t on t.id = d.deploy_tier_id
     where d.id = ${id} and d.paid_until <= ${now} and d.status <> 'destroyed' and d.desired <> 'destroyed'
       and d.billing_status in ('active', 'suspended') and (d.suspended_by is null or d.suspended_by = 'billing')
       for no key update of d skip locked`
  return row
}

/** A deployment with its tier's prices, whose row nobody else changes until the transaction ends. */
export async function lockBilled(tx: Tx, id: string) {
  const [row] = await tx.sql<BilledRow>`
    select d.*, t.payment_method, t.monthly_cost_points, t.monthly_stipend_points
      from deployments d join deploy_tiers t on t.id = d.deploy_tier_id
     where d.id = ${id}
       for no key update of d`
  return row
}

export interface NewCharge {
  deployment_id: string
  cost_transfer_id: string | null
  stipend_transfer_id: string | null
  cycle_starts: Date
  cycle_ends: Date
  now: Date
}

/** Notes the next cycle as paid. The row of the deployment is locked, and the key makes sure: no cycle is noted twice. */
export const insertCharge = (tx: Tx, charge: NewCharge) =>
  tx.sql`
    insert into deploy_charges (deployment_id, cycle, cost_transfer_id, stipend_transfer_id, cycle_starts, cycle_ends,
                                inserted_at)
    select ${charge.deployment_id}, coalesce(max(cycle), 0) + 1, ${charge.cost_transfer_id}::uuid,
           ${charge.stipend_transfer_id}::uuid, ${charge.cycle_starts}::timestamptz, ${charge.cycle_ends}::timestamptz,
           ${charge.now}::timestamptz
      from deploy_charges where deployment_id = ${charge.deployment_id}`

/** Paid until then; a suspension for not having paid ends, which is a new generation. */
export async function markPaid(tx: Tx, id: string, paid_until: Date, now: Date) {
  const [row] = await tx.sql<DeploymentRow>`
    update deployments
       set billing_status = 'active', paid_until = ${paid_until},
           suspended_by = case when suspended_by <> 'billing' then suspended_by end,
           generation = case when suspended_by = 'billing' then generation + 1 else generation end,
           attempts = case when suspended_by = 'billing' then 0 else attempts end,
           transient_since = case when suspended_by = 'billing' then null else transient_since end,
           last_error = case when suspended_by = 'billing' then null else last_error end,
           next_attempt_at = case when suspended_by = 'billing' then least(${now}, now()) else next_attempt_at end
     where id = ${id}
    returning *`
  return row!
}

/** Deployments that are suspended for not having been paid, by id. */
export const listUnpaid = (db: Sql, { after, rows_max }: { after: string | null; rows_max: number }) =>
  db.sql<{ id: string }>`
    select id from deployments
     where suspended_by = 'billing' and status <> 'destroyed' and desired <> 'destroyed'
       and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by id
     limit ${rows_max}`

/** Ends a suspension for not having paid, where nothing is charged any more; undefined where there is none any more. */
export async function waiveSuspension(tx: Tx, id: string, now: Date) {
  const [row] = await tx.sql<{ id: string; generation: number }>`
    update deployments
       set suspended_by = null, billing_status = null, paid_until = null, generation = generation + 1, attempts = 0,
           transient_since = null, last_error = null, next_attempt_at = least(${now}, now())
     where id = ${id} and suspended_by = 'billing' and status <> 'destroyed' and desired <> 'destroyed'
    returning id, generation`
  return row
}
