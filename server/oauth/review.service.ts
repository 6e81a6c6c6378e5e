import type { Sql, Tx } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { enqueue } from '../platform/queue.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { enqueueRelease } from '../points/holds.service.ts'
import { withReview } from './rules.ts'
import { appTag, type OAuthDeps } from './service.ts'
import { listAppsNewestFirst, recordAppDecision, type AppDecision } from './review.store.ts'
import {
  findScopeRequest,
  listScopeRequestsNewestFirst,
  recordScopeDecision,
  type ScopeDecision,
} from './scope-requests.store.ts'

type StatusQuery = PageQuery & { status?: string }

const filterOf = (query: StatusQuery) => ({
  status: query.status ?? null,
  before_id: cursorId(query),
  rows_max: pageSize(query) + 1,
})

/** Apps for an admin, newest first. */
export const reviewApps = async (db: Sql, query: StatusQuery) =>
  toPage((await listAppsNewestFirst(db, filterOf(query))).map(withReview), pageSize(query), (row) => row.id)

/** Scope requests for an admin, newest first. */
export const reviewScopeRequests = async (db: Sql, query: StatusQuery) =>
  toPage(await listScopeRequestsNewestFirst(db, filterOf(query)), pageSize(query), (row) => row.id)

/**
 * Approves or rejects an app, inside the admin's transaction. Withdrawing an approval ends all codes, tokens and sessions
 * of the app at once; a later approval does not restore them (D-40). The owner gets a mail.
 * Fails with `not_found`.
 */
export async function decideApp(invalidations: InvalidationBus, tx: Tx, app_id: string, decision: AppDecision) {
  const decided = await recordAppDecision(tx, app_id, decision)
  if (!decided) throw new Failure('not_found', { app_id })
  await invalidations.publish(tx, [appTag(app_id)])
  if (decided.has_changed && decided.app.status !== 'approved') await enqueueRelease(tx, app_id, decision.now)
  if (decided.has_changed) await enqueue(tx, 'oauth.mail_app_decision', { app_id }, { priority: 'mail' })
  return withReview(decided.app)
}

/** What a sandbox decides of every app, where no admin is waited for (D-102). */
const approval_of_sandbox = { status: 'approved', listed: true, reason: null } as const

/** In a sandbox, approves and lists an app inside the transaction that makes or resubmits it; undefined in the real space. */
export const approveInSandbox = async (
  { is_sandbox, invalidations }: Pick<OAuthDeps, 'is_sandbox' | 'invalidations'>,
  tx: Tx,
  app_id: string,
  now: Date,
) => (is_sandbox ? decideApp(invalidations, tx, app_id, { ...approval_of_sandbox, now }) : undefined)

/** In a sandbox, grants a scope request inside the transaction that makes it; undefined in the real space. */
export const grantInSandbox = async (
  { is_sandbox, invalidations }: Pick<OAuthDeps, 'is_sandbox' | 'invalidations'>,
  tx: Tx,
  request_id: string,
  now: Date,
) =>
  is_sandbox
    ? decideScopeRequest(invalidations, tx, request_id, { status: 'approved', decided_by: null, reason: null, now })
    : undefined

/** Decides a scope request, once (D-32); the app's owner gets a mail. Fails with `not_found` or `already_decided`. */
export async function decideScopeRequest(
  invalidations: InvalidationBus,
  tx: Tx,
  request_id: string,
  decision: ScopeDecision,
) {
  const decided = await recordScopeDecision(tx, request_id, decision)
  if (decided) {
    await invalidations.publish(tx, [appTag(decided.app_id)])
    await enqueue(tx, 'oauth.mail_scope_decision', { request_id }, { priority: 'mail' })
    return decided
  }
  throw new Failure((await findScopeRequest(tx, request_id)) ? 'already_decided' : 'not_found', { request_id })
}
