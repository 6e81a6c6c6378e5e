import * as contract from '../../contract/admin-deployments.ts'
import { mount, type Http } from '../http/mount.ts'
import * as admin from './deployments.service.ts'
import type { AdminDeps } from './service.ts'

export function hostingRoutes(http: Http, deps: AdminDeps) {
  mount(http, contract.adminListDeployTiers, ({ query }) => admin.listTiers(deps, query))
  mount(http, contract.createDeployTier, ({ caller, body }) => admin.addTier(deps, caller, body))

  mount(http, contract.updateDeployTier, ({ caller, params, body }) => admin.updateTier(deps, caller, params.id, body))

  mount(http, contract.adminListDeployments, ({ query }) => admin.listDeployments(deps, query))

  mount(http, contract.suspendDeployment, ({ caller, params, body }) =>
    admin.suspendDeployment(deps, caller, params.id, body),
  )

  mount(http, contract.reactivateDeployment, ({ caller, params, body }) =>
    admin.reactivateDeployment(deps, caller, params.id, body),
  )

  mount(http, contract.recordDeploymentPayment, ({ caller, params, body }) =>
    admin.payDeployment(deps, caller, params.id, body),
  )
}
