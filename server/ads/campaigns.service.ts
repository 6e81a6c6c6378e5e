import type { createCampaign as create_endpoint } from '../../contract/admin-campaigns.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { pageById, type PageQuery } from '../platform/page.ts'
import { settingsAfter, settingsErrors, type CampaignSettings, type SentSettings } from './rules.ts'
import { insertCampaign, listCampaignsNewestFirst, lockCampaign, replaceSettings } from './store.ts'

/** Campaigns for an admin, newest first. */
export const listAllCampaigns = (db: Sql, query: PageQuery) =>
  pageById(query, (page) => listCampaignsNewestFirst(db, { ...page }))

/** Field errors of a campaign by the rules. Accepts a body of any shape. */
export const campaignErrors = (body: unknown) => settingsErrors(body)

export type NewCampaign = BodyOf<typeof create_endpoint>

/** Creates a campaign, inside the admin's transaction (D-81). Fails with `validation_failed`, for example for an end before the start. */
export function createCampaign(tx: Tx, id: string, sent: NewCampaign, now: Date) {
  const { name, surface_type, payout_rate } = sent
  const defaults = {
    starts_at: null,
    ends_at: null,
    max_impressions: null,
    bitcoin_tier: null,
    targeting_metadata: null,
  }
  const settings = validSettings({ name, surface_type, payout_rate, weight: 1, active: true, ...defaults }, sent)
  return insertCampaign(tx, id, settings, now)
}

/**
 * Changes a campaign, inside the admin's transaction: sets the sent fields; null removes a limit; counts stay. Fails
 * with `not_found`, or with `validation_failed` as `createCampaign` does.
 */
export async function changeCampaign(tx: Tx, id: string, sent: SentSettings, now: Date) {
  const before = await orFail(lockCampaign(tx, id), 'not_found', { campaign_id: id })
  return replaceSettings(tx, id, validSettings(before, sent), now)
}

function validSettings(before: CampaignSettings, sent: SentSettings) {
  const settings = settingsAfter(before, sent)
  if (Array.isArray(settings)) throw new Failure('validation_failed', {}, { fields: settings })
  return settings
}
