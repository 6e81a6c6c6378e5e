import { mailNotice } from '../notices/mails.service.ts'
import { oneLine } from '../platform/texts.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { JobMailer } from '../platform/mail.ts'
import { findApp } from './apps.store.ts'
import { findScopeRequest } from './scope-requests.store.ts'

export const app_decision_job = 'oauth.mail_app_decision'
export const scope_decision_job = 'oauth.mail_scope_decision'

export interface MailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

// The payloads of the jobs; jobs of versions before 0.3 name no person.
export interface AppMail {
  app_id: string
  user_id?: string
}
export interface ScopeMail {
  request_id: string
  user_id?: string
}

/** Mails the admin's decision to a person of an app, by default its owner, as it is when the mail is sent. */
export async function mailAppDecision(deps: MailDeps, mailer: JobMailer, { app_id, user_id }: AppMail) {
  const app = await findApp(deps.db, app_id)
  if (!app || app.status === 'pending') return
  await mailNotice(deps, mailer, {
    user_id: user_id ?? app.owner_id,
    event: app.is_approved ? 'app_approved' : 'app_rejected',
    name: app.is_approved ? 'mail.app-approved' : 'mail.app-rejected',
    path: `/apps/${app_id}`,
    values: () => valuesOf(app, app.decision_reason),
  })
}

/** The same for a decision about a scope request. */
export async function mailScopeDecision(deps: MailDeps, mailer: JobMailer, { request_id, user_id }: ScopeMail) {
  const request = await findScopeRequest(deps.db, request_id)
  const app = request && (await findApp(deps.db, request.app_id))
  if (!app || request.status === 'pending') return
  const is_granted = request.status === 'approved'
  await mailNotice(deps, mailer, {
    user_id: user_id ?? app.owner_id,
    event: is_granted ? 'scopes_granted' : 'scopes_denied',
    name: is_granted ? 'mail.scopes-granted' : 'mail.scopes-denied',
    path: `/apps/${app.id}`,
    values: () => ({ ...valuesOf(app, request.decision_reason), scopes: request.requested_scopes.join(', ') }),
  })
}

const valuesOf = ({ app_name }: { app_name: string }, reason: string | null) => ({
  app: app_name,
  app_line: oneLine(app_name),
  has_reason: reason !== null && reason.trim() !== '',
  reason: reason ?? '',
})
