import type { AppOrder } from '../../contract/admin-apps.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, invalidField, orFail } from '../platform/failure.ts'
import { countUsersOfApp, findApp } from './apps.store.ts'
import { listAppSecrets } from './client-secrets.store.ts'
import { newId } from '../platform/ids.ts'
import { any_name, readNameSearch } from '../platform/name-search.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { notify } from '../notices/service.ts'
import { noticesOfApp } from './members.service.ts'
import { enqueueRelease } from '../points/hold-releases.service.ts'
import { app_decision_job, scope_decision_job } from './review-mail.service.ts'
import { withReview } from './rules.ts'
import { appTag, type OAuthDeps } from './service.ts'
import {
  findReviewedApp,
  listAppsInOrder,
  recordAppDecision,
  recordAppSeen,
  writePayoutLimit,
  type AppDecision,
  type DecidedApp,
  type ReviewedApp,
} from './review.store.ts'
import {
  findScopeRequest,
  listScopeRequestsNewestFirst,
  recordScopeDecision,
  type ScopeDecision,
} from './scope-requests.store.ts'

type StatusQuery = PageQuery & { status?: string }
type AppQuery = StatusQuery & { owner_id?: string; changed?: boolean; q?: string; sort?: AppOrder }

const filterOf = (query: StatusQuery) => ({
  status: query.status ?? null,
  before_id: cursorId(query),
  rows_max: pageSize(query) + 1,
})

export async function reviewApps(db: Sql, query: AppQuery) {
  const { owner_id = null, changed = false, q, sort = '-inserted_at' } = query
  const { before_id: last_id, ...page } = filterOf(query)
  const filter = { ...page, last_id, owner_id, changed, sort, ...(q === undefined ? any_name : readNameSearch(q)) }
  return toPage((await listAppsInOrder(db, filter)).map(forAdmins), pageSize(query), (row) => row.id)
}

/** An app for an admin, with the number of its people and the last use of its secrets. Fails with `not_found`. */
export async function reviewApp(db: Sql, app_id: string) {
  const app = await orFail(findReviewedApp(db, app_id), 'not_found', { app_id })
  const [total_users, secrets] = await Promise.all([countUsersOfApp(db, app_id), listAppSecrets(db, app_id)])
  return { app: forAdmins(app), total_users, secrets }
}

/** An app with its approved state. */
const forAdmins = <App extends ReviewedApp>(app: App) => ({ ...withReview(app), approved: approvedOf(app) })

function approvedOf(app: ReviewedApp) {
  if (app.approved_name === null) return null
  const { approved_name: app_name, approved_description: app_description, approved_logo_url: logo_url } = app
  const { approved_website_url: website_url, approved_redirect_uris: redirect_uris } = app
  return { app_name, app_description, logo_url, website_url, redirect_uris: redirect_uris ?? [] }
}

/**
 * Sets the daily limit of the app's payouts; null restores the default (D-132); inside the admin's transaction. Fails
 * with `not_found`.
 */
export async function setPayoutLimit(tx: Tx, app_id: string, payout_limit: number | null) {
  const app = await orFail(writePayoutLimit(tx, app_id, payout_limit), 'not_found', { app_id })
  return forAdmins(app)
}

/**
 * Approves the changes of an app since its approval, as the admin saw them (D-110), inside the admin's transaction.
 * Fails with `not_found`, `app_not_changed`, `app_changed_again` or `validation_failed`.
 */
export async function markAppSeen(tx: Tx, app_id: string, updated_at: string) {
  const seen_at = new Date(updated_at)
  if (Number.isNaN(seen_at.getTime())) throw invalidField('updated_at', 'moment')
  const seen = await recordAppSeen(tx, app_id, seen_at)
  if (seen) return forAdmins(seen)
  const app = await orFail(findApp(tx, app_id), 'not_found', { app_id })
  throw new Failure(app.changed_since_approval ? 'app_changed_again' : 'app_not_changed', { app_id })
}

/** Scope requests for an admin, newest first. */
export const reviewScopeRequests = async (db: Sql, query: StatusQuery) =>
  toPage(await listScopeRequestsNewestFirst(db, filterOf(query)), pageSize(query), (row) => row.id)

/**
 * Approves or rejects an app, inside the admin's transaction. Withdrawing an approval ends all codes, tokens and
 * sessions of the app immediately; a later approval does not restore them (D-40). The owner gets a mail. Fails with
 * `not_found`.
 */
export async function decideApp(invalidations: InvalidationBus, tx: Tx, app_id: string, decision: AppDecision) {
  const decided = await orFail(recordAppDecision(tx, app_id, decision), 'not_found', { app_id })
  await invalidations.publish(tx, [appTag(app_id)])
  if (decided.has_changed && decided.app.status !== 'approved') await enqueueRelease(tx, app_id, decision.now)
  if (decided.has_changed) await noticeAppDecision(tx, decided, decision)
  return forAdmins(decided.app)
}

/** Notifies the app's people; each decision has its own notice. */
async function noticeAppDecision(tx: Tx, { app, was_approved }: DecidedApp, { status, reason, now }: AppDecision) {
  const event = status === 'approved' ? 'app_approved' : was_approved ? 'approval_withdrawn' : 'app_rejected'
  const { id: app_id } = app
  const mail = { job: app_decision_job, payload: { app_id } }
  const notice = { app_id, event, about: `app:${app_id}:${newId()}`, reason, mail } as const
  await notify(tx, await noticesOfApp(tx, notice), { now })
}

/** The decision for every app in a sandbox, which needs no admin (D-102). */
const approval_of_sandbox = { status: 'approved', listed: true, reason: null } as const

/** In a sandbox, approves and lists an app inside the transaction that makes or resubmits it; undefined in the real space. */
export const approveInSandbox = async ({ is_sandbox, invalidations }: OAuthDeps, tx: Tx, app_id: string, now: Date) =>
  is_sandbox ? decideApp(invalidations, tx, app_id, { ...approval_of_sandbox, now }) : undefined

/** In a sandbox, grants a scope request inside the transaction that makes it; undefined in the real space. */
export const grantInSandbox = async ({ is_sandbox, invalidations }: OAuthDeps, tx: Tx, request_id: string, now: Date) =>
  is_sandbox
    ? decideScopeRequest(invalidations, tx, request_id, { status: 'approved', decided_by: null, reason: null, now })
    : undefined

async function noticeScopeDecision(
  tx: Tx,
  { id, app_id }: { id: string; app_id: string },
  { status, reason, now }: ScopeDecision,
) {
  const event = status === 'approved' ? 'scopes_granted' : 'scopes_denied'
  const mail = { job: scope_decision_job, payload: { request_id: id } }
  await notify(tx, await noticesOfApp(tx, { app_id, event, about: `scopes:${id}`, reason, mail }), { now })
}

/** Decides a scope request, once (D-32), and mails the app's owner. Fails with `not_found` or `already_decided`. */
export async function decideScopeRequest(
  invalidations: InvalidationBus,
  tx: Tx,
  request_id: string,
  decision: ScopeDecision,
) {
  const decided = await recordScopeDecision(tx, request_id, decision)
  if (decided) {
    await invalidations.publish(tx, [appTag(decided.app_id)])
    await noticeScopeDecision(tx, decided, decision)
    return decided
  }
  throw new Failure((await findScopeRequest(tx, request_id)) ? 'already_decided' : 'not_found', { request_id })
}
