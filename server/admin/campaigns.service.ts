import type { UserCaller } from '../../contract/caller.ts'
import { changeCampaign, createCampaign, listAllCampaigns, type NewCampaign } from '../ads/campaigns.service.ts'
import { newId } from '../platform/ids.ts'
import type { PageQuery } from '../platform/page.ts'
import { audited, type AdminDeps } from './service.ts'

export const listCampaigns = ({ accounts: { db } }: AdminDeps, query: PageQuery) => listAllCampaigns(db.adHoc, query)

/** The known settings of a body, for the audit log. */
const settingsOf = (sent: Partial<NewCampaign>) => {
  const { name, surface_type, payout_rate, weight, active, starts_at, ends_at, max_impressions } = sent
  const { bitcoin_tier, targeting_metadata } = sent
  const bounds = { starts_at, ends_at, max_impressions, bitcoin_tier, targeting_metadata }
  return { name, surface_type, payout_rate, weight, active, ...bounds }
}

/** Creates a campaign. Fails with `validation_failed`. */
export function addCampaign(deps: AdminDeps, caller: UserCaller, sent: NewCampaign) {
  const id = newId()
  return audited(deps, caller, { action: 'campaign.create', target_id: id, details: settingsOf(sent) }, (tx, now) =>
    createCampaign(tx, id, sent, now),
  )
}

/** Changes a campaign. Fails with `not_found` or `validation_failed`. */
export const updateCampaign = (deps: AdminDeps, caller: UserCaller, campaign_id: string, sent: Partial<NewCampaign>) =>
  audited(deps, caller, { action: 'campaign.update', target_id: campaign_id, details: settingsOf(sent) }, (tx, now) =>
    changeCampaign(tx, campaign_id, sent, now),
  )
