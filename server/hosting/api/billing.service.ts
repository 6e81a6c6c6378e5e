import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/postgres/database.ts'
import { forEachItem } from '../../platform/each.ts'
import { Failure } from '../../platform/failure.ts'
import { newId } from '../../platform/ids.ts'
import { payBill } from '../../points/service.ts'
import {
  insertCharge,
  listDue,
  listUnpaid,
  lockBilled,
  lockDue,
  markPaid,
  waiveSuspension,
  type BilledRow,
} from './billing.store.ts'
import { cycleAfter, isSoonDue } from './rules.ts'
import { logIntent, suspend, type DeploymentRow } from './store.ts'
import type { TierRow } from './tiers.store.ts'

export interface BillingDeps {
  db: Database
  clock: Clock
  /** `BILLING=on` (D-62). */
  billing: boolean
}

/** How billing begins for a deployment on this tier; a bitcoin tier waits until an admin records the payment. */
export function openingTerms({ billing }: Pick<BillingDeps, 'billing'>, tier: TierRow, now: Date) {
  if (!billing) return { billing_status: null, suspended_by: null, paid_until: null }
  return tier.payment_method === 'bitcoin'
    ? { billing_status: 'awaiting_payment', suspended_by: 'billing' as const, paid_until: null }
    : { billing_status: 'active', suspended_by: null, paid_until: cycleAfter(now) }
}

type Prices = Pick<BilledRow, 'payment_method' | 'monthly_cost_points' | 'monthly_stipend_points'>

/** Pays a cycle and notes it, inside the caller's transaction; false, and nothing is written, when the points do not suffice. */
async function payCycle(tx: Tx, deployment: DeploymentRow, prices: Prices, cycle_starts: Date, now: Date) {
  const { id, owner_id, app_id, subdomain } = deployment
  const paid = await payBill(tx, now, {
    user_id: owner_id,
    cost: prices.payment_method === 'bitcoin' ? 0 : (prices.monthly_cost_points ?? 0),
    stipend: prices.monthly_stipend_points,
    app_id,
    description: `Hosting of ${subdomain}`,
  })
  if (paid)
    await insertCharge(tx, { deployment_id: id, ...paid, cycle_starts, cycle_ends: cycleAfter(cycle_starts), now })
  return paid !== undefined
}

/**
 * Charges the first cycle, inside the transaction that creates the deployment. Fails with `insufficient_points`.
 */
export async function payFirstCycle(tx: Tx, deployment: DeploymentRow, tier: TierRow, now: Date) {
  if (deployment.billing_status !== 'active') return
  if (!(await payCycle(tx, deployment, tier, now, now)))
    throw new Failure('insufficient_points', { user_id: deployment.owner_id, tier: tier.slug })
}

const due_at_once = 200
/** So many cycles that nobody charged are charged in one run; what is left waits for the next. */
const cycles_max = 12

/**
 * Charges every cycle that is due, each once whoever runs this how often: suspends where the points do not suffice and
 * reactivates where they do again (D-62). One that cannot be charged holds up no other; the first error of such is thrown
 * at the end. Does nothing while billing is off.
 */
export async function chargeDueCycles(deps: BillingDeps) {
  const { db, clock, billing } = deps
  if (!billing) return waiveAll(deps)
  const charge = async (id: string) => {
    for (let cycle = 0; cycle < cycles_max && (await chargeIfDue(deps, id)); cycle++);
  }
  await inPages((after) => listDue(db, clock(), { after, rows_max: due_at_once }), charge)
}

/** Carries work out for all deployments, page by page and one by one; throws the first error of those that failed at the end. */
async function inPages(
  read: (after: string | null) => Promise<{ id: string }[]>,
  work: (deployment_id: string) => Promise<void>,
) {
  const errors: unknown[] = []
  for (let after: string | null = null; ;) {
    const page: { id: string }[] = await read(after)
    errors.push(...(await forEachItem(page, ({ id }) => work(id))))
    after = page.at(-1)?.id ?? null
    if (page.length < due_at_once) break
  }
  if (errors.length > 0) throw errors[0] as Error
}

