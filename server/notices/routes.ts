import * as devices from '../../contract/notice-devices.ts'
import * as reads from '../../contract/notice-reads.ts'
import * as contract from '../../contract/notices.ts'
import { success_messages } from '../../contract/success-messages.ts'
import { mount, type Http } from '../http/mount.ts'
import { pageOfNotices, readNotices, unreadCount } from './service.ts'
import { devicesOf, forgetDevice, registerDevice, type DevicesDeps } from './devices.service.ts'
import { changeSetting, settingsOf } from './settings.service.ts'

export function noticeRoutes(http: Http, deps: DevicesDeps) {
  mount(http, contract.listNotices, ({ caller, query }) => pageOfNotices(deps, caller.user_id, query))
  mount(http, reads.countUnreadNotices, async ({ caller }) => ({ unread: await unreadCount(deps, caller.user_id) }))
  mount(http, reads.readNotices, async ({ caller, body }) => ({
    unread: await readNotices(deps, caller.user_id, body),
  }))
  mount(http, devices.listDevices, ({ caller }) => devicesOf(deps, caller))
  mount(http, devices.registerDevice, ({ caller, body }) => registerDevice(deps, caller, body))
  mount(http, devices.forgetDevice, async ({ caller, params }) => {
    await forgetDevice(deps, caller.user_id, params.id)
    return { message: success_messages.device_forgotten }
  })
  mount(http, contract.listNoticeSettings, async ({ caller }) => ({ settings: await settingsOf(deps, caller.user_id) }))
  mount(http, contract.changeNoticeSetting, ({ caller, params, body }) =>
    changeSetting(deps, caller.user_id, { ...body, kind: params.kind }),
  )
}
