import * as contract from '../../contract/operators.ts'
import { mount, type Http } from '../http/mount.ts'
import * as operators from './service.ts'

export function operatorsRoutes(http: Http, deps: operators.OperatorsDeps) {
  mount(http, contract.getAnalytics, async ({ caller, query }) => ({
    analytics: await operators.getAnalytics(deps, caller.app_id, query.window_days),
  }))

  mount(http, contract.getAnalyticsOfMyApp, async ({ params, query }) => ({
    analytics: await operators.getAnalytics(deps, params.id, query.window_days),
  }))

  mount(http, contract.getOperatorApp, async ({ caller }) => ({ app: await operators.getOperatorApp(deps, caller) }))

  mount(
    http,
    contract.updateOperatorApp,
    async ({ caller, body }) => ({ app: await operators.updateOperatorApp(deps, caller, body) }),
    { rules: operators.operatorAppErrors },
  )

  mount(http, contract.listPublicOperators, ({ query }) => operators.listOperators(deps, query))
}
