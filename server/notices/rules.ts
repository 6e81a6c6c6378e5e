import type { NoticeKind } from '../../contract/notice-fields.ts'

/** Kinds whose mails are gathered. Of all others each is mailed at once, by the domain that knows it. */
const gathered_kinds: readonly NoticeKind[] = ['friends', 'messages', 'points', 'review']

export const isGathered = (kind: NoticeKind) => gathered_kinds.includes(kind)

/** Whether a kind is mailed to people who have not chosen: what is mailed at once is. */
export const isMailedAtFirst = (kind: NoticeKind) => !isGathered(kind)
