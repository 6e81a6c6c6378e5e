import { decisions } from '../../contract/decisions.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import {
  notices as events,
  type GatheredEvent,
  type MailedEvent,
  type NoticeEvent,
  type NoticeKind,
} from '../../contract/kinds/notices.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId, newIdAbove } from '../platform/ids.ts'
import { inBatches } from '../platform/in-batches.ts'
import { pageById, type PageQuery } from '../platform/page.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { enqueueAll, type QueuedJob } from '../platform/queue.ts'
import { listPushes } from './devices.store.ts'
import { isGathered } from './rules.ts'
import {
  correctCounts,
  countUnread,
  deleteNotices,
  deleteReviewNotices,
  findNewestIds,
  hasNotice,
  insertNotices,
  listAdmins,
  listNotices,
  lockInboxes,
  markRead,
  purgeNotices,
  trimNotices,
} from './store.ts'

export interface NoticesDeps {
  db: Database
  clock: Clock
}

const bounds = decisions.notices

export type NewNotice = Noticed &
  (
    | { event: GatheredEvent }
    /** The job that mails it; null if another mail covers it. */
    | { event: MailedEvent; mail: QueuedJob | null }
  )

interface Noticed {
  user_id: string
  /** Names the cause: a person has one notice for it, which is updated when it occurs again. */
  about: string
  count?: number
  amount?: number
  /** The person, chat, app or deployment of the notice. */
  subject_id?: string
  app_id?: string
  reason?: string | null
}

/**
 * Writes notices and queues their mails, in the transaction of their cause (D-119); open streams get them after the
 * commit. A person who has left, is suspended or has muted the kind gets none. With `adds`, counts and amounts are
 * added to an unread notice with the same cause. The ids for one person grow in the order of commits. A transaction may
 * call it only once, or always for the same people; otherwise two transactions can deadlock.
 */
export async function notify(
  tx: Tx,
  notices: readonly NewNotice[],
  { now, adds = false }: { now: Date; adds?: boolean },
) {
  if (notices.length === 0) return
  const { mail_wait_seconds, mail_every_seconds, kept_max } = bounds
  const unset = { count: 1, amount: null, subject_id: null, app_id: null, reason: null }
  const idFor = await idsAboveAll(tx, [...new Set(notices.map(({ user_id }) => user_id))])
  const rows = notices.map((notice) => {
    const { kind } = events[notice.event]
    return { ...unset, ...notice, kind, id: idFor(notice.user_id), gathered: isGathered(kind) }
  })
  const mails = notices.flatMap((notice) => ('mail' in notice && notice.mail ? [notice.mail] : []))
  if (mails.length > 0) await enqueueAll(tx, 'mail', mails)
  const options = { now, adds, mail_wait_seconds, mail_every_seconds }
  const with_new = await insertNotices(tx, rows, options)
  if (with_new.length > 0) await trimNotices(tx, with_new, kept_max)
  await queuePushes(tx, rows, now)
}

export const push_job = 'notices.push'

/**
 * Queues a push message for each device of these people that wants the kind. An unread notice is pushed once, however
 * many messages it adds.
 */
async function queuePushes(tx: Tx, rows: Parameters<typeof listPushes>[1], now: Date) {
  const pushes = await listPushes(tx, rows, now)
  if (pushes.length > 0)
    await enqueueAll(
      tx,
      'push',
      pushes.map((payload) => ({ job: push_job, payload })),
    )
}

/** Makes ids above those of all notices that a person can have seen. */
async function idsAboveAll(tx: Tx, user_ids: readonly string[]) {
  await lockInboxes(tx, user_ids)
  const newest = new Map((await findNewestIds(tx, user_ids)).map(({ user_id, newest_id }) => [user_id, newest_id]))
  return (user_id: string) => {
    const seen = newest.get(user_id) ?? null
    return seen === null ? newId() : newIdAbove(seen)
  }
}

