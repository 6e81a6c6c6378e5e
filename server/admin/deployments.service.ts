import type { UserCaller } from '../../contract/caller.ts'
import { recordPayment } from '../hosting/api/billing.service.ts'
import {
  reactivateByAdmin,
  reviewDeployments,
  suspendByAdmin,
  type DeploymentQuery,
} from '../hosting/api/review.service.ts'
import { changeTier, createTier, reviewTiers, type NewTier, type TierSettings } from '../hosting/api/tiers.service.ts'
import { newId } from '../platform/ids.ts'
import type { PageQuery } from '../platform/page.ts'
import { audited, type AdminDeps } from './service.ts'

// Tiers (D-63)

export const listTiers = ({ accounts: { db } }: AdminDeps, query: PageQuery) => reviewTiers(db.adHoc, query)

/** The known settings of a body, for the audit log. */
const settingsOf = (sent: Partial<TierSettings>) => {
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
export const updateTier = (deps: AdminDeps, caller: UserCaller, tier_id: string, sent: Partial<TierSettings>) =>
  audited(deps, caller, { action: 'deploy_tier.update', target_id: tier_id, details: settingsOf(sent) }, (tx, now) =>
    changeTier(tx, tier_id, sent, now),
  )

// Deployments

export const listDeployments = ({ accounts: { db } }: AdminDeps, query: DeploymentQuery) =>
  reviewDeployments(db.adHoc, query)

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
