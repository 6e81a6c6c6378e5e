import type { GatheredEvent, GatheredKind, NoticeEvent } from '../../contract/kinds/notices.ts'
import { textIn } from '../platform/texts.ts'

interface MailedNotice {
  event: NoticeEvent
  count: number
  amount: number | null
  subject_name: string | null
}

interface MailFacts {
  language: string | null
  username: string
  kind: GatheredKind
  /** Whether there are more than are shown. */
  has_more: boolean
  issuer: string
}

const subjects: Record<GatheredKind, `mail.notices.${GatheredKind}`> = {
  friends: 'mail.notices.friends',
  messages: 'mail.notices.messages',
  points: 'mail.notices.points',
  review: 'mail.notices.review',
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

type Line = (language: string | null, notice: { name: string; count: number; amount: number }) => string

const lines: Record<GatheredEvent, Line> = {
  friend_requested: (language, notice) => textIn(language, 'mail.notice-line.friend-requested', notice),
  friend_accepted: (language, notice) => textIn(language, 'mail.notice-line.friend-accepted', notice),
  messages_came: (language, notice) => textIn(language, 'mail.notice-line.messages-came', notice),
  points_awarded: (language, notice) => textIn(language, 'mail.notice-line.points-awarded', notice),
  points_transferred: (language, notice) => textIn(language, 'mail.notice-line.points-transferred', notice),
  points_refunded: (language, notice) => textIn(language, 'mail.notice-line.points-refunded', notice),
  apps_wait: (language, notice) => textIn(language, 'mail.notice-line.apps-wait', notice),
  changed_apps_wait: (language, notice) => textIn(language, 'mail.notice-line.changed-apps-wait', notice),
  scope_requests_wait: (language, notice) => textIn(language, 'mail.notice-line.scope-requests-wait', notice),
  cases_wait: (language, notice) => textIn(language, 'mail.notice-line.cases-wait', notice),
}

/** Subject and text of the mail that gathers unread notices of one kind (D-119). */
export function noticesText(
  notices: readonly MailedNotice[],
  { language, username, kind, has_more, issuer }: MailFacts,
) {
  const told = notices.map(({ event, subject_name, count, amount }) => {
    const name = oneLine(subject_name ?? 'Plaza')
    return lines[event as GatheredEvent](language, { name, count, amount: amount ?? 0 })
  })
  return {
    subject: textIn(language, subjects[kind], {}),
    text: textIn(language, 'mail.notices.text', { username, lines: told.join('\n'), has_more, issuer }),
  }
}
