import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import type { PointRequestStatus } from '../../contract/states.ts'
import { getUser } from '../accounts/service.ts'
import { notify, withdrawNotices } from '../notices/service.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { applyIn } from './issuing.service.ts'
import { claimKey, fillKey, isKeyUsed } from './ledger.store.ts'
import { closeRequest, closeRequestsBetween, insertRequest, listRequests, type PointRequest } from './requests.store.ts'
import { system_accounts } from './rules.ts'
import { requestHash, requireApplied, type BetweenPeople, type Movement, type PointsDeps } from './service.ts'
import { lockAccounts, sumSent } from './store.ts'

const { requests_open_max, request_days } = decisions.sending
const day_seconds = 86_400

export interface SendingDeps extends Pick<PointsDeps, 'db' | 'clock'> {
  people: BetweenPeople
  settings: { send_proof_above: number; send_daily_limit: number }
  /** Fails with `proof_required` unless the session has a recent proof or sign-in (D-129). */
  requireProof(caller: UserCaller): Promise<void>
}

interface Sending {
  to_user_id: string
  amount: number
  description?: string
}

/**
 * Sends points to another person (D-137). A repetition with the same key is replayed, even if a new transfer would be
 * refused. Fails with `email_not_verified`, `muted`, `user_not_found`, `proof_required`, `send_limit_reached`, as the
 * ledger does, and with `validation_failed` for a transfer to oneself.
 */
export async function send(deps: SendingDeps, caller: UserCaller, sending: Sending, key?: string): Promise<Movement> {
  const { user_id } = caller
  const { to_user_id, amount, description } = sending
  if (to_user_id === user_id) throw invalidField('to_user_id', 'another_user')
  const use = key === undefined ? undefined : { user_id, operation: 'direct' as const, key }
  const is_repeated = use && (await isKeyUsed(deps.db, { ...use, app_id: system_accounts.issuance }))
  if (!is_repeated) await proveAmount(deps, caller, amount)
  const shown = description === undefined ? undefined : deps.people.shown(description)
  const order = { id: newId(), to_user_id, amount, description: shown }
  return deps.db.transaction(async (tx) => {
    if (!is_repeated) await requireParticipant(tx, deps, { user_id, other_id: to_user_id, is_for_friends: false })
    if (!use) return { ...(await book(deps, tx, user_id, order)), replayed: false }
    const request_hash = requestHash(key, [amount, to_user_id, description])!
    const stored = await claimKey(tx, { ...use, request_hash, transfer_id: order.id, now: deps.clock() })
    if (!stored.request_hash.equals(request_hash)) throw new Failure('idempotency_key_reused')
    const { transfer_id, points } = stored
    if (transfer_id !== order.id) return { transfer_id, points, replayed: true }
    const booked = await book(deps, tx, user_id, order)
    await fillKey(tx, { ...use, points: booked.points })
    return { ...booked, replayed: false }
  })
}

/** Fails with `proof_required` for an amount that needs a proof. */
async function proveAmount({ settings, requireProof }: SendingDeps, caller: UserCaller, amount: number) {
  if (amount > settings.send_proof_above) await requireProof(caller)
}

async function requireParticipant(
  tx: Tx,
  { people }: Pick<SendingDeps, 'people'>,
  pair: { user_id: string; other_id: string; is_for_friends: boolean },
) {
  if (!(await getUser(tx, pair.user_id)).email_verified)
    throw new Failure('email_not_verified', { user_id: pair.user_id })
  const refusal = await people.directRefusalOf(tx, pair)
  if (refusal) throw refusal
}

interface DirectOrder {
  id: string
  to_user_id: string
  amount: number
  description: string | undefined
}

/** Books a transfer within the daily limit, which the lock of the sender's account protects against parallel calls. */
async function book(
  { clock, settings }: Pick<SendingDeps, 'clock' | 'settings'>,
  tx: Tx,
  user_id: string,
  { id, to_user_id, amount, description }: DirectOrder,
) {
  await lockAccounts(tx, [user_id, to_user_id])
  const now = clock()
  const sent = await sumSent(tx, { user_id, since: secondsAfter(now, -day_seconds) })
  if (sent + amount > settings.send_daily_limit) throw new Failure('send_limit_reached', { user_id, sent })
  const order = { id, kind: 'direct' as const, from_account: user_id, to_account: to_user_id, amount, description }
  const [result] = await applyIn(tx, now, [order])
  const { from_after: points, transfer_id } = requireApplied(result!)
  return { points, transfer_id }
}

const aboutRequest = (id: string) => `points_request:${id}`

/** One request as this person sees it. Fails with `not_found`. */
async function getRequest({ db, clock }: Pick<SendingDeps, 'db' | 'clock'>, user_id: string, id: string) {
  const [request] = await listRequests(db, { user_id, id, now: clock(), rows_max: 1 })
  if (!request) throw new Failure('not_found', { id })
  return request
}

/**
 * Asks a friend for points (D-137), and notifies the friend. Fails with `email_not_verified`, `muted`, `user_not_found`, `not_friends`,
 * `too_many_open_requests`, and with `validation_failed` for a request to oneself.
 */
