import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { isSuspended } from '../accounts/service.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { isDatabaseUnavailable, type Database, type Sql, type Tx } from '../platform/postgres/database.ts'
import { sqlState } from '../platform/postgres/errors.ts'
import type { Reads } from '../platform/postgres/reads.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { newId } from '../platform/ids.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Ledger } from './ledger.service.ts'
import { countTransfer } from './metrics.ts'
import {
  isTimeZone,
  system_accounts,
  type LedgerOrder,
  type LedgerResult,
  type Metadata,
  type TransferKind,
} from './rules.ts'
import {
  applyOrders,
  auditLedger,
  claimAwardKey,
  fillAwardKey,
  findBalances,
  findLedgerCheck,
  findTotals,
  isKeyUsed,
  insertAccount,
  listDays,
  lockAccount,
  saveLedgerCheck,
  sumAwards,
  sumPlayPoints,
  type AccountTotals,
} from './store.ts'

export interface PointsDeps {
  db: Database
  clock: Clock
  ledger: Ledger
  balances: Balances
  reads: Reads
  totals: Totals
}

export interface Balance {
  /** What is available. */
  points: number
  /** What apps hold of it (D-97). */
  held: number
}

/** Reads balances in batches: those requested during a read are read together by the next one. */
export type Balances = Batcher<string, Balance>

export const openBalances = (db: Database): Balances =>
  createBatcher({
    name: 'balances',
    run: async (account_ids) => {
      const found = new Map<string, Balance>()
      for (const { id, points, held } of await findBalances(db, account_ids)) found.set(id, { points, held })
      return account_ids.map((account_id) => found.get(account_id) ?? { points: 0, held: 0 })
    },
    batch_max: 512,
    queue_max: 16_384,
  })

/** Reads in batches what accounts were credited and debited in all, as one text. */
export type Totals = Batcher<string, string>

/** What an account was credited and debited in all, as one text that every movement changes. */
export const textOf = (totals: AccountTotals | undefined) => (totals ? `${totals.credited} ${totals.debited}` : '')

export const openTotals = (db: Database): Totals =>
  createBatcher({
    name: 'totals',
    run: async (account_ids) => {
      const found = new Map((await findTotals(db, account_ids)).map((totals) => [totals.id, textOf(totals)]))
      return account_ids.map((account_id) => found.get(account_id) ?? '')
    },
    batch_max: 512,
    queue_max: 16_384,
  })

/** The result of an order that was applied, now or by an earlier call with its key. Throws the failure of any other. */
export function requireApplied<Result extends LedgerResult>(result: Result): Result {
  switch (result.outcome) {
    case 'applied':
    case 'replayed':
      return result
    case 'key_reused':
      throw new Failure('idempotency_key_reused')
    case 'insufficient_points':
      throw new Failure('insufficient_points')
    case 'limit_reached':
      throw new Failure('points_limit_reached')
    case 'unknown_account':
      throw new Failure('user_not_found')
    case 'spending_limit_reached':
    case 'hold_settled':
    case 'refund_exceeds_spend':
      throw new Failure(result.outcome)
  }
}

/** Applies orders inside the caller's transaction; they count as applied once it has committed. */
async function applyIn(tx: Tx, now: Date, orders: LedgerOrder[]) {
  const results = await applyOrders(tx, now, orders)
  for (const [at, { kind }] of orders.entries()) {
    const outcome = results[at]?.outcome ?? 'error'
    if (outcome === 'applied') tx.afterCommit(() => countTransfer(kind, outcome))
    else countTransfer(kind, outcome)
  }
  return results
}

export interface Movement {
  /** The caller's balance after this movement. */
  points: number
  transfer_id: string
  /** True when an earlier call with the same Idempotency-Key did the work. */
  replayed: boolean
}

const toMovement = ({ from_after, transfer_id, outcome }: LedgerResult): Movement => ({
  points: from_after,
  transfer_id,
  replayed: outcome === 'replayed',
})

interface Spend {
  amount: number
  description?: string
  reference?: string
  metadata?: Metadata
}

/**
 * Spends points of the user; the app's account earns them (D-09, D-45, D-46).
 * Fails with `insufficient_points`, `spending_limit_reached`, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function spend(
  { ledger }: PointsDeps,
  { user_id, app_id }: AppCaller,
  { amount, description, reference, metadata }: Spend,
  idempotency_key?: string,
): Promise<Movement> {
  const result = await ledger({
    id: newId(),
    kind: 'spend',
    from_account: user_id,
    to_account: app_id,
    amount,
    app_id,
    description,
    reference,
    metadata,
    idempotency_key,
    request_hash: requestHash(idempotency_key, [amount, description, ...namesOf({ reference, metadata })]),
  })
  return toMovement(requireApplied(result))
}

interface Transfer extends Spend {
  to_user_id: string
}

/**
 * Sends points from the user to another one (D-09, D-45, D-46).
 * Fails as `spend` does, with `user_not_found` (D-89), and with `validation_failed` for a transfer to oneself.
 */
