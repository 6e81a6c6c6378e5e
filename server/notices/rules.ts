import { notice_kind_facts, type GatheredKind, type NoticeKind } from '../../contract/kinds/notices.ts'

/** Whether mails of a kind are gathered. For other kinds, the domain of the event mails each one immediately. */
export const isGathered = (kind: NoticeKind): kind is GatheredKind => notice_kind_facts[kind].mail === 'gathered'

/** Whether a kind is mailed by default. */
export const isMailedAtFirst = (kind: NoticeKind) => !isGathered(kind)
