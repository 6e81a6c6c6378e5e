import type { createDeployTier, updateDeployTier } from '../../../contract/admin-deployments.ts'
import type { BodyOf } from '../../../contract/endpoint.ts'
import { violates, type Sql, type Tx } from '../../platform/postgres/database.ts'
import { Failure, orFail } from '../../platform/failure.ts'
import { pageById, type PageQuery } from '../../platform/page.ts'
import { listTiersNewestFirst, lockTier, saveTier, type TierRow } from './tiers.store.ts'

export type NewTier = BodyOf<typeof createDeployTier>
export type TierChange = BodyOf<typeof updateDeployTier>

/** A page of all tiers for an admin, newest first. */
export const reviewTiers = (db: Sql, query: PageQuery) =>
  pageById(query, (page) => listTiersNewestFirst(db, { ...page }))

const defaults = {
  custom_domain_allowed: false,
  replicas_max: 1,
  monthly_stipend_points: 0,
  ad_reach_multiplier: '1.0',
  monthly_cost_points: null,
  monthly_cost_sats: null,
}

/** Adds a tier, in the admin's transaction (D-81). Fails with `slug_taken`. */
export function createTier(tx: Tx, id: string, sent: NewTier, now: Date) {
  const settings = { ...defaults, ...(givenSettings(sent) as NewTier), retired: false }
  return mapSlugConflict(saveTier(tx, id, settings, now))
}

/** Updates the given fields of a tier, in the admin's transaction. Fails with `not_found` or `slug_taken`. */
export async function changeTier(tx: Tx, id: string, sent: TierChange, now: Date) {
  const before = await orFail(lockTier(tx, id), 'not_found', { deploy_tier_id: id })
  return mapSlugConflict(saveTier(tx, id, { ...before, ...givenSettings(sent) }, now))
}

/** The fields that have a value. Only prices may be null. */
const givenSettings = (sent: TierChange) =>
  Object.fromEntries(
    Object.entries(sent).filter(
      ([name, value]) => value !== undefined && (value !== null || name.startsWith('monthly_cost_')),
    ),
  ) as TierChange

async function mapSlugConflict(written: Promise<TierRow>) {
  try {
    return await written
  } catch (error) {
    throw violates(error, 'deploy_tiers_slug_key') ? new Failure('slug_taken') : error
  }
}
