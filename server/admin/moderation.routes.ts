import * as contract from '../../contract/admin-moderation.ts'
import { mount, type Http } from '../http/mount.ts'
import { getCase, reviewCases } from '../social/moderation.service.ts'
import { decideCase, setMute } from './moderation.service.ts'
import type { AdminModerationDeps } from './service.ts'

export function moderationRoutes(http: Http, deps: AdminModerationDeps) {
  const { db } = deps.accounts
  mount(http, contract.adminListCases, ({ query }) => reviewCases({ db: db.adHoc }, query))
  mount(http, contract.adminGetCase, ({ params }) => getCase(deps.accounts, params.id))
  mount(http, contract.decideCase, ({ caller, params, body }) => decideCase(deps, caller, params.id, body))
  mount(http, contract.setChatMute, ({ caller, params, body }) => setMute(deps, caller, params.id, body))
}
