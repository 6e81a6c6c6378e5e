import type { UserCaller } from '../../contract/caller.ts'
import { awardPoints as award_call } from '../../contract/admin.ts'
import type { adminListReviews } from '../../contract/admin-reviews.ts'
import { decisions } from '../../contract/decisions.ts'
import type { QueryOf } from '../../contract/endpoint.ts'
import { rolesAllowedAt } from '../../contract/kinds/admin-roles.ts'
import { getUser } from '../accounts/service.ts'
import { requireAdminAmongAll } from '../accounts/admin-roles.service.ts'
import { setPayoutLimit } from '../oauth/review.service.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { pageById } from '../platform/page.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { award } from '../points/issuing.service.ts'
import { decideReview, insertReview, listReviews, type Asked, type ReviewRow } from './reviews.store.ts'
import { audited, insertAuditEntry, type AdminDeps } from './service.ts'

const { days } = decisions.reviews
/** Awards and payout limits need the same roles. */
const roles_of_askers = rolesAllowedAt(award_call)

/** Makes an act wait for a second person (D-136), inside the transaction of the requesting admin; audited. */
export async function askForReview(tx: Tx, now: Date, caller: UserCaller, asked: Asked) {
  const id = newId()
  const expires_at = secondsAfter(now, days * 86_400)
  await insertReview(tx, { ...asked, id, asked_by: caller.user_id, inserted_at: now, expires_at })
  const { kind, amount, reason } = asked
  await insertAuditEntry(tx, now, caller, {
    action: 'review.ask',
    target_id: targetOf(asked),
    details: { kind, amount, reason: reason ?? undefined, review_id: id },
  })
  return (await listReviews(tx, { now, id }))[0]!
}

const targetOf = ({ kind, user_id, app_id }: Asked) => (kind === 'award' ? user_id : app_id)

/** The review of the award that makes this transfer; undefined if the award needs none. */
export const reviewOfTransfer = async (tx: Tx, now: Date, transfer_id: string) =>
  (await listReviews(tx, { now, transfer_id }))[0]

/** A page of reviews, newest first. */
export const reviewList = ({ accounts: { db, clock } }: AdminDeps, query: QueryOf<typeof adminListReviews>) =>
  pageById(query, (page) =>
    listReviews(db.adHoc, {
      now: clock(),
      status: query.status ?? null,
      ...page,
    }),
  )

/**
 * Decides a review once and, if approved, performs its act, in one transaction. Fails with `not_found`, `own_review`,
 * `already_decided`, `review_void`, `user_not_found` or `points_limit_reached`.
 */
export function decide(
  deps: AdminDeps,
  caller: UserCaller,
  id: string,
  { status, reason = null }: { status: 'approved' | 'rejected'; reason?: string | null },
) {
  return audited(
    deps,
    caller,
    (decided: ReviewRow) => ({
      action: status === 'approved' ? 'review.approve' : 'review.reject',
      target_id: targetOf(decided),
      details: { kind: decided.kind, amount: decided.amount, reason: reason ?? undefined, review_id: id },
    }),
    async (tx, now) => {
      const roles = roles_of_askers
      if (!(await decideReview(tx, { id, status, by: caller.user_id, reason, now, roles })))
        throw await whyNotDecided(tx, now, caller, id)
      const decided = (await listReviews(tx, { now, id }))[0]!
      if (status === 'approved') await perform(tx, now, decided)
      return decided
    },
    // Keeps the role of the requesting admin until the transaction ends.
    requireAdminAmongAll,
  )
}

/** Performs the reviewed act; the audit log attributes it to the requesting admin. */
async function perform(tx: Tx, now: Date, review: ReviewRow) {
  const { kind, user_id, app_id, amount, transfer_id, asked_by, description } = review
  const details = { reason: review.reason ?? undefined, review_id: review.id }
  const asker = { user_id: asked_by }
  if (kind === 'payout_limit') {
    await setPayoutLimit(tx, app_id!, amount)
    const entry = {
      action: 'app.payout_limit',
      target_id: app_id,
      details: { payout_limit: amount, ...details },
    } as const
    return insertAuditEntry(tx, now, asker, entry)
  }
  await getUser(tx, user_id!)
  const optional = { description: description ?? undefined, app_id: app_id ?? undefined }
  await award(tx, now, { user_id: user_id!, amount: amount!, ...optional }, transfer_id!)
  return insertAuditEntry(tx, now, asker, {
    action: 'points.award',
    target_id: user_id,
    details: { amount, ...optional, ...details },
  })
}

async function whyNotDecided(tx: Tx, now: Date, { user_id }: UserCaller, review_id: string) {
  const [found] = await listReviews(tx, { now, id: review_id })
  if (!found) return new Failure('not_found', { review_id })
  if (found.asked_by === user_id) return new Failure('own_review', { review_id })
  if (found.status === 'approved' || found.status === 'rejected') return new Failure('already_decided', { review_id })
  return new Failure('review_void', { review_id })
}
