import type { adminListCases, setChatMute } from '../../contract/admin-moderation.ts'
import { decisions } from '../../contract/decisions.ts'
import type { BodyOf, QueryOf } from '../../contract/endpoint.ts'
import { look_parts, look_removals } from '../../contract/kinds/reports.ts'
import type { CaseAction } from '../../contract/moderation-fields.ts'
import { removeFromLook } from '../accounts/profiles.service.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { Failure, invalidField, orFail } from '../platform/failure.ts'
import { inBatches } from '../platform/in-batches.ts'
import { cursorId, pageSize, toPage } from '../platform/page.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { insertMessageEvent } from './events/store.ts'
import {
  countOpenCases,
  findCase,
  findCasePerson,
  isPerson,
  listCases,
  listContext,
  listEarlierCases,
  listReportedPictures,
  listReportsOfCase,
  purgeRemovedMessages,
  recordCaseDecision,
  removeMessageText,
  type CaseRow,
} from './moderation.store.ts'
import { deleteMute, findMute, lengthenMute, purgeMutes, putMute } from './mutes.store.ts'
import { outcomeOf, readDecision, readMuteEnd, type SentDecision } from './reports.rules.ts'

const bounds = decisions.moderation

/** Handlers of admins' decisions, called inside the transaction of the decision. */
export interface ModerationEvents {
  /**
   * A case was decided: notify each reporter whether action was taken, and the person of `moderated` as in
   * `person_moderated`. A single event, so that the notices of its transaction are written together.
   */
  case_decided(tx: Tx, event: CaseDecided): Promise<void>
  /** An admin acted on a person without a report: notify the person of the action and its reason. */
  person_moderated(tx: Tx, event: PersonModerated): Promise<void>
}

export interface CaseDecided {
  case_id: string
  /** The action; null if the case was dismissed. */
  moderated: PersonModerated | null
  now: Date
}

export interface PersonModerated {
  user_id: string
  /** Null without a report. */
  case_id: string | null
  /** `unmute` lifts a mute, `reactivate` a suspension; neither occurs in a case. */
  actions: (CaseAction | 'unmute' | 'reactivate')[]
  /** Null if the admin gave none. */
  reason: string | null
  muted_until: Date | null
  now: Date
}

export interface ModerationDeps {
  db: Database
  clock: Clock
  events: ModerationEvents
  /** Suspends a person, inside the transaction. Fails with `not_found` or `last_administrator`. */
  suspend(tx: Tx, user_id: string): Promise<unknown>
}

export type DecidedCase = CaseRow
export type { SentDecision } from './reports.rules.ts'

/** A page of cases: the open ones oldest first, any others newest first. */
export async function reviewCases({ db }: { db: Sql }, query: QueryOf<typeof adminListCases>) {
  const size = pageSize(query)
  const rows = await listCases(db, {
    status: query.status ?? null,
    user_id: query.user_id ?? null,
    reporter_id: query.reporter_id ?? null,
    cursor_id: cursorId(query),
    rows_max: size + 1,
  })
  return toPage(rows, size, ({ id }) => id)
}

/** A case with the details for an admin's decision. Fails with `not_found`. */
export async function getCase({ db, clock }: Pick<ModerationDeps, 'db' | 'clock'>, case_id: string) {
  const found = await orFail(findCase(db, case_id), 'not_found', { case_id })
  const { person_id, message_id } = found
  const {
    context_before: before,
    context_after: after,
    cases_shown_max,
    reports_shown_max,
    pictures_shown_max,
  } = bounds
  const [reports, pictures, context, person, earlier] = await Promise.all([
    listReportsOfCase(db, { case_id, rows_max: reports_shown_max }),
    listReportedPictures(db, { case_id, rows_max: pictures_shown_max }),
    message_id === null ? [] : listContext(db, { message_id, before, after }),
    findCasePerson(db, { person_id, now: clock() }),
    listEarlierCases(db, { person_id, case_id, rows_max: cases_shown_max }),
  ])
  const messages = context.map(({ channel_id: _, ...message }) => message)
  return {
    case: found,
    reports,
    reported_pictures: pictures.map(({ content }) => `data:image/webp;base64,${content.toString('base64')}`),
    channel_id: context[0]?.channel_id ?? null,
    messages,
    person,
    earlier,
  }
}