/** Withdraws notices whose cause has ended, in the transaction that ends it. */
export const withdrawNotices = (tx: Tx, gone: { user_ids: readonly string[]; about: string; now: Date }) =>
  deleteNotices(tx, gone)

/** A page of a person's notices, newest first. */
export async function pageOfNotices(
  { db }: Pick<NoticesDeps, 'db'>,
  user_id: string,
  query: PageQuery & { kind?: NoticeKind; unread?: boolean },
) {
  const { kind = null, unread = false } = query
  return pageById(query, (page) => listNotices(db, { user_id, kind, unread, ...page }))
}

/** The number of unread notices of each of these people, counted up to 100. */
export const unreadOf = (db: Sql, user_ids: readonly string[]) => countUnread(db, user_ids, bounds.unread_max)

export const unreadCount = async ({ db }: { db: Sql }, user_id: string) =>
  (await unreadOf(db, [user_id]))[0]?.unread ?? 0

interface SentRead {
  id?: string
  upto?: string
  channel_id?: string
}

/**
 * Marks one notice, all up to one, or that of a chat as read; returns the number still unread. Fails with
 * `validation_failed` unless exactly one is named, and with `not_found` for an `id` that the person does not have, or
 * that a later event has replaced.
 */
export async function readNotices({ db, clock }: NoticesDeps, user_id: string, { id, upto, channel_id }: SentRead) {
  const named = [id, upto, channel_id].filter((one) => one !== undefined)
  if (named.length === 0) throw invalidField('id', 'upto_or_channel')
  if (named.length > 1) throw invalidField('id', 'without_upto')
  if (id !== undefined && !(await hasNotice(db, { user_id, id }))) throw new Failure('not_found', { id })
  const about = channel_id === undefined ? null : aboutMessages(channel_id)
  await markRead(db, { user_id, id: id ?? null, upto: upto ?? null, about, now: clock() })
  return unreadCount({ db }, user_id)
}

/** Marks the notice of a chat's messages as read. */
export const readNoticeOfChat = (db: Sql, { channel_id, ...of }: { user_id: string; channel_id: string; now: Date }) =>
  markRead(db, { ...of, id: null, upto: null, about: aboutMessages(channel_id) })

/** The `about` value of the notice of a chat's messages. */
export const aboutMessages = (channel_id: string) => `messages:${channel_id}`

/** Deletes notices after their retention, `rows_max` at a time. */
export const purgeOldNotices = ({ db, clock }: NoticesDeps, { rows_max }: { rows_max: number }) => {
  const before = secondsAfter(clock(), -bounds.kept_days * 86_400)
  return inBatches(rows_max, () => purgeNotices(db, { before, rows_max }))
}

export interface Waiting {
  event: GatheredEvent
  /** The roles that may each decide. */
  roles: readonly AdminRole[]
  count: number
  before: number
}

/**
 * Notifies the admins who may decide of queues that grew (D-135). If a queue shrank, only the number changes; an empty
 * queue withdraws the notice.
 */
export async function noticeWaiting(tx: Tx, waiting: readonly Waiting[], now: Date) {
  const about = (event: NoticeEvent) => `review:${event}`
  const over = waiting.filter(({ count }) => count === 0).map(({ event }) => about(event))
  const roles = Object.fromEntries(waiting.map(({ event, roles }) => [about(event), roles]))
  await deleteReviewNotices(tx, { abouts: over, roles, now })
  for (const { event, count } of waiting.filter((one) => one.count > 0 && one.count < one.before))
    await correctCounts(tx, { about: about(event), count })
  const more = waiting.filter(({ count, before }) => count > before)
  if (more.length === 0) return
  const admins = await listAdmins(tx)
  const notices = admins.flatMap(({ id: user_id, admin_roles }) =>
    more
      .filter(({ roles }) => roles.some((role) => admin_roles.includes(role)))
      .map(({ event, count }): NewNotice => ({ user_id, event, about: about(event), count })),
  )
  await notify(tx, notices, { now })
}
