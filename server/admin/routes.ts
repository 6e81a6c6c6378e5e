import * as of_apps from '../../contract/admin-apps.ts'
import * as audit from '../../contract/admin-audit.ts'
import * as contract from '../../contract/admin.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { mountDownload } from '../http/mount-download.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { awardPoints, changePayoutLimit, type AwardsDeps } from './awards.service.ts'
import { exportAudit, listAudit } from './audit.service.ts'
import { getFigures } from './figures.service.ts'
import { readMessage } from './messages.service.ts'
import * as admin from './service.ts'

export function adminRoutes(http: Http, deps: admin.AdminModerationDeps & AwardsDeps) {
  mount(http, contract.countPending, ({ caller }) => admin.pendingCounts(deps, caller))
  mount(http, contract.getFigures, () => getFigures(deps))

  mount(http, of_apps.adminListApps, ({ query }) => admin.listApps(deps, query))

  mount(http, of_apps.adminGetApp, ({ params }) => admin.getAppForAdmins(deps, params.id))

  mount(http, of_apps.approveApp, ({ caller, params, body }) => admin.approveApp(deps, caller, params.id, body))
  mount(http, of_apps.rejectApp, ({ caller, params, body }) => admin.rejectApp(deps, caller, params.id, body))

  mount(http, of_apps.setPayoutLimit, async ({ caller, params, body }) => {
    const { app, review } = await changePayoutLimit(deps, caller, params.id, body)
    return app ?? answer({ review }, { status: 202 })
  })

  mount(http, of_apps.markAppSeen, ({ caller, params, body }) => admin.seeApp(deps, caller, params.id, body))

  mount(http, of_apps.adminListScopeRequests, ({ query }) => admin.listScopeRequests(deps, query))

  mount(http, of_apps.approveScopeRequest, ({ caller, params }) =>
    admin.resolveScopeRequest(deps, caller, params.id, { status: 'approved' }),
  )

  mount(http, of_apps.denyScopeRequest, ({ caller, params, body }) =>
    admin.resolveScopeRequest(deps, caller, params.id, { ...body, status: 'denied' }),
  )

  mount(http, contract.adminListUsers, ({ query }) => admin.listAllUsers(deps, query))
  mount(http, contract.updateUser, ({ caller, params, body }) => admin.changeUser(deps, caller, params.id, body))

  mount(http, contract.setAdminRoles, ({ caller, params, body }) =>
    admin.changeUserRoles(deps, caller, params.id, body),
  )

  mount(http, contract.awardPoints, async ({ caller, body, headers }) => {
    const { replayed, ...outcome } = await awardPoints(deps, caller, body, headers['idempotency-key'])
    return answer(outcome, { status: 'review' in outcome ? 202 : 200, headers: replayedHeader(replayed) })
  })

  mount(http, contract.adminGetMessage, ({ caller, params }) => readMessage(deps, caller, params.id))
  mount(http, contract.checkLedger, admin.openLedgerCheck(deps))

  mount(http, audit.listAudit, ({ query }) => listAudit(deps, query))
  mountDownload(http, audit.exportAudit, ({ query }) => ({ file_name: 'audit.csv', text: exportAudit(deps, query) }))
}
