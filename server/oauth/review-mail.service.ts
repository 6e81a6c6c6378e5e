import { getUser } from '../accounts/service.ts'
import { system_user_id } from '../accounts/system-user.service.ts'
import { wantsMail } from '../notices/settings.service.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Mailer } from '../platform/mail.ts'
import { findApp } from './apps.store.ts'
import { findScopeRequest } from './scope-requests.store.ts'

export interface MailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

/** A mail about an admin's decision. */
interface DecisionMail {
  app_id: string
  owner_id: string
  subject: string
  message: string
  reason: string | null
}

/** Mails the owner of an app the admin's decision, as it is when the mail is sent. */
export async function mailAppDecision(deps: MailDeps, mailer: Mailer, app_id: string) {
  const app = await findApp(deps.db, app_id)
  // Nobody reads the mail of the system's user (D-36).
  if (!app || app.status === 'pending' || app.owner_id === system_user_id) return
  const { app_name, owner_id, decision_reason } = app
  const texts = app.is_approved
    ? { subject: 'is approved', message: 'is approved. People can connect it now.' }
    : {
        subject: 'is not approved',
        message:
          'is not approved. Nobody can connect it, and its codes, tokens and sessions are revoked. You can change it and ' +
          'submit it again on its page.',
      }
  const subject = `${oneLine(app_name)} ${texts.subject}`
  const message = `${app_name} ${texts.message}`
  await send(deps, mailer, { app_id, owner_id, subject, message, reason: decision_reason })
}

/** Mails the owner of an app the admin's decision about a scope request. */
export async function mailScopeDecision(deps: MailDeps, mailer: Mailer, request_id: string) {
  const request = await findScopeRequest(deps.db, request_id)
  const app = request && (await findApp(deps.db, request.app_id))
  if (!app || request.status === 'pending') return
  const { status, requested_scopes, decision_reason: reason } = request
  const outcome = status === 'approved' ? 'granted' : 'not granted'
  const message = `The scopes that you requested for ${app.app_name} are ${outcome}: ${requested_scopes.join(', ')}.`
  const subject = `Scopes for ${oneLine(app.app_name)} are ${outcome}`
  await send(deps, mailer, { app_id: app.id, owner_id: app.owner_id, subject, message, reason })
}

async function send({ db, issuer }: MailDeps, mailer: Mailer, mail: DecisionMail) {
  const { app_id, owner_id, subject, message, reason } = mail
  const owner = await getUser(db, owner_id)
  if (owner.suspended || !(await wantsMail(db, owner_id, 'apps'))) return
  const reason_text = reason === null || reason.trim() === '' ? '' : `The reason:\n\n${reason}\n\n`
  await mailer.send({
    to: owner.email,
    subject,
    text: `Hello ${owner.username},\n\n${message}\n\n${reason_text}Your app: ${issuer}/apps/${app_id}\n`,
  })
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')
