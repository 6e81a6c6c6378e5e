import { notify, withdrawNotices, aboutMessages, type NewNotice } from '../notices/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { enqueueAll } from '../platform/queue.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Cursor } from './events/cursor.rules.ts'
import { findOldestTransaction, readEvents, type EventRow } from './events/store.ts'
import { moderated_job, outcome_job } from './moderation-mail.service.ts'
import type { ModerationEvents, PersonModerated } from './moderation.service.ts'
import { findMessageCounts, listReportersOf, lockMessageProgress, setMessageProgress } from './notices.store.ts'
import type { SocialEvents } from './service.ts'

const { writers_among_messages, reading_seconds } = decisions.notices

const aboutFriendship = (friendship_id: string) => `friendship:${friendship_id}`

/** Notifies the addressee of a request, and the requester of its acceptance. Any other change withdraws the notice. */
export const friend_notices: SocialEvents = {
  friendship_changed: async (tx, { friendship_id, status, requester_id, addressee_id, now }) => {
    const about = aboutFriendship(friendship_id)
    if (status === 'pending')
      return notify(tx, [{ user_id: addressee_id, event: 'friend_requested', about, subject_id: requester_id }], {
        now,
      })
    const accepted = status === 'accepted'
    await withdrawNotices(tx, { user_ids: accepted ? [addressee_id] : [addressee_id, requester_id], about, now })
    if (accepted)
      await notify(tx, [{ user_id: requester_id, event: 'friend_accepted', about, subject_id: addressee_id }], { now })
  },
}

/** Notifies reporters of the outcome, and a person of an admin's actions; queues the mails. */
export const moderation_notices: ModerationEvents = {
  case_decided: async (tx, { case_id, moderated, now }) => {
    const event = moderated ? 'report_acted' : 'report_dismissed'
    const reports = await listReportersOf(tx, case_id)
    const of_reporters = reports.map(({ report_id, reporter_id: user_id, person_id: subject_id }): NewNotice => {
      const mail = { job: outcome_job, payload: { report_id } }
      return { user_id, event, about: `report:${case_id}`, subject_id, mail }
    })
    await notify(tx, [...of_reporters, ...(moderated ? noticesTo(moderated) : [])], { now })
    if (moderated) await queueModerationMail(tx, moderated)
  },
  person_moderated: async (tx, moderated) => {
    await notify(tx, noticesTo(moderated), { now: moderated.now })
    await queueModerationMail(tx, moderated)
  },
}

/** One mail for all actions of a decision, also for those without a notice, such as a suspension. */
const queueModerationMail = (tx: Tx, { user_id, actions, reason, muted_until }: PersonModerated) =>
  enqueueAll(tx, 'mail', [{ job: moderated_job, payload: { user_id, actions, reason, muted_until } }])

function noticesTo({ user_id, case_id, actions, reason }: PersonModerated) {
  const events = {
    remove_message: 'message_removed',
    remove_display_name: 'display_name_removed',
    remove_picture: 'picture_removed',
    mute: 'muted',
    unmute: 'unmuted',
  } as const
  return actions.flatMap((action): NewNotice[] => {
    if (!(action in events)) return []
    const event = events[action as keyof typeof events]
    const about = action.endsWith('mute') ? 'muted' : `${event}:${case_id}`
    return [{ user_id, event, about, reason, mail: null }]
  })
}

const events_max = 1_000
const rounds_max = 20

/**
 * Turns new messages since the last run into notices: one per table for each person who wrote one of its last messages,
 * and one per friend who wrote. Messages of blocked people do not count, nor messages before the person's own last one,
 * nor direct messages that the person has read. Bounded; one process at a time.
 */
export async function gatherMessageNotices({ db, clock }: { db: Database; clock: Clock }) {
  for (let round = 0; round < rounds_max; round++) if (!(await db.transaction((tx) => gatherRound(tx, clock())))) return
}

/** The events before the first message that a person with the conversation open may be about to mark as read. */
function settled(read: Awaited<ReturnType<typeof readEvents>>, after: Cursor, now: Date) {
  const { events } = read
  const isYoung = ({ kind, inserted_at }: EventRow) =>
    kind === 'message' && Math.abs(now.getTime() - inserted_at.getTime()) < reading_seconds * 1_000
  const first = events.findIndex(isYoung)
  if (first === -1) return read
  return { events: events.slice(0, first), upto: events[first - 1] ?? after, is_full: false }
}

/** Returns whether there may be more. */
async function gatherRound(tx: Tx, now: Date) {
  const after = await lockMessageProgress(tx)
  if (!after) return false
  const over_before = await findOldestTransaction(tx)
  const { events, upto, is_full } = settled(
    await readEvents(tx, { after, over_before, rows_max: events_max }),
    after,
    now,
  )
  const message_ids = events.flatMap(({ kind, payload }) =>
    kind === 'message' && payload.removed !== true && payload.changed !== true ? String(payload.message_id) : [],
  )
  const counts = message_ids.length > 0 ? await findMessageCounts(tx, { message_ids, writers_among_messages }) : []
  const notices = counts.map(({ user_id, channel_id, sender_id, count }): NewNotice => {
    const event = sender_id === null ? 'messages_came' : 'direct_messages_came'
    return { user_id, event, about: aboutMessages(channel_id), count, subject_id: sender_id ?? channel_id }
  })
  await notify(tx, notices, { now, adds: true })
  await setMessageProgress(tx, upto)
  return is_full
}
