import { findPerson } from '../accounts/service.ts'
import { wantsMail } from '../notices/settings.service.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { mailIn, textIn } from '../platform/texts.ts'
import type { ModerationEvents, PersonModerated } from './moderation.service.ts'
import { enqueueForReporters, findReportOutcome } from './moderation.store.ts'
import { outcomeOf } from './reports.rules.ts'

export const outcome_job = 'social.mail_report_outcome'
export const moderated_job = 'social.mail_moderation'

/** Queues the mails about an admin's decision, in its transaction. */
export const moderation_mails: ModerationEvents = {
  case_decided: async (tx, { case_id, moderated }) => {
    await enqueueForReporters(tx, { job: outcome_job, case_id })
    if (moderated) await moderation_mails.person_moderated(tx, moderated)
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

/** Mails a person the outcome of their report, if their address is verified. */
export async function mailReportOutcome({ db, issuer }: ModerationMailDeps, mailer: JobMailer, report_id: string) {
  const report = await findReportOutcome(db, report_id)
  const reporter = report && (await findPerson(db, report.reporter_id))
  if (!report || !reporter?.email_verified || !(await wantsMail(db, reporter.id, 'moderation'))) return
  const name = outcomeOf(report.actions) === 'acted' ? 'mail.report-acted' : 'mail.report-dismissed'
  const facts = {
    username: reporter.username,
    kind: report.kind,
    is_known: report.person_username !== null,
    whom: report.person_username ?? '',
    day: dayOf(report.inserted_at),
    link: `${issuer}/reports`,
    issuer,
  }
  await mailer.send({ to: reporter.email, ...mailIn(reporter.language, name, facts) })
}

const done: Record<ModerationMail['actions'][number], (language: string | null, until: string) => string> = {
  remove_message: (language) => textIn(language, 'mail.moderation.remove-message', {}),
  mute: (language, until) => textIn(language, 'mail.moderation.mute', { until }),
  suspend: (language) => textIn(language, 'mail.moderation.suspend', {}),
  unmute: (language) => textIn(language, 'mail.moderation.unmute', {}),
  reactivate: (language) => textIn(language, 'mail.moderation.reactivate', {}),
  dismiss: () => '',
}

export type ModerationMail = Pick<PersonModerated, 'user_id' | 'actions' | 'reason'> & { muted_until: string | null }

/** Mails a person an admin's action and its reason, if their address is verified; an unverified one may belong to another person. */
export async function mailModeration({ db }: ModerationMailDeps, mailer: JobMailer, sent: ModerationMail) {
  const person = await findPerson(db, sent.user_id)
  if (!person?.email_verified) return
  const until = sent.muted_until === null ? '' : timeOf(new Date(sent.muted_until))
  const { username, language } = person
  const lines = sent.actions.map((action) => done[action](language, until)).join('\n')
  const reason = sent.reason ?? ''
  const facts = { username, lines, reason, has_reason: reason !== '', is_over: sent.actions.includes('unmute') }
  await mailer.send({ to: person.email, ...mailIn(language, 'mail.moderation', facts) })
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
const timeOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
