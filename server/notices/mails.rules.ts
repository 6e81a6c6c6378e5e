import type { NoticeEvent, NoticeKind } from '../../contract/notice-fields.ts'

interface MailedNotice {
  event: NoticeEvent
  count: number
  amount: number | null
  subject_name: string | null
}

interface MailFacts {
  username: string
  kind: NoticeKind
  /** Whether there are more than are shown. */
  has_more: boolean
  issuer: string
}

const subjects: Partial<Record<NoticeKind, string>> = {
  friends: 'News of your friends on Plaza',
  messages: 'New messages on Plaza',
  points: 'Points came to you on Plaza',
  review: 'Waiting for review on Plaza',
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

const lines: Partial<Record<NoticeEvent, (notice: MailedNotice, name: string) => string>> = {
  friend_requested: (_, name) => `${name} asks to be your friend.`,
  friend_accepted: (_, name) => `${name} is your friend now.`,
  messages_came: ({ count }, name) => `${name}: ${count} new ${count === 1 ? 'message' : 'messages'}.`,
  points_awarded: ({ amount }, name) => `${amount} points were awarded to you (${name}).`,
  points_transferred: ({ amount }, name) => `${name} sent you ${amount} points.`,
  points_refunded: ({ amount }, name) => `${name} gave you ${amount} points back.`,
  apps_wait: ({ count }) => `Apps that wait for approval: ${count}.`,
  changed_apps_wait: ({ count }) => `Apps that changed since their approval: ${count}.`,
  scope_requests_wait: ({ count }) => `Scope requests that wait: ${count}.`,
  cases_wait: ({ count }) => `Reports that wait for a decision: ${count}.`,
}

/** Subject and text of the mail that gathers unread notices of one kind (D-119). */
export function noticesText(notices: readonly MailedNotice[], { username, kind, has_more, issuer }: MailFacts) {
  const told = notices.flatMap((notice) => {
    const name = oneLine(notice.subject_name ?? 'Plaza')
    return lines[notice.event]?.(notice, name) ?? []
  })
  const more = has_more ? '\nThere is more in your inbox.\n' : ''
  return {
    subject: subjects[kind] ?? 'News on Plaza',
    text:
      `Hello ${username},\n\n${told.join('\n')}\n${more}\nYour inbox: ${issuer}/inbox\n\n` +
      `You get such a mail at most once an hour. Turn these mails off: ${issuer}/account/notices\n`,
  }
}
