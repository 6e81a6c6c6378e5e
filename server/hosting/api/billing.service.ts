import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/postgres/database.ts'
import { forEachPage } from '../../platform/each.ts'
import { Failure, invalidField } from '../../platform/failure.ts'
import { getAppUntilCommit, payerOf } from '../../oauth/apps.service.ts'
import { payBill } from '../../points/issuing.service.ts'
import {
  findPendingPrice,
  insertCharge,
  listDueForCharge,
  listSuspendedByBilling,
  lockWithPrices,
  lockDueForCharge,
  markPaid,
  liftBillingSuspension,
  type BilledRow,
  type Prices,
} from './billing.store.ts'
import { surcharge } from './releases.rules.ts'
import { addSurcharge, clearUnservedCharges, listUnservedCharges } from './releases.store.ts'
import { cycleAfter, isPayableEarly } from './rules.ts'
import { findDeployment, logPlatformAction, suspend, type DeploymentRow } from './store.ts'
import { findTier, type TierRow } from './tiers.store.ts'

export interface BillingDeps {
  db: Database
  clock: Clock
  /** `BILLING=on` (D-62). */
  billing: boolean
}

/** The billing columns of a new deployment on this tier; a bitcoin tier awaits a payment that an admin records. */
export function initialBilling({ billing }: Pick<BillingDeps, 'billing'>, tier: TierRow, now: Date) {
  if (!billing) return { billing_status: null, suspended_by: null, paid_until: null }
  return tier.payment_method === 'bitcoin'
    ? { billing_status: 'awaiting_payment', suspended_by: 'billing' as const, paid_until: null }
    : { billing_status: 'active', suspended_by: null, paid_until: cycleAfter(now) }
}

/**
 * Charges a cycle in the caller's transaction. Returns false and writes nothing if the owner has too few points.
 * `pending_cost` is the additional cost of a release that does not serve yet.
 */
async function chargeCycle(
  tx: Tx,
  deployment: DeploymentRow,
  { pending_cost = 0, ...prices }: Prices & { pending_cost?: number },
  cycle_starts: Date,
  now: Date,
) {
  const { id, app_id, subdomain, replicas } = deployment
  const paid = await payBill(tx, now, {
    account_id: await payerOf(tx, app_id),
    cost: prices.payment_method === 'bitcoin' ? 0 : (prices.monthly_cost_points ?? 0) * replicas + pending_cost,
    stipend: prices.monthly_stipend_points,
    app_id,
    description: `Hosting of ${subdomain}`,
  })
  if (paid)
    await insertCharge(tx, { deployment_id: id, ...paid, cycle_starts, cycle_ends: cycleAfter(cycle_starts), now })
  return paid !== undefined
}

/** Charges the first cycle in the transaction that creates the deployment. Fails with `insufficient_points`. */
export async function chargeFirstCycle(tx: Tx, deployment: DeploymentRow, tier: TierRow, now: Date) {
  if (deployment.billing_status !== 'active') return
  if (!(await chargeCycle(tx, deployment, tier, now, now)))
    throw new Failure('insufficient_points', { user_id: deployment.owner_id, tier: tier.slug })
}

interface Surcharge {
  deployment: DeploymentRow & { payment_method: TierRow['payment_method'] }
  release_id: string
  /** Differences between a new release and the serving one: the tier, the number of replicas, or both. */
  tier: TierRow
  replicas: number
  now: Date
}

/**
 * Charges the additional cost of a more expensive tier or more replicas for the rest of the paid cycle (D-104), in the transaction of the
 * release. Fails with `insufficient_points`, and with `validation_failed` between tiers of points and of bitcoin.
 */
export async function chargeSurcharge(tx: Tx, { deployment, release_id, tier, replicas, now }: Surcharge) {
  const { billing_status, paid_until, owner_id, app_id, subdomain } = deployment
  if (billing_status === null) return
  if (tier.payment_method !== deployment.payment_method) throw invalidField('tier', 'tier_payment')
  if (paid_until === null || tier.payment_method === 'bitcoin') return
  const before = await findTier(tx, deployment.deploy_tier_id)
  const prices = {
    before: (before?.monthly_cost_points ?? 0) * deployment.replicas,
    after: (tier.monthly_cost_points ?? 0) * replicas,
  }
  const cost = surcharge(prices, { paid_until, now })
  if (cost === 0) return
  const what = replicas === deployment.replicas ? tier.name : `${tier.name}, ${replicas} replicas`
  const description = `Hosting of ${subdomain}: change to ${what}`
  const paid = await payBill(tx, now, { account_id: await payerOf(tx, app_id), cost, stipend: 0, app_id, description })
  if (!paid) throw new Failure('insufficient_points', { user_id: owner_id, tier: tier.slug })
  await addSurcharge(tx, release_id, cost)
}

/** Refunds the charges of releases of a deployment that failed or were superseded. */
export async function giveBackUnserved(tx: Tx, deployment_id: string, now: Date) {
  for (const { charged_points, app_id, subdomain } of await clearUnservedCharges(tx, deployment_id)) {
    const description = `Hosting of ${subdomain}: a change that did not come about`
    await payBill(tx, now, {
      account_id: await payerOf(tx, app_id),
      cost: 0,
      stipend: charged_points,
      app_id,
      description,
    })
  }
}

/** Does the same for all deployments, in bounded pages. Safe to repeat and to run concurrently. */
export const giveBackAllUnserved = ({ db, clock }: BillingDeps) =>
  forEachPage(
    page_rows,
    (page) => listUnservedCharges(db, page),
    (id) => db.transaction((tx) => giveBackUnserved(tx, id, clock())),
  )

