import type { GatheredEvent, GatheredKind } from '../../contract/kinds/notices.ts'
import { oneLine, languageOfMail, textIn } from '../platform/texts.ts'

interface MailedNotice {
  event: GatheredEvent
  count: number
  amount: number | null
  subject_name: string | null
}

interface MailFacts {
  language: string | null
  username: string
  kind: GatheredKind
  /** Whether there are more than those shown. */
  has_more: boolean
  issuer: string
}

/** Subject and text of the mail with unread notices of one kind (D-119). */
export function noticesText(
  notices: readonly MailedNotice[],
  { language, username, kind, has_more, issuer }: MailFacts,
) {
  const lines = notices.map(({ event, subject_name, count, amount }) => {
    const name = oneLine(subject_name ?? 'Plaza')
    return textIn(language, `mail.notice-line.${event}`, { name, count, amount: amount ?? 0 })
  })
  return {
    lang: languageOfMail(language),
    subject: textIn(language, `mail.notices.${kind}`, {}),
    text: textIn(language, 'mail.notices.text', { username, lines: lines.join('\n'), has_more, issuer }),
  }
}
