import * as contract from '../../contract/admin-payments.ts'
import { mount, type Http } from '../http/mount.ts'
import { getTransfer, listHolds, listTransfers, listWebhooks } from './payments.service.ts'
import type { AdminDeps } from './service.ts'

export function adminPaymentsRoutes(http: Http, deps: AdminDeps) {
  mount(http, contract.adminGetTransfer, ({ params }) => getTransfer(deps, params.id))
  mount(http, contract.adminListTransfers, ({ query }) => listTransfers(deps, query))
  mount(http, contract.adminListHolds, ({ query }) => listHolds(deps, query))
  mount(http, contract.adminListWebhooks, ({ query }) => listWebhooks(deps, query))
}
