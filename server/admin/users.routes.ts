import { success_messages } from '../../contract/success-messages.ts'
import * as contract from '../../contract/admin-users.ts'
import { mount, type Http } from '../http/mount.ts'
import * as admin from './users.service.ts'

export function adminUsersRoutes(http: Http, deps: admin.AdminUsersDeps) {
  mount(http, contract.adminGetUser, ({ caller, params }) => admin.getPerson(deps, caller, params.id))
  mount(http, contract.adminListSessions, ({ caller, params }) => admin.listSessions(deps, caller, params.id))
  mount(http, contract.adminListConnections, ({ caller, params }) => admin.listConnections(deps, caller, params.id))
  mount(http, contract.adminListMovements, ({ caller, params, query }) =>
    admin.listMovementsOf(deps, caller, params.id, query),
  )

  mount(http, contract.adminEndSessions, ({ caller, params, body }) => admin.endSessions(deps, caller, params.id, body))

  mount(http, contract.adminSendVerification, async ({ caller, params, body }) => {
    await admin.sendVerification(deps, caller, params.id, body)
    return { message: success_messages.person_code_mailed }
  })

  mount(http, contract.startSecondFactorProof, async ({ caller, params, body }) => {
    await admin.startProof(deps, caller, params.id, body)
    return {
      message: success_messages.proof_mailed,
    }
  })

  mount(http, contract.confirmSecondFactorProof, async ({ caller, params, body }) => {
    await admin.confirmProof(deps, caller, params.id, body)
    return { message: success_messages.person_proved }
  })

  mount(http, contract.removeSecondFactor, async ({ caller, params, body }) => {
    await admin.takeSecondFactor(deps, caller, params.id, body)
    return { message: success_messages.second_factor_taken }
  })
}
