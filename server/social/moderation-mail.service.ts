import { getUser } from '../accounts/service.ts'
import { wantsMail } from '../notices/settings.service.ts'
import type { Mailer } from '../platform/mail.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import type { ModerationEvents, PersonModerated } from './moderation.service.ts'
import { enqueueForReporters, findReportOutcome } from './moderation.store.ts'
import { outcomeOf } from './reports.rules.ts'

export const outcome_job = 'social.mail_report_outcome'
export const moderated_job = 'social.mail_moderation'

/** Queues the mails about what admins decide, in the transaction of the decision. */
export const moderation_mails: ModerationEvents = {
  case_decided: async (tx, { case_id }) => {
    await enqueueForReporters(tx, { job: outcome_job, case_id })
  },
  person_moderated: async (tx, { user_id, actions, reason, muted_until }) => {
    await enqueue(tx, moderated_job, { user_id, actions, reason, muted_until }, { priority: 'mail' })
  },
}

export interface ModerationMailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

/** Mails a person what came of a report of theirs. */
export async function mailReportOutcome({ db, issuer }: ModerationMailDeps, mailer: Mailer, report_id: string) {
  const report = await findReportOutcome(db, report_id)
  const reporter = report && (await findPerson(db, report.reporter_id))
  if (!report || !reporter || !(await wantsMail(db, reporter.id, 'moderation'))) return
  const whom = report.person_username ?? 'somebody who has left since'
  const what = report.kind === 'message' ? `a message of ${whom}` : whom
  const text = {
    acted: 'An admin has looked at it and done something about it. Thank you.',
    dismissed:
      'An admin has looked at it and found that nothing has to be done. You can block people whom you do not want to read.',
  }[outcomeOf(report.actions)]
  await mailer.send({
    to: reporter.email,
    subject: 'What came of your report',
    text:
      `Hello ${reporter.username},\n\nyou reported ${what} on ${dayOf(report.inserted_at)}.\n\n${text}\n\n` +
      `Your reports: ${issuer}/reports\n`,
  })
}

const done = {
  remove_message: () => 'A message of yours was removed.',
  mute: (until: string) => `You cannot write in chat until ${until}. You can read.`,
  suspend: () => 'Your account is suspended.',
  unmute: () => 'You can write in chat again.',
  dismiss: () => '',
}

export type ModerationMail = Pick<PersonModerated, 'user_id' | 'actions' | 'reason'> & { muted_until: string | null }

/** Mails a person what an admin did to them, and why. */
export async function mailModeration({ db }: ModerationMailDeps, mailer: Mailer, sent: ModerationMail) {
  const person = await findPerson(db, sent.user_id)
  if (!person) return
  const until = sent.muted_until === null ? '' : timeOf(new Date(sent.muted_until))
  const lines = sent.actions.map((action) => done[action](until)).join('\n')
  await mailer.send({
    to: person.email,
    subject: sent.actions.includes('unmute')
      ? 'You can write in chat again'
      : 'An admin has taken a decision about your account',
    text: `Hello ${person.username},\n\n${lines}\n\nThe reason:\n\n${sent.reason}\n`,
  })
}

/** The person, also a suspended one; undefined where they have left. */
const findPerson = (db: Sql, user_id: string) => getUser(db, user_id).catch(() => undefined)

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
const timeOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
