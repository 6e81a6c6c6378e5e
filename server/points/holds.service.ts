import type { AppByMember, AppCaller, ClientCaller } from '../../contract/caller.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import { decisions } from '../../contract/decisions.ts'
import { LRUCache } from 'lru-cache'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Database } from '../platform/postgres/database.ts'
import { findHolds, type HoldRow } from './holds.store.ts'
import type { Ledger } from './ledger.service.ts'
import { releaseOrder, type Metadata } from './rules.ts'
import type { Balances } from './balances.service.ts'
import { namesOf, requestHash, requireApplied } from './service.ts'
import { applyOrders, isKeyUsed } from './ledger.store.ts'

const { expires_in_default } = decisions.holds

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
  /** Holds that this process made, cached: settling a hold needs only its immutable fields. */
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

/**
 * Frees the expired ones of these holds without waiting for the job, so that the points of a hold shown as released are available. A hold
 * that cannot be freed now is shown as open.
 */
export async function freeExpired<Row extends HoldRow>({ db, clock }: Pick<HoldsDeps, 'db' | 'clock'>, rows: Row[]) {
  const now = clock()
  const expired = rows.filter(({ status, expires_at }) => status === 'open' && expires_at <= now)
  if (expired.length === 0) return rows
  const orders = expired.map((hold) => releaseOrder(hold, 'expired'))
  await applyOrders(db, now, orders).catch(() => {})
  const after = await findHolds(
    db,
    expired.map(({ id }) => id),
  )
  const by_id = new Map(after.map((hold) => [hold.id, hold]))
  return rows.map((row) => ({ ...row, ...by_id.get(row.id) }))
}

interface NewHold {
  amount: number
  reference?: string
  metadata?: Metadata
  /** Seconds. */
  expires_in?: number
}

export interface MadeHold {
  hold: HoldRow
  /** The person's available and held points afterwards. */
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

// Fields are listed: spreading the objects took a tenth of the time of a hold and its capture.
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

/** The same hold, captured with this amount, or voided without one. */
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
  deps: Pick<HoldsDeps, 'db' | 'holds' | 'clock'>,
  { app_id }: { app_id: string },
  hold_id: string,
): Promise<HoldRow> {
  const found = await deps.holds.read(hold_id)
  if (found?.app_id !== app_id) throw new Failure('not_found', { hold_id })
  const [hold = found] = await freeExpired(deps, [found])
  return hold
}

/** An open hold of the app, cached or read. Fails with `not_found`, also for another app's. */
async function holdToSettle(deps: HoldsDeps, client: Pick<ClientCaller, 'app_id'>, hold_id: string) {
  const made = deps.holds.made.get(hold_id.toLowerCase())
  return made?.app_id === client.app_id ? made : getHold(deps, client, hold_id)
}

export interface SettledHold {
  hold: HoldRow
  replayed: boolean
}

/**
 * Moves some or all held points to the app and frees the rest (D-97). Fails with `not_found`, `client_not_approved`,
 * `validation_failed` for more than is held, `hold_settled` with the hold, `points_limit_reached` or
 * `idempotency_key_reused`.
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
  if (amount !== undefined && amount > hold.amount) throw invalidField('amount', ['held_max', { amount: hold.amount }])
  const request = [hold.id, amount ?? null, description ?? null]
  return settle(deps, hold, {
    id: newId(),
    kind: 'capture',
    amount: amount ?? hold.amount,
    description,
    secret_id: client.secret_id,
    approved_app_id: client.is_approved ? client.app_id : undefined,
    idempotency_key,
    request_hash: requestHash(idempotency_key, request),
  })
}

/** A capture made before the app lost its approval can still be replayed. */
async function refuseUnapproved(db: Database, client: ClientCaller, key: string | undefined) {
  const { app_id, client_id, is_approved } = client
  // The receiving account owns the keys of captures.
  const is_used = async (used: string) => isKeyUsed(db, { user_id: app_id, app_id, operation: 'capture', key: used })
  if (is_approved || (key !== undefined && (await is_used(key)))) return
  throw new Failure('client_not_approved', { client_id })
}

/** Frees held points (D-97). Fails with `not_found`, `hold_settled` with the hold, or `idempotency_key_reused`. */
export async function voidHold(
  deps: HoldsDeps,
  { app_id, secret_id, member_id, member_role }: AppByMember,
  hold_id: string,
  idempotency_key?: string,
): Promise<SettledHold> {
  const hold = await holdToSettle(deps, { app_id }, hold_id)
  return settle(deps, hold, {
    id: hold.id,
    kind: 'voided',
    amount: hold.amount,
    secret_id,
    member_id,
    member_role,
    idempotency_key,
    request_hash: requestHash(idempotency_key, [hold.id]),
  })
}

interface Settlement {
  id: string
  kind: 'capture' | 'voided'
  amount: number
  description?: string | undefined
  secret_id: string | undefined
  member_id?: string | undefined
  member_role?: MemberRole | undefined
  approved_app_id?: string | undefined
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
    secret_id: order.secret_id,
    member_id: order.member_id,
    member_role: order.member_role,
    approved_app_id: order.approved_app_id,
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
