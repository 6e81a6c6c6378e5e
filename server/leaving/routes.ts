import { success_messages } from '../../contract/success-messages.ts'
import { deleteAccount, exportAccount, getLeaving } from '../../contract/leaving.ts'
import { mountDownload } from '../http/mount-download.ts'
import { mount, type Http } from '../http/mount.ts'
import * as exports from './export.service.ts'
import { describeLeaving, leave, type LeavingDeps } from './service.ts'

export function leavingRoutes(http: Http, deps: LeavingDeps) {
  mount(http, getLeaving, ({ caller }) => describeLeaving(deps, caller.user_id))

  mountDownload(http, exportAccount, ({ caller }) => ({
    file_name: 'plaza-account.json',
    text: exports.exportAccount(deps.accounts, caller.user_id),
  }))

  mount(http, deleteAccount, async ({ caller, body }) => {
    await leave(deps, caller, body)
    return { message: success_messages.account_deleted }
  })
}