export async function requestPoints(
  deps: SendingDeps,
  user_id: string,
  { from_user_id, amount, description }: { from_user_id: string; amount: number; description?: string },
) {
  const { db, clock, people } = deps
  if (from_user_id === user_id) throw invalidField('from_user_id', 'another_user')
  const [id, now] = [newId(), clock()]
  const shown = description === undefined ? null : people.shown(description)
  const expires_at = secondsAfter(now, request_days * day_seconds)
  const request = { id, from_user_id, to_user_id: user_id, amount, description: shown, now, expires_at }
  await db.transaction(async (tx) => {
    await requireParticipant(tx, deps, { user_id, other_id: from_user_id, is_for_friends: true })
    await lockAccounts(tx, [user_id])
    if (!(await insertRequest(tx, request, requests_open_max))) throw new Failure('too_many_open_requests', { user_id })
    const asked = { user_id: from_user_id, about: aboutRequest(id), subject_id: user_id, amount }
    await notify(tx, [{ ...asked, event: 'points_requested' }], { now })
  })
  return getRequest(deps, user_id, id)
}

interface RequestsQuery extends PageQuery {
  direction?: 'in' | 'out'
  status?: PointRequestStatus
}

/** A page of the requests to and by a person, newest first. */
export async function pageOfRequests(
  { db, clock }: Pick<SendingDeps, 'db' | 'clock'>,
  user_id: string,
  { direction, status, ...page }: RequestsQuery,
) {
  const size = pageSize(page)
  const filter = {
    user_id,
    direction: direction ?? null,
    status: status ?? null,
    before_id: cursorId(page),
    now: clock(),
    rows_max: size + 1,
  }
  return toPage(await listRequests(db, filter), size, ({ id }) => id)
}

/**
 * Pays a request (D-137): of parallel calls, one pays, declines or cancels. Fails with `not_found` unless the request
 * is to the person, with `request_closed`, or as `send` does.
 */
export async function payRequest(deps: SendingDeps, caller: UserCaller, id: string) {
  const { user_id } = caller
  const {
    other_user_id: to_user_id,
    amount,
    description,
  } = await getOpenRequest(deps, user_id, { id, direction: 'in' })
  await proveAmount(deps, caller, amount)
  const order = { id: newId(), to_user_id, amount, description: description ?? undefined }
  await deps.db.transaction(async (tx) => {
    await requireParticipant(tx, deps, { user_id, other_id: to_user_id, is_for_friends: false })
    await close(tx, { id, status: 'paid', transfer_id: order.id, now: deps.clock() })
    await book(deps, tx, user_id, order)
  })
  return getRequest(deps, user_id, id)
}

/**
 * Declines a request and notifies the other person (D-137). Fails with `not_found` unless the request is to the person,
 * or with `request_closed`.
 */
export async function declineRequest(deps: SendingDeps, user_id: string, id: string) {
  const { other_user_id, amount } = await getOpenRequest(deps, user_id, { id, direction: 'in' })
  const now = deps.clock()
  await deps.db.transaction(async (tx) => {
    await close(tx, { id, status: 'declined', now })
    const declined = { user_id: other_user_id, about: aboutRequest(id), subject_id: user_id, amount }
    await notify(tx, [{ ...declined, event: 'points_request_declined' }], { now })
  })
  return getRequest(deps, user_id, id)
}

/** Withdraws a request (D-137). Fails with `not_found` unless the person made it, or with `request_closed`. */
export async function cancelRequest(deps: SendingDeps, user_id: string, id: string) {
  await getOpenRequest(deps, user_id, { id, direction: 'out' })
  await deps.db.transaction((tx) => close(tx, { id, status: 'cancelled', now: deps.clock() }))
  return getRequest(deps, user_id, id)
}

async function getOpenRequest(
  deps: SendingDeps,
  user_id: string,
  { id, direction }: Pick<PointRequest, 'id' | 'direction'>,
) {
  const request = await getRequest(deps, user_id, id)
  if (request.direction !== direction) throw new Failure('not_found', { id, why: 'the other side' })
  if (request.status !== 'open') throw new Failure('request_closed', { id, status: request.status })
  return request
}

/** Closes an open request and withdraws its notice. */
async function close(tx: Tx, closing: Parameters<typeof closeRequest>[1]) {
  const { id, now } = closing
  const closed = await closeRequest(tx, closing)
  if (!closed) throw new Failure('request_closed', { id, why: 'closed meanwhile' })
  await withdrawNotices(tx, { user_ids: [closed.from_user_id], about: aboutRequest(id), now })
}

/** Ends the open requests between two people when one blocks the other (D-71), without a notice. */
export async function endRequestsBetween(tx: Tx, pair: Parameters<typeof closeRequestsBetween>[1]) {
  for (const { id, from_user_id } of await closeRequestsBetween(tx, pair))
    await withdrawNotices(tx, { user_ids: [from_user_id], about: aboutRequest(id), now: pair.now })
}
