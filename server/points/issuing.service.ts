import type { TransferKind } from '../../contract/kinds/transfers.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { sha256 } from '../platform/secrets.ts'
import { countTransfer } from './metrics.ts'
import { system_accounts, type LedgerOrder } from './rules.ts'
import { requireApplied, type PointsDeps } from './service.ts'
import { applyOrders, claimKey, fillKey } from './ledger.store.ts'
import { insertAccount, lockAccounts, sumAwards, sumPlayPoints } from './store.ts'

/** Applies orders inside the caller's transaction; they count as applied once it has committed. */
export async function applyIn(tx: Tx, now: Date, orders: LedgerOrder[]) {
  const results = await applyOrders(tx, now, orders)
  for (const [at, { kind }] of orders.entries()) {
    const outcome = results[at]?.outcome ?? 'error'
    if (outcome === 'applied') tx.afterCommit(() => countTransfer(kind, outcome))
    else countTransfer(kind, outcome)
  }
  return results
}

export interface Award {
  user_id: string
  amount: number
  description?: string | undefined
  app_id?: string | undefined
}

/** The Idempotency-Key of an award, and the admin or user who sent it. */
export interface AwardKey {
  user_id: string
  key: string
}

/**
 * Claims the key of an award for this transfer, inside the caller's transaction (D-09); returns the response of an
 * earlier call with the key. Fails with `idempotency_key_reused`.
 */
export async function claimAward(
  tx: Tx,
  now: Date,
  { user_id, amount, description, app_id }: Award,
  key: AwardKey & { transfer_id: string },
) {
  const request_hash = sha256(JSON.stringify([user_id, amount, description, app_id]))
  const { transfer_id, points, ...stored } = await claimKey(tx, { ...key, operation: 'award', request_hash, now })
  if (!stored.request_hash.equals(request_hash)) throw new Failure('idempotency_key_reused')
  return transfer_id === key.transfer_id ? undefined : { transfer_id, points }
}

/** Stores the response of an award with its key. */
export const fillAward = (tx: Tx, key: AwardKey, { points }: { points: number }) =>
  fillKey(tx, { ...key, operation: 'award', points })

/**
 * Issues points to a user, attributed to an app if one is given (D-47), inside the caller's transaction. The caller has
 * checked permissions, the key, and that user and app exist. Fails with `points_limit_reached` or `user_not_found`.
 */
export async function award(tx: Tx, now: Date, { user_id, amount, description, app_id }: Award, transfer_id: string) {
  const from_account = system_accounts.issuance
  const [result] = await applyIn(tx, now, [
    { id: transfer_id, kind: 'award', from_account, to_account: user_id, amount, app_id, description },
  ])
  const { to_after: points } = requireApplied(result!)
  return { transfer_id, points }
}

export const openUserAccount = (tx: Tx, user_id: string) => insertAccount(tx, user_id, 'user')

export const openAppAccount = (tx: Tx, app_id: string) => insertAccount(tx, app_id, 'app')

export interface Bill {
  /** The account of a person, or of an app that pays for itself. */
  account_id: string
  /** 0 makes no transfer. */
  cost: number
  /** The points credited to the account after the cost is paid. */
  stipend: number
  app_id: string
  description: string
}

/**
 * Charges an account for a service of the platform and pays the stipend for it, inside the caller's transaction, which
 * ensures that this happens once (D-62). Returns the ids of the transfers, null for none: an account at its limit gets
 * no stipend. Returns undefined, and transfers nothing, if the balance is too low.
 */
export async function payBill(tx: Tx, now: Date, { account_id, cost, stipend, app_id, description }: Bill) {
  const { billing } = system_accounts
  const move = async (kind: TransferKind, from_account: string, to_account: string, amount: number) => {
    if (amount === 0) return null
    const order = { id: newId(), kind, from_account, to_account, amount, app_id, description }
    const [result] = await applyIn(tx, now, [order])
    return result?.outcome === 'applied' ? result.transfer_id : undefined
  }
  const cost_transfer_id = await move('charge', account_id, billing, cost)
  if (cost_transfer_id === undefined) return undefined
  const stipend_transfer_id = (await move('stipend', billing, account_id, stipend)) ?? null
  return { cost_transfer_id, stipend_transfer_id }
}

/**
 * Issues play points to a user of a sandbox on request (D-102), up to a limit in 24 hours that parallel calls cannot
 * exceed. Fails with `play_points_limit_reached` or `points_limit_reached`.
 */
export const issuePlayPoints = ({ db, clock }: Pick<PointsDeps, 'db' | 'clock'>, user_id: string, amount: number) =>
  db.transaction(async (tx) => {
    const now = clock()
    await lockAccounts(tx, [user_id])
    const taken = await sumPlayPoints(tx, { user_id, since: secondsAfter(now, -day_seconds) })
    if (taken + amount > decisions.sandbox.play_points_per_day)
      throw new Failure('play_points_limit_reached', { user_id, taken })
    const from_account = system_accounts.issuance
    const [result] = await applyIn(tx, now, [{ id: newId(), kind: 'play', from_account, to_account: user_id, amount }])
    const { to_after: points, transfer_id } = requireApplied(result!)
    return { points, transfer_id }
  })

const day_seconds = 86_400

/** Points that an app has awarded a user since this time (D-38). */
export const pointsAwarded = (db: Sql, query: { app_id: string; user_id: string; since: Date }) => sumAwards(db, query)
