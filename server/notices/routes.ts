import * as reads from '../../contract/notice-reads.ts'
import * as contract from '../../contract/notices.ts'
import { mount, type Http } from '../http/mount.ts'
import { pageOfNotices, readNotices, unreadCount, type NoticesDeps } from './service.ts'
import { changeSetting, settingsOf } from './settings.service.ts'

export function noticeRoutes(http: Http, deps: NoticesDeps) {
  mount(http, contract.listNotices, ({ caller, query }) => pageOfNotices(deps, caller.user_id, query))
  mount(http, reads.countUnreadNotices, async ({ caller }) => ({ unread: await unreadCount(deps, caller.user_id) }))
  mount(http, reads.readNotices, async ({ caller, body }) => ({
    unread: await readNotices(deps, caller.user_id, body),
  }))
  mount(http, contract.listNoticeSettings, async ({ caller }) => ({ settings: await settingsOf(deps, caller.user_id) }))
  mount(http, contract.changeNoticeSetting, ({ caller, params, body }) =>
    changeSetting(deps, caller.user_id, { ...body, kind: params.kind }),
  )
}
