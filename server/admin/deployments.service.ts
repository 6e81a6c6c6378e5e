import type { adminRollBackDeployment } from '../../contract/admin-deployments.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { getUser } from '../accounts/service.ts'
import { getApp } from '../oauth/apps.service.ts'
import { recordPayment } from '../hosting/api/billing.service.ts'
import { metricsOf, type Period } from '../hosting/api/metrics.service.ts'
import { lastOutputLines, searchKeptOutput, type SearchQuery } from '../hosting/api/output.service.ts'
import { awaitRelease, releasesOf, rollBackByAdmin } from '../hosting/api/releases.service.ts'
import { logOf, type DeploymentsDeps } from '../hosting/api/service.ts'
import {
  getAnyDeployment,
  reactivateByAdmin,
  reviewDeployments,
  suspendByAdmin,
  type DeploymentQuery,
} from '../hosting/api/review.service.ts'
import { reviewHosts } from '../hosting/api/hosts.service.ts'
import { changeTier, createTier, reviewTiers, type NewTier, type TierChange } from '../hosting/api/tiers.service.ts'
import { newId } from '../platform/ids.ts'
import type { PageQuery } from '../platform/page.ts'
import { audited, type AdminDeps } from './service.ts'

// Tiers (D-63)

export const listTiers = ({ accounts: { db } }: AdminDeps, query: PageQuery) => reviewTiers(db.adHoc, query)

/** The known settings of a body, for the audit log. */
const settingsOf = (sent: TierChange) => {
  const { name, slug, payment_method, memory_limit_mb, cpu_limit_millicores, custom_domain_allowed, retired } = sent
  const { replicas_max, monthly_stipend_points, ad_reach_multiplier, monthly_cost_points, monthly_cost_sats } = sent
  const limits = { memory_limit_mb, cpu_limit_millicores, custom_domain_allowed, replicas_max, retired }
  const prices = { monthly_stipend_points, ad_reach_multiplier, monthly_cost_points, monthly_cost_sats }
  return { name, slug, payment_method, ...limits, ...prices }
}

/** Adds a tier to the catalogue. Fails with `slug_taken`. */
export function addTier(deps: AdminDeps, caller: UserCaller, sent: NewTier) {
  const id = newId()
  const details = { ...settingsOf(sent), retired: undefined }
  return audited(deps, caller, { action: 'deploy_tier.create', target_id: id, details }, (tx, now) =>
    createTier(tx, id, sent, now),
  )
}

/** Changes or retires a tier. Fails with `not_found` or `slug_taken`. */
export const updateTier = (deps: AdminDeps, caller: UserCaller, tier_id: string, sent: TierChange) =>
  audited(deps, caller, { action: 'deploy_tier.update', target_id: tier_id, details: settingsOf(sent) }, (tx, now) =>
    changeTier(tx, tier_id, sent, now),
  )

// Deployments

export const listDeployments = ({ accounts: { db } }: AdminDeps, query: DeploymentQuery) =>
  reviewDeployments(db.adHoc, query)

export const listContainerHosts = ({ accounts: { db } }: AdminDeps) => reviewHosts(db.adHoc)

/** Suspends a deployment. Fails with `not_found` or `not_allowed_now`. */
export const suspendDeployment = (deps: AdminDeps, caller: UserCaller, id: string, { reason }: { reason: string }) =>
  audited(deps, caller, { action: 'deployment.suspend', target_id: id, details: { reason } }, (tx, now) =>
    suspendByAdmin(tx, id, reason, now),
  )

/** Lifts an admin's suspension. Fails with `not_found` or `not_allowed_now`. */
export const reactivateDeployment = (
  deps: AdminDeps,
  caller: UserCaller,
  id: string,
  { reason }: { reason?: string },
) =>
  audited(deps, caller, { action: 'deployment.reactivate', target_id: id, details: { reason } }, (tx, now) =>
    reactivateByAdmin(tx, id, reason, now),
  )

/** Records that a cycle on a bitcoin tier was paid. Fails with `not_found` or `not_allowed_now`. */
export const payDeployment = (deps: AdminDeps, caller: UserCaller, id: string, { note }: { note?: string }) =>
  audited(deps, caller, { action: 'deployment.payment', target_id: id, details: { note } }, (tx, now) =>
    recordPayment(tx, id, now),
  )

// One deployment, as its owner sees it (D-110)

/** Any deployment, with the names of its app and owner. Fails with `not_found`. */
export async function getDeployment({ accounts: { db } }: AdminDeps, id: string) {
  const deployment = await getAnyDeployment(db, id)
  const [{ app_name }, { username }] = await Promise.all([
    getApp({ db }, deployment.app_id),
    getUser(db, deployment.owner_id),
  ])
  return { ...deployment, app_name, owner_username: username }
}

/** The deploy log of any deployment, newest first. Fails with `not_found`. */
export async function listLog({ accounts: { db } }: AdminDeps, id: string) {
  await getAnyDeployment(db, id)
  return logOf(db, id)
}

/** The releases of any deployment, newest first. Fails with `not_found`. */
export async function listReleases(hosting: DeploymentsDeps, id: string) {
  await getAnyDeployment(hosting.db, id)
  return releasesOf(hosting, id)
}

/** The resource use of any deployment. Fails with `not_found`. */
export const readMetrics = async (hosting: DeploymentsDeps, id: string, period?: Period) =>
  metricsOf(hosting, await getAnyDeployment(hosting.db, id), period)

/** Rolls any deployment back to an earlier release. Fails as the owner's `rollBackDeployment`. */
export async function rollBack(
  deps: AdminDeps,
  hosting: DeploymentsDeps,
  caller: UserCaller,
  id: string,
  request: BodyOf<typeof adminRollBackDeployment>,
) {
  const { reason } = request
  const entryOf = ({ number }: { number: number | undefined }) => ({
    action: 'deployment.roll_back' as const,
    target_id: id,
    details: { reason, release: number ?? null },
  })
  const { log_id } = await audited(deps, caller, entryOf, (tx) => rollBackByAdmin(hosting, tx, id, request))
  return awaitRelease(hosting, id, { log_id })
}

/** The kind of access to output, for the audit log; without the search text, which may be a secret. */
type Look = 'last' | 'search' | 'stream'

/** Audits that an admin reads the output of a deployment (D-64). Fails with `not_found`. */
export const lookAtOutput = (deps: AdminDeps, caller: UserCaller, id: string, look: Look) =>
  audited(deps, caller, { action: 'deployment.read_output', target_id: id, details: { look } }, (tx) =>
    getAnyDeployment(tx, id),
  )

/** The last lines of any deployment's output; audited. Fails with `not_found`. */
export async function readOutput(deps: AdminDeps, caller: UserCaller, id: string, tail?: number) {
  await lookAtOutput(deps, caller, id, 'last')
  return lastOutputLines(deps.accounts.db.adHoc, id, tail)
}

/** A page of any deployment's output; the first page is audited. Fails with `not_found` or `validation_failed`. */
export async function searchOutput(deps: AdminDeps, caller: UserCaller, id: string, query: SearchQuery) {
  const { db } = deps.accounts
  if (query.cursor === undefined) await lookAtOutput(deps, caller, id, 'search')
  else await getAnyDeployment(db, id)
  return searchKeptOutput(db.adHoc, id, query)
}