/**
 * Decides a case once and applies the decision, in the admin's transaction (D-109). A mute never shortens an existing
 * one: the response has the time that applies. Fails with `case_decided`, whose body has the other admin's decision,
 * `not_found`, `user_not_found` if the person to mute or suspend has left, `last_administrator`, and
 * `validation_failed` if the parts of the decision contradict each other.
 */
export async function decideCase(
  deps: ModerationDeps,
  tx: Tx,
  { case_id, decided_by, sent }: { case_id: string; decided_by: string; sent: SentDecision },
) {
  const now = deps.clock()
  const decided_until = readDecision(sent, now)
  const { actions, reason } = sent
  const decided = await recordCaseDecision(tx, {
    case_id,
    actions,
    reason,
    muted_until: decided_until,
    decided_by,
    now,
  })
  if (!decided) throw await whyNotDecided(tx, case_id)
  const { person_id: user_id, message_id } = decided
  if (actions.includes('remove_message')) await removeReported(tx, message_id, now)
  for (const part of look_parts)
    if (actions.includes(look_removals[part]) && !(await removeFromLook[part](tx, user_id)))
      throw invalidField('actions', 'nothing_to_remove')
  const muted_until = decided_until && (await muteByCase(tx, { user_id, muted_until: decided_until, reason, now }))
  if (actions.includes('suspend')) await deps.suspend(tx, user_id)
  const moderated = outcomeOf(actions) === 'acted' ? { user_id, case_id, actions, reason, muted_until, now } : null
  await deps.events.case_decided(tx, { case_id, moderated, now })
  return (await findCase(tx, case_id))!
}

/** Returns the end of the mute, which is later than requested if another decision muted the person for longer. */
const muteByCase = (tx: Tx, mute: { user_id: string; muted_until: Date; reason: string; now: Date }) =>
  orFail(lengthenMute(tx, mute), 'user_not_found', { user_id: mute.user_id })

async function whyNotDecided(tx: Tx, case_id: string) {
  const found = await findCase(tx, case_id)
  if (!found) return new Failure('not_found', { case_id })
  const { actions, reason, muted_until, decided_by_username, decided_at } = found
  const decision = { actions, reason, muted_until, decided_by_username, decided_at }
  return new Failure('case_decided', { case_id }, { body: { decision } })
}

async function removeReported(tx: Tx, message_id: string | null, now: Date) {
  if (message_id === null) throw invalidField('actions', 'message_only')
  const removed = await removeMessageText(tx, { message_id, now })
  if (removed) await insertMessageEvent(tx, { ...removed, message_id }, 'removed', now)
}

/**
 * Mutes a person until a time, or unmutes them (null), in the admin's transaction. Fails with `not_found`, or with
 * `validation_failed` for a time in the past.
 */
export async function setMute(
  { clock, events }: Pick<ModerationDeps, 'clock' | 'events'>,
  tx: Tx,
  { user_id, sent }: { user_id: string; sent: BodyOf<typeof setChatMute> },
) {
  const now = clock()
  const { reason } = sent
  const muted_until = sent.muted_until === null ? null : readMuteEnd(sent.muted_until, now)
  if (!(await isPerson(tx, user_id))) throw new Failure('not_found', { user_id })
  const changed = muted_until ? await putMute(tx, { user_id, muted_until, reason, now }) : await deleteMute(tx, user_id)
  const action = muted_until ? 'mute' : 'unmute'
  if (changed)
    await events.person_moderated(tx, { user_id, case_id: null, actions: [action], reason, muted_until, now })
  return { muted_until }
}

/** The moderation state of a person: the end of their mute, and the number of open cases. */
export async function standingOf({ db, clock }: Pick<ModerationDeps, 'db' | 'clock'>, user_id: string) {
  const [mute, open_cases] = await Promise.all([findMute(db, { user_id, now: clock() }), countOpenCases(db, user_id)])
  return { muted_until: mute?.muted_until ?? null, open_cases }
}

/** Deletes the original texts of messages removed long ago, and expired mutes, `rows_max` at a time. */
export async function purgeModeration(
  { db, clock }: Pick<ModerationDeps, 'db' | 'clock'>,
  { rows_max }: { rows_max: number },
) {
  const now = clock()
  const before = secondsAfter(now, -bounds.raw_kept_days * 86_400)
  await inBatches(rows_max, () => purgeRemovedMessages(db, { before, rows_max, now }))
  await inBatches(rows_max, () => purgeMutes(db.adHoc, { before: now, rows_max }))
}
