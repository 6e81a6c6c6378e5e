import * as contract from '../../contract/admin-campaigns.ts'
import { mount, type Http } from '../http/mount.ts'
import { campaignErrors } from '../ads/campaigns.service.ts'
import { addCampaign, listCampaigns, updateCampaign } from './campaigns.service.ts'
import type { AdminDeps } from './service.ts'

export function campaignRoutes(http: Http, deps: AdminDeps) {
  mount(http, contract.adminListCampaigns, ({ query }) => listCampaigns(deps, query))
  mount(http, contract.createCampaign, ({ caller, body }) => addCampaign(deps, caller, body), { rules: campaignErrors })

  mount(http, contract.updateCampaign, ({ caller, params, body }) => updateCampaign(deps, caller, params.id, body), {
    rules: campaignErrors,
  })
}