const page_rows = 200
/** One run charges at most this many overdue cycles of a deployment. */
const cycles_max = 12

/**
 * Charges every due cycle exactly once: suspends deployments whose owner has too few points, and reactivates them when the
 * points suffice again (D-62). An error of one deployment does not stop the others; the first error is thrown at the end.
 * With billing off it lifts all billing suspensions.
 */
export async function chargeDueCycles(deps: BillingDeps) {
  const { db, clock, billing } = deps
  if (!billing) return liftBillingSuspensions(deps)
  const charge = async (id: string) => {
    for (let cycle = 0; cycle < cycles_max && (await chargeIfDue(deps, id)); cycle++);
  }
  await forEachPage(page_rows, (page) => listDueForCharge(db, clock(), page), charge)
}

/** Resumes deployments that billing suspended, since billing is off. */
async function liftBillingSuspensions({ db, clock }: BillingDeps) {
  const lift = (id: string) =>
    db.transaction(async (tx) => {
      const now = clock()
      const row = await liftBillingSuspension(tx, id, now)
      if (row) await logPlatformAction(tx, row, 'reactivate', { message: 'Hosting is not charged any more.' }, now)
    })
  await forEachPage(page_rows, (page) => listSuspendedByBilling(db, page), lift)
}

/** Locks the payer of a deployment until the transaction ends: first the app, then its deployments, in the same order as a move. */
async function keepPayer(tx: Tx, deployment_id: string) {
  const deployment = await findDeployment(tx, deployment_id)
  if (deployment) await getAppUntilCommit(tx, deployment.app_id)
}

/** Charges one due cycle of a deployment. Returns true if it was paid; another one may be due then. */
function chargeIfDue({ db, clock }: BillingDeps, id: string) {
  const now = clock()
  return db.transaction(async (tx) => {
    await keepPayer(tx, id)
    const due = await lockDueForCharge(tx, id, now)
    if (!due) return false
    const is_suspended = due.suspended_by === 'billing'
    const starts = is_suspended ? now : due.paid_until!
    const paid = due.payment_method !== 'bitcoin' && (await chargeNextCycle(tx, due, starts, now))
    if (paid) await recordPaidCycle(tx, due, cycleAfter(starts), now, 'The next cycle was paid.')
    else if (!is_suspended) await suspendUnpaid(tx, due, now)
    return paid
  })
}

/**
 * Charges a cycle at the price of the serving release plus the additional cost of a pending one (D-104), both or
 * neither: the pending release may start to serve during the cycle. Its charge is refunded if it never does.
 */
async function chargeNextCycle(tx: Tx, due: BilledRow, starts: Date, now: Date) {
  const pending = await findPendingPrice(tx, due.id)
  const cost = (due.monthly_cost_points ?? 0) * due.replicas
  const pending_cost = Math.max(0, (pending?.cost ?? 0) - cost)
  if (!(await chargeCycle(tx, due, { ...due, pending_cost }, starts, now))) return false
  if (pending && pending_cost > 0) await addSurcharge(tx, pending.id, pending_cost)
  return true
}

async function suspendUnpaid(tx: Tx, { id, payment_method }: BilledRow, now: Date) {
  const is_bitcoin = payment_method === 'bitcoin'
  const billing_status = is_bitcoin ? 'awaiting_payment' : 'suspended'
  const row = await suspend(tx, { id, suspended_by: 'billing', billing_status, now })
  if (!row) return
  const message = is_bitcoin
    ? 'The paid time is over: the next payment is awaited.'
    : 'There were not enough points for the next cycle.'
  await logPlatformAction(tx, row, 'suspend', { message, billing_status }, now)
}

/** Records a paid cycle; if that ends a suspension, logs it and notifies the workers. */
async function recordPaidCycle(tx: Tx, before: DeploymentRow, paid_until: Date, now: Date, message: string) {
  const row = await markPaid(tx, before.id, paid_until, now)
  if (before.suspended_by !== 'billing') return row
  await logPlatformAction(tx, row, 'reactivate', { message, paid_until }, now)
  return row
}

/**
 * Records in the admin's transaction that a cycle on a bitcoin tier was paid: the awaited cycle, or the next one if the
 * current one ends soon. Fails with `not_found` or `not_allowed_now`.
 */
export async function recordPayment(tx: Tx, id: string, now: Date) {
  await keepPayer(tx, id)
  const deployment = await lockWithPrices(tx, id)
  if (!deployment || deployment.status === 'destroyed') throw new Failure('not_found', { deployment_id: id })
  const { billing_status, payment_method, paid_until, desired } = deployment
  // After a change from a points tier to a bitcoin tier, only a recorded payment can end a suspension.
  const is_awaited =
    billing_status === 'awaiting_payment' || (billing_status === 'suspended' && payment_method === 'bitcoin')
  const is_early =
    billing_status === 'active' &&
    payment_method === 'bitcoin' &&
    paid_until !== null &&
    isPayableEarly(paid_until, now)
  if (desired === 'destroyed' || (!is_awaited && !is_early))
    throw new Failure('not_allowed_now', { billing_status, paid_until })
  const starts = is_awaited ? now : paid_until!
  await chargeCycle(tx, deployment, { ...deployment, payment_method: 'bitcoin' }, starts, now)
  return recordPaidCycle(tx, deployment, cycleAfter(starts), now, 'The payment was recorded.')
}