export async function transfer(
  { db, ledger }: PointsDeps,
  { user_id, app_id }: AppCaller,
  { amount, to_user_id, description, reference, metadata }: Transfer,
  idempotency_key?: string,
): Promise<Movement> {
  if (to_user_id === user_id) throw invalidField('to_user_id', 'must be another user')
  await refuseSuspendedRecipient(db, to_user_id, { user_id, app_id, idempotency_key })
  const result = await ledger({
    id: newId(),
    kind: 'transfer',
    from_account: user_id,
    to_account: to_user_id,
    amount,
    app_id,
    description,
    reference,
    metadata,
    idempotency_key,
    request_hash: requestHash(idempotency_key, [amount, to_user_id, description, ...namesOf({ reference, metadata })]),
  })
  return toMovement(requireApplied(result))
}

/** Suspended users are unknown to others (D-89); a transfer that was made before is replayed all the same (D-09). */
async function refuseSuspendedRecipient(
  db: Sql,
  to_user_id: string,
  { user_id, app_id, idempotency_key: key }: UsedKey,
) {
  if (!(await isSuspended(db, to_user_id))) return
  if (key !== undefined && (await isKeyUsed(db, { user_id, app_id, operation: 'transfer', key }))) return
  throw new Failure('user_not_found', { to_user_id, why: 'suspended' })
}

interface UsedKey {
  user_id: string
  app_id: string
  idempotency_key: string | undefined
}

/** What a request says of itself; nothing where it says nothing, so that the hashes of 0.1 stay the same. */
export const namesOf = ({ reference, metadata }: { reference?: string | undefined; metadata?: Metadata | undefined }) =>
  reference === undefined && metadata === undefined ? [] : [reference, metadata]

/** The hash of a request with an idempotency key. */
export const requestHash = (key: string | undefined, request: unknown[]) =>
  key === undefined ? undefined : sha256(JSON.stringify(request))

/** What the user or app has; nothing for an account that does not exist. */
export const getBalance = ({ balances }: Pick<PointsDeps, 'balances'>, account_id: string) => balances(account_id)

interface SeriesQuery {
  days?: number
  time_zone?: string
}

/**
 * What the account earned, spent and held on each of the last days, including today (D-48). Fails with `validation_failed`
 * for an unknown time zone.
 */
export async function readSeries(
  { db, clock }: Pick<PointsDeps, 'db' | 'clock'>,
  account_id: string,
  { days = 30, time_zone = 'UTC' }: SeriesQuery,
) {
  if (!isTimeZone(time_zone)) throw unknownTimeZone()
  try {
    return { time_zone, days: await listDays(db.adHoc, { account_id, days, time_zone, now: clock() }) }
  } catch (error) {
    // A time zone that Node knows and this version of PostgreSQL does not.
    if (sqlState(error) === '22023') throw unknownTimeZone()
    throw error
  }
}

const unknownTimeZone = () => invalidField('time_zone', 'must be a time zone such as Europe/Berlin')

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
 * Issues points to a user, attributed to an app where one is given (D-47), inside the caller's transaction. Calls with one
 * key issue them once (D-09). The caller has checked that user and app exist, and permissions. Fails with
 * `points_limit_reached`, `user_not_found` or `idempotency_key_reused`.
 */
export async function award(tx: Tx, now: Date, { user_id, amount, description, app_id }: Award, key?: AwardKey) {
  const transfer_id = newId()
  if (key) {
    const request_hash = sha256(JSON.stringify([user_id, amount, description, app_id]))
    const stored = await claimAwardKey(tx, { ...key, request_hash, transfer_id, now })
    if (!stored.request_hash.equals(request_hash)) throw new Failure('idempotency_key_reused')
    if (stored.transfer_id !== transfer_id)
      return { transfer_id: stored.transfer_id, points: stored.points, replayed: true }
  }
  const from_account = system_accounts.issuance
  const [result] = await applyIn(tx, now, [
    { id: transfer_id, kind: 'award', from_account, to_account: user_id, amount, app_id, description },
  ])
  const { to_after: points } = requireApplied(result!)
  if (key) await fillAwardKey(tx, { ...key, points })
  return { transfer_id, points, replayed: false }
}

/** Opens the account of a new user, with the points for a registration (D-17). */
export async function openUserAccount(tx: Tx, { user_id, signup_points, now }: NewUserAccount) {
  await insertAccount(tx, user_id, 'user')
  if (signup_points > 0) await issue(tx, now, 'signup', user_id, signup_points)
}
interface NewUserAccount {
  user_id: string
  signup_points: number
  now: Date
}

