import * as contract from '../../contract/admin-users.ts'
import { mount, type Http } from '../http/mount.ts'
import * as admin from './users.service.ts'

export function adminUsersRoutes(http: Http, deps: admin.AdminUsersDeps) {
  mount(http, contract.adminGetUser, ({ params }) => admin.getPerson(deps, params.id))
  mount(http, contract.adminListSessions, ({ params }) => admin.listSessions(deps, params.id))
  mount(http, contract.adminListConnections, ({ params }) => admin.listConnections(deps, params.id))
  mount(http, contract.adminListMovements, ({ params, query }) => admin.listMovementsOf(deps, params.id, query))

  mount(http, contract.adminEndSessions, ({ caller, params, body }) => admin.endSessions(deps, caller, params.id, body))

  mount(http, contract.adminSendVerification, async ({ caller, params, body }) => {
    await admin.sendVerification(deps, caller, params.id, body)
    return { message: 'A verification code is on its way to the address of the person.' }
  })

  mount(http, contract.startSecondFactorProof, async ({ caller, params, body }) => {
    await admin.startProof(deps, caller, params.id, body)
    return {
      message: 'A code is on its way to the address of the person. Ask for it, or wait until they open the link.',
    }
  })

  mount(http, contract.confirmSecondFactorProof, async ({ caller, params, body }) => {
    await admin.confirmProof(deps, caller, params.id, body)
    return { message: 'The address is proved. You can take the second factor away now.' }
  })

  mount(http, contract.removeSecondFactor, async ({ caller, params, body }) => {
    await admin.takeSecondFactor(deps, caller, params.id, body)
    return { message: 'The second factor is taken away, and the person is signed out everywhere.' }
  })
}
