import { findPerson } from '../accounts/service.ts'
import { system_user_id } from '../accounts/system-user.service.ts'
import { wantsMail } from '../notices/settings.service.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { JobMailer } from '../platform/mail.ts'
import { mailIn } from '../platform/texts.ts'
import { findApp } from './apps.store.ts'
import { findScopeRequest } from './scope-requests.store.ts'

export interface MailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

/** Mails the owner of an app the admin's decision, as it is when the mail is sent. */
export async function mailAppDecision(deps: MailDeps, mailer: JobMailer, app_id: string) {
  const app = await findApp(deps.db, app_id)
  // Nobody reads the mail of the system's user (D-36).
  if (!app || app.status === 'pending' || app.owner_id === system_user_id) return
  const owner = await findPerson(deps.db, app.owner_id)
  if (!owner || owner.suspended || !(await wantsMail(deps.db, owner.id, 'apps'))) return
  const name = app.is_approved ? 'mail.app-approved' : 'mail.app-rejected'
  const facts = factsOf(deps, owner, app, app.decision_reason)
  await mailer.send({ to: owner.email, ...mailIn(owner.language, name, facts) })
}

/** Mails the owner of an app the admin's decision about a scope request. */
export async function mailScopeDecision(deps: MailDeps, mailer: JobMailer, request_id: string) {
  const request = await findScopeRequest(deps.db, request_id)
  const app = request && (await findApp(deps.db, request.app_id))
  if (!app || request.status === 'pending') return
  const owner = await findPerson(deps.db, app.owner_id)
  if (!owner || owner.suspended || !(await wantsMail(deps.db, owner.id, 'apps'))) return
  const name = request.status === 'approved' ? 'mail.scopes-granted' : 'mail.scopes-denied'
  const scopes = request.requested_scopes.join(', ')
  const facts = { ...factsOf(deps, owner, app, request.decision_reason), scopes }
  await mailer.send({ to: owner.email, ...mailIn(owner.language, name, facts) })
}

const factsOf = (
  { issuer }: MailDeps,
  { username }: { username: string },
  { id, app_name }: { id: string; app_name: string },
  reason: string | null,
) => ({
  username,
  app: app_name,
  app_line: oneLine(app_name),
  has_reason: reason !== null && reason.trim() !== '',
  reason: reason ?? '',
  link: `${issuer}/apps/${id}`,
  issuer,
})

const oneLine = (text: string) => text.replace(/\s+/g, ' ')
