import type * as of_apps from '../../contract/admin-apps.ts'
import type * as contract from '../../contract/admin.ts'
import type { UserCaller } from '../../contract/caller.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import { requireAdmin } from '../accounts/admin-roles.service.ts'
import { getUser } from '../accounts/service.ts'
import { getApp } from '../oauth/apps.service.ts'
import { setPayoutLimit } from '../oauth/review.service.ts'
import { newId } from '../platform/ids.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { award, claimAward, fillAward } from '../points/issuing.service.ts'
import { failureForKey } from '../points/ledger.service.ts'
import { askForReview, reviewOfTransfer } from './reviews.service.ts'
import { audited, insertAuditEntry, type AdminDeps } from './service.ts'

export interface AwardsDeps extends AdminDeps {
  settings: {
    /** Awards and payout limits above this amount wait for a second person (D-136); undefined if none do. */
    review_amount: number | undefined
    payout_daily_limit: number | undefined
  }
}

type Award = BodyOf<typeof contract.awardPoints>

/**
 * Awards points (D-47); a large award waits for a second person (D-136). Idempotent with an Idempotency-Key (D-09).
 * Fails with `user_not_found`, `not_found` for an unknown app, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function awardPoints(deps: AwardsDeps, caller: UserCaller, sent: Award, idempotency_key?: string) {
  const { accounts } = deps
  await getUser(accounts.db, sent.user_id)
  if (sent.app_id !== undefined) await getApp(accounts, sent.app_id)
  const key = idempotency_key === undefined ? undefined : { user_id: caller.user_id, key: idempotency_key }
  const now = accounts.clock()
  const work = async (tx: Tx) => {
    await requireAdmin(accounts, tx, caller)
    const transfer_id = newId()
    const earlier = key && (await claimAward(tx, now, sent, { ...key, transfer_id }))
    if (earlier) {
      const review = await reviewOfTransfer(tx, now, earlier.transfer_id)
      return { replayed: true, ...(review ? { review } : earlier) }
    }
    if (sent.amount > (deps.settings.review_amount ?? Infinity))
      return { replayed: false, review: await askForAward(tx, now, caller, sent, transfer_id) }
    const awarded = await award(tx, now, sent, transfer_id)
    if (key) await fillAward(tx, key, awarded)
    const { user_id: target_id, ...details } = sent
    await insertAuditEntry(tx, now, caller, { action: 'points.award', target_id, details: detailsOf(details) })
    return { replayed: false, ...awarded }
  }
  return accounts.db.transaction(work).catch((error: unknown) => {
    throw failureForKey(error, idempotency_key)
  })
}

/** The known fields of a body. */
const detailsOf = ({ amount, description, app_id, reason }: Omit<Award, 'user_id'>) => ({
  amount,
  description,
  app_id,
  reason,
})

const askForAward = (
  tx: Tx,
  now: Date,
  caller: UserCaller,
  { user_id, amount, description = null, app_id = null, reason = null }: Nullable<Award>,
  transfer_id: string,
) => askForReview(tx, now, caller, { kind: 'award', user_id, amount, description, app_id, reason, transfer_id })

type Nullable<Sent> = { [Name in keyof Sent]: Sent[Name] | (undefined extends Sent[Name] ? null : never) }

/**
 * Sets the daily limit of an app's payouts (D-132); a high limit waits for a second person (D-136). Null is the limit
 * of the installation, if it has one. Fails with `not_found`.
 */
export async function changePayoutLimit(
  deps: AwardsDeps,
  caller: UserCaller,
  app_id: string,
  { payout_limit, reason }: BodyOf<typeof of_apps.setPayoutLimit>,
) {
  const { accounts, settings } = deps
  const { review_amount = Infinity, payout_daily_limit = Infinity } = settings
  if ((payout_limit ?? payout_daily_limit) <= review_amount) {
    const entry = { action: 'app.payout_limit', target_id: app_id, details: { payout_limit, reason } } as const
    return { app: await audited(deps, caller, entry, (tx) => setPayoutLimit(tx, app_id, payout_limit)) }
  }
  await getApp(accounts, app_id)
  const asked = {
    app_id,
    amount: payout_limit,
    reason: reason ?? null,
    user_id: null,
    description: null,
    transfer_id: null,
  }
  const now = accounts.clock()
  const review = await accounts.db.transaction(async (tx) => {
    await requireAdmin(accounts, tx, caller)
    return askForReview(tx, now, caller, { kind: 'payout_limit', ...asked })
  })
  return { review }
}