/** Hosting costs nothing any more: whoever is suspended for not having paid goes on. */
async function waiveAll({ db, clock }: BillingDeps) {
  const waive = (id: string) =>
    db.transaction(async (tx) => {
      const now = clock()
      const row = await waiveSuspension(tx, id, now)
      if (row) await logOfBilling(tx, row, 'reactivate', { message: 'Hosting is not charged any more.' }, now)
    })
  await inPages((after) => listUnpaid(db, { after, rows_max: due_at_once }), waive)
}

/** Charges one cycle of a deployment if one is due; tells whether it was paid, so that another may be. */
function chargeIfDue({ db, clock }: BillingDeps, id: string) {
  const now = clock()
  return db.transaction(async (tx) => {
    const due = await lockDue(tx, id, now)
    if (!due) return false
    const suspended = due.suspended_by === 'billing'
    const starts = suspended ? now : due.paid_until!
    const paid = due.payment_method !== 'bitcoin' && (await payCycle(tx, due, due, starts, now))
    if (paid) await reactivateWith(tx, due, cycleAfter(starts), now, 'The next cycle was paid.')
    else if (!suspended) await suspendUnpaid(tx, due, now)
    return paid
  })
}

async function suspendUnpaid(tx: Tx, { id, payment_method }: BilledRow, now: Date) {
  const bitcoin = payment_method === 'bitcoin'
  const billing_status = bitcoin ? 'awaiting_payment' : 'suspended'
  const row = await suspend(tx, { id, suspended_by: 'billing', billing_status, now })
  if (!row) return
  const message = bitcoin
    ? 'The paid time is over: the next payment is awaited.'
    : 'There were not enough points for the next cycle.'
  await logOfBilling(tx, row, 'suspend', { message, billing_status }, now)
}

/** What the platform itself did for the sake of payment. */
const logOfBilling = (
  tx: Tx,
  { id: deployment_id, generation }: { id: string; generation: number },
  action: 'suspend' | 'reactivate',
  details: Record<string, unknown>,
  now: Date,
) => logIntent(tx, { id: newId(), deployment_id, generation, action, initiated_by: null, details, now })

/** Writes that a cycle was paid; where that ends a suspension, the log says so and workers are told. */
async function reactivateWith(tx: Tx, before: DeploymentRow, paid_until: Date, now: Date, message: string) {
  const row = await markPaid(tx, before.id, paid_until, now)
  if (before.suspended_by !== 'billing') return row
  await logOfBilling(tx, row, 'reactivate', { message, paid_until }, now)
  return row
}

/**
 * Records, inside the admin's transaction, that a cycle on a bitcoin tier was paid: one that is awaited, or the next one
 * shortly before the present one ends. Fails with `not_found` or `not_allowed_now`.
 */
export async function recordPayment(tx: Tx, id: string, now: Date) {
  const deployment = await lockBilled(tx, id)
  if (!deployment || deployment.status === 'destroyed') throw new Failure('not_found', { deployment_id: id })
  const { billing_status, payment_method, paid_until, desired } = deployment
  // A tier that took points, and takes bitcoin since, cannot end a suspension by itself.
  const awaited =
    billing_status === 'awaiting_payment' || (billing_status === 'suspended' && payment_method === 'bitcoin')
  const early =
    billing_status === 'active' && payment_method === 'bitcoin' && paid_until !== null && isSoonDue(paid_until, now)
  if (desired === 'destroyed' || (!awaited && !early))
    throw new Failure('not_allowed_now', { billing_status, paid_until })
  const starts = awaited ? now : paid_until!
  await payCycle(tx, deployment, { ...deployment, payment_method: 'bitcoin' }, starts, now)
  return reactivateWith(tx, deployment, cycleAfter(starts), now, 'The payment was recorded.')
}
