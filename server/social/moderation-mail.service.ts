import { findPerson } from '../accounts/service.ts'
import { mailNotice } from '../notices/mails.service.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { utcTime } from '../platform/clock.ts'
import { mailIn, textIn } from '../platform/texts.ts'
import type { PersonModerated } from './moderation.service.ts'
import { findReportOutcome } from './moderation.store.ts'
import { outcomeOf } from './reports.rules.ts'

export const outcome_job = 'social.mail_report_outcome'
export const moderated_job = 'social.mail_moderation'

export interface ModerationMailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
  /** The address for objections to a decision, with its scheme. */
  contact?: string | undefined
}

export async function mailReportOutcome(deps: ModerationMailDeps, mailer: JobMailer, report_id: string) {
  const report = await findReportOutcome(deps.db, report_id)
  if (!report) return
  const { reporter_id: user_id, kind, person_username, actions, inserted_at } = report
  const is_acted = outcomeOf(actions) === 'acted'
  await mailNotice(deps, mailer, {
    user_id,
    event: is_acted ? 'report_acted' : 'report_dismissed',
    name: is_acted ? 'mail.report-acted' : 'mail.report-dismissed',
    path: '/reports',
    values: () => ({ kind, is_known: person_username !== null, whom: person_username ?? '', day: dayOf(inserted_at) }),
  })
}

const done: Record<ModerationMail['actions'][number], (language: string | null, until: string) => string> = {
  remove_message: (language) => textIn(language, 'mail.moderation.remove-message', {}),
  remove_display_name: (language) => textIn(language, 'mail.moderation.remove-display-name', {}),
  remove_picture: (language) => textIn(language, 'mail.moderation.remove-picture', {}),
  mute: (language, until) => textIn(language, 'mail.moderation.mute', { until }),
  suspend: (language) => textIn(language, 'mail.moderation.suspend', {}),
  unmute: (language) => textIn(language, 'mail.moderation.unmute', {}),
  reactivate: (language) => textIn(language, 'mail.moderation.reactivate', {}),
  dismiss: () => '',
}

export type ModerationMail = Pick<PersonModerated, 'user_id' | 'actions' | 'reason'> & { muted_until: string | null }

/**
 * Mails a person the actions of an admin and the reason, whatever their settings. An unverified address may belong to
 * somebody else and gets none.
 */
export async function mailModeration({ db, contact }: ModerationMailDeps, mailer: JobMailer, sent: ModerationMail) {
  const person = await findPerson(db, sent.user_id)
  if (!person?.email_verified) return
  const until = sent.muted_until === null ? '' : utcTime(new Date(sent.muted_until))
  const { username, language } = person
  const lines = sent.actions.map((action) => done[action](language, until)).join('\n')
  const reason = sent.reason ?? ''
  const is_over = sent.actions.every((action) => action === 'unmute' || action === 'reactivate')
  const objections = contact !== undefined && !is_over
  const facts = {
    username,
    lines,
    reason,
    has_reason: reason !== '',
    is_over: sent.actions.includes('unmute'),
    objections,
    contact: contact?.replace(/^mailto:/, '') ?? '',
  }
  await mailer.send({ to: person.email, ...mailIn(language, 'mail.moderation', facts) })
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
