import { notice_kind_facts, type GatheredKind, type NoticeKind } from '../../contract/kinds/notices.ts'

/** Whether the mails of a kind are gathered. Of all others each is mailed at once, by the domain that knows it. */
export const isGathered = (kind: NoticeKind): kind is GatheredKind => notice_kind_facts[kind].mail === 'gathered'

/** Whether a kind is mailed to people who have not chosen. */
export const isMailedAtFirst = (kind: NoticeKind) => !isGathered(kind)