/** Opens the account in which an app earns. */
export const openAppAccount = (tx: Tx, app_id: string) => insertAccount(tx, app_id, 'app')

/** Pays a referrer inside the transaction that verifies the referred address (D-17); nothing to an account at its limit. */
export async function payReferral(tx: Tx, now: Date, referrer_id: string, amount: number) {
  if (amount > 0) await issue(tx, now, 'referral', referrer_id, amount)
}

/**
 * Pays a reward inside the caller's transaction, which ensures that it is paid once. Answers whether it was paid: an account
 * at its limit gets nothing (D-78).
 */
export async function payReward(tx: Tx, now: Date, user_id: string, amount: number, description: string) {
  const from_account = system_accounts.rewards
  const [result] = await applyIn(tx, now, [
    { id: newId(), kind: 'reward', from_account, to_account: user_id, amount, description },
  ])
  return result?.outcome === 'applied'
}

export interface Bill {
  user_id: string
  /** What the user pays; 0 makes no transfer. */
  cost: number
  /** What the user gets once the cost is paid. */
  stipend: number
  app_id: string
  description: string
}

/**
 * Charges a user for a service of the platform and pays the stipend that belongs to it, inside the caller's transaction,
 * which ensures that this happens once (D-62). Answers the ids of the transfers, null for none: an account at its limit gets
 * no stipend. Answers undefined, and transfers nothing, when the points do not suffice.
 */
export async function payBill(tx: Tx, now: Date, { user_id, cost, stipend, app_id, description }: Bill) {
  const { billing } = system_accounts
  const move = async (kind: TransferKind, from_account: string, to_account: string, amount: number) => {
    if (amount === 0) return null
    const order = { id: newId(), kind, from_account, to_account, amount, app_id, description }
    const [result] = await applyIn(tx, now, [order])
    return result?.outcome === 'applied' ? result.transfer_id : undefined
  }
  const cost_transfer_id = await move('charge', user_id, billing, cost)
  if (cost_transfer_id === undefined) return undefined
  const stipend_transfer_id = (await move('stipend', billing, user_id, stipend)) ?? null
  return { cost_transfer_id, stipend_transfer_id }
}

/**
 * Issues play points to a user of a sandbox who asks for them (D-102), up to a number in 24 hours, also by calls at once. Fails with
 * `play_points_limit_reached` or `points_limit_reached`.
 */
export const issuePlayPoints = ({ db, clock }: Pick<PointsDeps, 'db' | 'clock'>, user_id: string, amount: number) =>
  db.transaction(async (tx) => {
    const now = clock()
    await lockAccount(tx, user_id)
    const taken = await sumPlayPoints(tx, { user_id, since: secondsAfter(now, -day_seconds) })
    if (taken + amount > decisions['D-102'].value.play_points_per_day)
      throw new Failure('play_points_limit_reached', { user_id, taken })
    const [result] = await issue(tx, now, 'play', user_id, amount)
    const { to_after: points, transfer_id } = requireApplied(result!)
    return { points, transfer_id }
  })

const day_seconds = 86_400

const issue = (tx: Tx, now: Date, kind: TransferKind, to_account: string, amount: number) =>
  applyIn(tx, now, [{ id: newId(), kind, from_account: system_accounts.issuance, to_account, amount }])

/** Points that an app has awarded a user since this time (D-38). */
export const pointsAwarded = (db: Sql, query: { app_id: string; user_id: string; since: Date }) => sumAwards(db, query)

/**
 * Checks that debits equal credits, and that every balance equals the sum of its transfers and what the last of them
 * recorded. Reads every transfer, in one snapshot.
 */
export async function verifyLedger({ db }: { db: Database }) {
  const totals = await auditLedger(db.lengthy)
  const balanced =
    totals.faults.length === 0 &&
    totals.total_debited === totals.total_credited &&
    totals.total_debited === totals.total_transferred
  return { balanced, ...totals }
}

export interface LedgerCheckDeps {
  db: Database
  clock: Clock
}

/** Checks the books (`verifyLedger`) and stores when, and whether they were right. */
export async function checkLedger({ db, clock }: LedgerCheckDeps) {
  const started_at = clock()
  const check = await verifyLedger({ db })
  // The books can be checked while nothing can be written.
  await saveLedgerCheck(db, { checked_at: started_at, balanced: check.balanced }).catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error
  })
  return check
}

/** When the books were last checked, and whether they were right; both null before the first check. */
export const lastLedgerCheck = ({ db }: { db: Database }) => findLedgerCheck(db.adHoc)
