import * as contract from '../../contract/ads.ts'
import { mount, type Http } from '../http/mount.ts'
import { recordAdEvent, serveAd, type AdsDeps } from './service.ts'

export function adsRoutes(http: Http, deps: AdsDeps) {
  mount(http, contract.serveAd, async ({ caller, query }) => ({
    campaign: await serveAd(deps, caller, query.surface_type),
  }))

  mount(http, contract.recordAdEvent, async ({ caller, body }) => ({ event: await recordAdEvent(deps, caller, body) }))
}
