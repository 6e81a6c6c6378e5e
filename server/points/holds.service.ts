import type { AppCaller, ClientCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import type { HoldStatus, ReleaseReason } from '../../contract/states.ts'
import { LRUCache } from 'lru-cache'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { forEachItem } from '../platform/each.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { firstId, newId } from '../platform/ids.ts'
import { inBatches } from '../platform/in-batches.ts'
import { cursorId, cursorNumber, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { readSpan } from '../platform/time-span.ts'
import {
  findHolds,
  listHolds,
  listExpiredHolds,
  listHoldsOfApp,
  listHoldsOfUser,
  listOpenHoldsOfApp,
  listOpenHoldsOfUser,
  type HoldRow,
  type ListedHold,
  type OpenHold,
} from './holds.store.ts'
import type { Ledger } from './ledger.service.ts'
import type { LedgerOrder, Metadata } from './rules.ts'
import type { Balances } from './balances.service.ts'
import { namesOf, requestHash, requireApplied } from './service.ts'
import { applyOrders, isKeyUsed } from './store.ts'

const { expires_in_default, expires_in_max, rounds_max } = decisions['D-97'].value

export interface HoldsDeps {
  db: Database
  clock: Clock
  ledger: Ledger
  balances: Balances
  holds: Holds
}

export interface Holds {
  /** Reads holds by id, in batches. */
  read: Batcher<string, HoldRow | undefined>
  /** Holds as this process made them: who settles one needs only what never changes of it. */
  made: LRUCache<string, HoldRow>
}

const made_max = 10_000

export const openHolds = (db: Database): Holds => ({
  made: new LRUCache({ max: made_max }),
  read: createBatcher({
    name: 'holds',
    run: async (ids) => {
      const found = new Map((await findHolds(db, ids)).map((row) => [row.id, row]))
      return ids.map((id) => found.get(id.toLowerCase()))
    },
    batch_max: 512,
    queue_max: 8_192,
  }),
})

/** The hold as it counts at this moment: an expired one is released, also before the job that frees it came by. */
export const asOf = <Row extends HoldRow>(row: Row, now: Date): Row =>
  row.status === 'open' && row.expires_at <= now
    ? { ...row, status: 'released', release_reason: 'expired', settled_at: row.expires_at }
    : row

interface NewHold {
  amount: number
  reference?: string
  metadata?: Metadata
  /** Seconds. */
  expires_in?: number
}

export interface MadeHold {
  hold: HoldRow
  /** What is available to the person afterwards, and what is held in all. */
  points: number
  held: number
  replayed: boolean
}

/**
 * Sets points of the user aside for the app (D-97). Fails with `insufficient_points`, `spending_limit_reached` or
 * `idempotency_key_reused`.
 */
export async function createHold(
  deps: HoldsDeps,
  { user_id, app_id }: AppCaller,
  { amount, reference, metadata, expires_in = expires_in_default }: NewHold,
  idempotency_key?: string,
): Promise<MadeHold> {
  const id = newId()
  const expires_at = secondsAfter(deps.clock(), expires_in)
  const request = [amount, expires_in, ...namesOf({ reference, metadata })]
  const result = await deps.ledger({
    id,
    kind: 'hold',
    from_account: user_id,
    to_account: app_id,
    amount,
    app_id,
    reference,
    metadata,
    expires_at,
    idempotency_key,
    request_hash: requestHash(idempotency_key, request),
  })
  const { transfer_id: hold_id, from_after: points, from_held, outcome, at } = requireApplied(result)
  const made = holdAsMade({ id, user_id, app_id, amount, reference, metadata, inserted_at: at, expires_at })
  if (outcome === 'applied') {
    deps.holds.made.set(id, made)
    return { hold: made, points, held: from_held ?? 0, replayed: false }
  }
  const [hold, { held }] = await Promise.all([getHold(deps, { app_id }, hold_id), deps.balances(user_id)])
  return { hold, points, held, replayed: true }
}

type HoldFacts = Pick<HoldRow, 'id' | 'user_id' | 'app_id' | 'amount' | 'inserted_at' | 'expires_at'> &
  Pick<NewHold, 'reference' | 'metadata'>

// Fields one by one: copying objects cost a tenth of a hold and its capture.
const holdAsMade = (facts: HoldFacts): HoldRow => ({
  id: facts.id,
  user_id: facts.user_id,
  app_id: facts.app_id,
  amount: facts.amount,
  status: 'open',
  captured_amount: null,
  release_reason: null,
  transfer_id: null,
  reference: facts.reference ?? null,
  metadata: facts.metadata ?? null,
  inserted_at: facts.inserted_at,
  expires_at: facts.expires_at,
  settled_at: null,
})

/** The same hold, captured in this amount; voided without one. */
const holdAsSettled = (
  hold: HoldRow,
  settled_at: Date,
  captured?: { amount: number; transfer_id: string },
): HoldRow => ({
  id: hold.id,
  user_id: hold.user_id,
  app_id: hold.app_id,
  amount: hold.amount,
  status: captured ? 'captured' : 'released',
  captured_amount: captured?.amount ?? null,
  release_reason: captured ? null : 'voided',
  transfer_id: captured?.transfer_id ?? null,
  reference: hold.reference,
  metadata: hold.metadata,
  inserted_at: hold.inserted_at,
  expires_at: hold.expires_at,
  settled_at,
})

/** A hold of the app. Fails with `not_found`, also for another app's. */
export async function getHold(
  { holds, clock }: Pick<HoldsDeps, 'holds' | 'clock'>,
  { app_id }: { app_id: string },
  hold_id: string,
): Promise<HoldRow> {
  const found = await holds.read(hold_id)
  if (found?.app_id !== app_id) throw new Failure('not_found', { hold_id })
  return asOf(found, clock())
}

/** An open hold of the app as it was made, or as it is. Fails with `not_found`, also for another app's. */
async function holdToSettle(deps: HoldsDeps, client: Pick<ClientCaller, 'app_id'>, hold_id: string) {
  const made = deps.holds.made.get(hold_id.toLowerCase())
  return made?.app_id === client.app_id ? made : getHold(deps, client, hold_id)
}

export interface SettledHold {
  hold: HoldRow
  replayed: boolean
}

/**
 * Moves held points to the app, all or a part, and frees the rest (D-97). Fails with `not_found`, `client_not_approved`,
 * `validation_failed` for more than is held, `hold_settled` with the hold, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function captureHold(
  deps: HoldsDeps,
  client: ClientCaller,
  hold_id: string,
  { amount, description }: { amount?: number; description?: string },
  idempotency_key?: string,
): Promise<SettledHold> {
  await refuseUnapproved(deps.db, client, idempotency_key)
  const hold = await holdToSettle(deps, client, hold_id)
  if (amount !== undefined && amount > hold.amount)
    throw invalidField('amount', `must be at most the ${hold.amount} that are held`)
  const request = [hold.id, amount ?? null, description ?? null]
  return settle(deps, hold, {
    id: newId(),
    kind: 'capture',
    amount: amount ?? hold.amount,
    description,
    idempotency_key,
    request_hash: requestHash(idempotency_key, request),
  })
}

/** A capture that was made before the app lost its approval is replayed all the same (D-09). */
async function refuseUnapproved(db: Database, client: ClientCaller, key: string | undefined) {
  const { app_id, client_id, is_approved } = client
  // The keys of captures belong to the account that receives.
  const is_used = async (used: string) => isKeyUsed(db, { user_id: app_id, app_id, operation: 'capture', key: used })
  if (is_approved || (key !== undefined && (await is_used(key)))) return
  throw new Failure('client_not_approved', { client_id })
}

/** Frees held points (D-97). Fails with `not_found`, `hold_settled` with the hold, or `idempotency_key_reused`. */
export async function voidHold(
  deps: HoldsDeps,
  client: Pick<ClientCaller, 'app_id'>,
  hold_id: string,
  idempotency_key?: string,
): Promise<SettledHold> {
  const hold = await holdToSettle(deps, client, hold_id)
  return settle(deps, hold, {
    id: hold.id,
    kind: 'voided',
    amount: hold.amount,
    idempotency_key,
    request_hash: requestHash(idempotency_key, [hold.id]),
  })
}

interface Settlement {
  id: string
  kind: 'capture' | 'voided'
  amount: number
  description?: string | undefined
  idempotency_key: string | undefined
  request_hash: Buffer | undefined
}

async function settle(deps: HoldsDeps, hold: HoldRow, order: Settlement): Promise<SettledHold> {
  const { user_id, app_id, id: hold_id } = hold
  const is_capture = order.kind === 'capture'
  const result = await deps.ledger({
    id: order.id,
    kind: order.kind,
    from_account: user_id,
    to_account: app_id,
    amount: order.amount,
    app_id,
    hold_id,
    description: order.description,
    reference: is_capture ? (hold.reference ?? undefined) : undefined,
    metadata: is_capture ? (hold.metadata ?? undefined) : undefined,
    idempotency_key: order.idempotency_key,
    request_hash: order.request_hash,
  })
  if (result.outcome === 'hold_settled')
    throw new Failure('hold_settled', { hold_id }, { body: { hold: await getHold(deps, hold, hold_id) } })
  const { outcome, at, transfer_id } = requireApplied(result)
  if (outcome === 'replayed') return { hold: await getHold(deps, hold, hold_id), replayed: true }
  const captured = is_capture ? { amount: order.amount, transfer_id } : undefined
  return { hold: holdAsSettled(hold, at, captured), replayed: false }
}

export interface HoldQuery extends PageQuery {
  status?: HoldStatus
  user_id?: string
  reference?: string
  from?: string
  to?: string
}

function filterOf(now: Date, query: HoldQuery) {
  const span = readSpan(query)
  return {
    status: query.status ?? null,
    reference: query.reference ?? null,
    ...span,
    oldest: oldestOf(now, query.status, span.since),
    now,
    rows_max: pageSize(query) + 1,
  }
}

/** An open hold is not older than the longest that one may last, so that the few among millions are found soon. */
function oldestOf(now: Date, status: HoldStatus | undefined, since: Date | null) {
  if (status !== 'open') return since
  const oldest = secondsAfter(now, -expires_in_max)
  return since && since > oldest ? since : oldest
}

const toHoldPage = <Row extends ListedHold>(rows: Row[], now: Date, query: HoldQuery, key: 'seq' | 'id' = 'seq') =>
  toPage(
    rows.map((row) => asOf(row, now)),
    pageSize(query),
    (row) => row[key],
  )

/** A page of an app's holds, newest first. */
export async function listHoldsForApp(
  { db, clock }: Pick<HoldsDeps, 'db' | 'clock'>,
  app_id: string,
  query: HoldQuery,
) {
  const now = clock()
  const filter = { ...filterOf(now, query), app_id, user_id: query.user_id ?? null, before_seq: cursorNumber(query) }
  return toHoldPage(await listHoldsOfApp(db.adHoc, filter), now, query)
}

export interface AdminHoldQuery extends HoldQuery {
  app_id?: string
}

/** A page of the holds of all apps, or of one, newest first, for an admin. */
export async function listHoldsForAdmin(
  { db, clock }: Pick<HoldsDeps, 'db' | 'clock'>,
  { app_id, ...query }: AdminHoldQuery,
) {
  if (app_id !== undefined) return listHoldsForApp({ db, clock }, app_id, query)
  if (query.user_id !== undefined) return listHoldsForUser({ db, clock }, query.user_id, query)
  const now = clock()
  const { oldest, ...filter } = filterOf(now, query)
  const ids = { before_id: cursorId(query), ...idsBetween(oldest ?? new Date(0), filter.until) }
  return toHoldPage(await listHolds(db.adHoc, { ...filter, ...ids }), now, query, 'id')
}

/** Clocks of processes differ: ids of holds are looked for this long before and after their time. */
const slack_seconds = 3_600

const idsBetween = (since: Date, until: Date | null) => ({
  since_id: firstId(secondsAfter(since, -slack_seconds)),
  until_id: until && firstId(secondsAfter(until, slack_seconds)),
})

/** A page of a person's holds, newest first. */
export async function listHoldsForUser(
  { db, clock }: Pick<HoldsDeps, 'db' | 'clock'>,
  user_id: string,
  query: HoldQuery,
) {
  const now = clock()
  const filter = { ...filterOf(now, query), app_id: null, user_id, before_seq: cursorNumber(query) }
  return toHoldPage(await listHoldsOfUser(db, filter), now, query)
}

const releaseOrder = ({ id, user_id, amount }: OpenHold, kind: ReleaseReason): LedgerOrder => ({
  id,
  kind,
  from_account: user_id,
  to_account: user_id,
  amount,
  hold_id: id,
})

/**
 * Frees the holds that `list` finds, in bounded rounds: answers whether some may be left. A hold that cannot be freed now stops no
 * other: its error is thrown at the end, so that the job is repeated.
 */
async function releaseInRounds(ledger: Ledger, kind: ReleaseReason, list: () => Promise<OpenHold[]>) {
  let first_error: unknown
  let found_last = 0
  await inBatches(rounds_max, async () => {
    const open = await list()
    let freed = 0
    const release = async (hold: OpenHold) => {
      if ((await ledger(releaseOrder(hold, kind))).outcome === 'applied') freed++
    }
    const [error] = await forEachItem(open, release, { at_once: rounds_max })
    first_error ??= error
    // The next round would find the same again.
    found_last = freed === 0 ? 0 : open.length
    return found_last
  })
  if (first_error !== undefined) throw first_error as Error
  return found_last === rounds_max
}

/** Frees the holds that have expired. What is left is found by the next run. */
async function releaseExpiredHolds({ db, clock, ledger }: HoldsDeps) {
  await releaseInRounds(ledger, 'expired', () => listExpiredHolds(db, clock(), rounds_max))
}

const release_job = 'points.release_holds_of_app'

/** A call that was let in before the end of the approval may still make a hold: it is looked for again. */
const late_seconds = 10

/**
 * Frees the holds of an app that lost its approval, after the commit of the caller's transaction (D-97): by a job, because an app
 * may hold points of many people.
 */
export async function enqueueRelease(tx: Tx, app_id: string, now: Date) {
  for (const after_seconds of [0, late_seconds])
    await enqueue(tx, release_job, { app_id, until: secondsAfter(now, after_seconds).toISOString() }, { after_seconds })
}

/** Frees the holds of an app that were made until a moment. What is left is freed by the same job once more. */
async function releaseHoldsOfApp(
  { db, ledger }: Pick<HoldsDeps, 'db' | 'ledger'>,
  { app_id, until }: { app_id: string; until: Date },
) {
  const list = () => listOpenHoldsOfApp(db, { app_id, until, rows_max: rounds_max })
  if (await releaseInRounds(ledger, 'approval_withdrawn', list))
    await enqueue(db, release_job, { app_id, until: until.toISOString() })
}

/**
 * Frees the holds of a person for all apps but those that are still connected, in the transaction that ends a connection (D-97).
 */
export async function releaseHoldsOfEndedConnections(
  tx: Tx,
  { user_id, connected_app_ids, now }: { user_id: string; connected_app_ids: string[]; now: Date },
) {
  const open = await listOpenHoldsOfUser(tx, user_id, connected_app_ids)
  if (open.length > 0)
    await applyOrders(
      tx,
      now,
      open.map((hold) => releaseOrder(hold, 'disconnected')),
    )
}

/** The jobs of this file. */
export const holdJobs = (deps: HoldsDeps) => [
  { name: 'points.release_expired_holds', cron: '* * * * *', run: () => releaseExpiredHolds(deps) },
  {
    name: release_job,
    run: ({ app_id, until }: Record<string, unknown>) =>
      releaseHoldsOfApp(deps, { app_id: String(app_id), until: new Date(String(until)) }),
  },
]
