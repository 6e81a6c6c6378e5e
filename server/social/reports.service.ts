import type { BodyOf } from '../../contract/endpoint.ts'
import type { createReport } from '../../contract/moderation.ts'
import type { Clock } from '../platform/clock.ts'
import { Failure, invalidField, orFail } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { pageById, type PageQuery } from '../platform/page.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { doubtedSince, isDoubted, openReportsMax } from './reports.rules.ts'
import {
  countReports,
  findReportedMessage,
  findReportedPerson,
  findReportOf,
  insertReport,
  joinCase,
  keepReportedPicture,
  listReportsOf,
  lockReporter,
} from './reports.store.ts'

interface ReportsDeps {
  db: Database
  clock: Clock
}

type NewReport = BodyOf<typeof createReport>

/**
 * Reports a message, a person or a part of a person (D-109). A repetition gets the earlier report, with `created`
 * false. One transaction writes the report, copies a reported picture, and opens a case or adds the report to the open
 * one. Fails with `not_found` for a message, `user_not_found`, `message_removed`, `report_decided`, `too_many_reports`,
 * and `validation_failed` for oneself, for a part that the person lacks, or unless exactly one subject is reported.
 */
export function report({ db, clock }: ReportsDeps, reporter_id: string, sent: NewReport) {
  refuseUnlessOne(sent)
  return db.transaction(async (tx) => {
    await lockReporter(tx, reporter_id)
    const { person_id, message_id, is_removed, reported_text } = await findReported(tx, reporter_id, sent)
    const part = sent.part ?? null
    const about = { reporter_id, person_id, message_id, part }
    const known = await findReportOf(tx, about)
    if (known?.status === 'open') return { report: known, created: false }
    if (is_removed) throw new Failure('message_removed', { message_id })
    if (known && message_id !== null) throw new Failure('report_decided', { message_id })
    const now = clock()
    const { open, ...recent } = await countReports(tx, { reporter_id, since: doubtedSince(now) })
    const doubted = isDoubted(recent)
    if (open >= openReportsMax(doubted)) throw new Failure('too_many_reports', { reporter_id, open, doubted })
    const case_id = await joinCase(tx, { id: newId(), person_id, message_id, reporter_id, now })
    const note = sent.note?.trim() ? sent.note : null
    await insertReport(tx, {
      id: newId(),
      part,
      case_id,
      reporter_id,
      reported_text,
      reason: sent.reason,
      note,
      doubted,
      now,
    })
    if (part === 'picture') await keepReportedPicture(tx, { case_id, person_id })
    return { report: (await findReportOf(tx, about))!, created: true }
  })
}

function refuseUnlessOne({ message_id, user_id, part }: NewReport) {
  if (message_id !== undefined && part !== undefined) throw invalidField('part', 'with_user')
  if ((message_id === undefined) !== (user_id === undefined)) return
  throw invalidField('message_id', message_id === undefined ? 'user_or_message' : 'without_user')
}

async function findReported(tx: Tx, reporter_id: string, { message_id, user_id, part }: NewReport) {
  if (message_id !== undefined) {
    const message = await orFail(findReportedMessage(tx, { message_id, reporter_id }), 'not_found', { message_id })
    if (message.sender_id === reporter_id) throw invalidField('message_id', 'of_another_user')
    const { id, sender_id: person_id, removed: is_removed, text: reported_text } = message
    return { person_id, message_id: id, is_removed, reported_text }
  }
  const person_id = user_id!
  if (person_id === reporter_id) throw invalidField('user_id', 'another_user')
  const person = await orFail(findReportedPerson(tx, person_id), 'user_not_found', { user_id })
  if (part && person[part] === null) throw invalidField('part', 'nothing_there')
  const reported_text = part === 'display_name' ? person.display_name : null
  return { person_id, message_id: null, is_removed: false, reported_text }
}

/** A page of a person's reports, newest first, with their outcomes. */
export const listReports = ({ db }: { db: Sql }, reporter_id: string, query: PageQuery) =>
  pageById(query, (page) => listReportsOf(db, { reporter_id, ...page }))
