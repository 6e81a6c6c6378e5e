import { getUser } from '../accounts/service.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Mailer } from '../platform/mail.ts'
import { findScopeRequest } from './review.store.ts'
import { findApp } from './store.ts'

export interface MailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

/** What an admin decided, in words for the owner. */
interface Decision {
  app_id: string
  owner_id: string
  subject: string
  news: string
  reason: string | null
}

/** Tells the owner of an app what an admin decided about it; as it stands when the mail goes out. */
export async function mailAppDecision(deps: MailDeps, mailer: Mailer, app_id: string) {
  const app = await findApp(deps.db, app_id)
  if (!app || app.status === 'pending') return
  const { app_name, owner_id, decision_reason } = app
  const words = app.is_approved
    ? { subject: 'is approved', news: 'is approved. People can connect it now.' }
    : {
        subject: 'is not approved',
        news:
          'is not approved. Nobody can connect it, and its codes, tokens and sessions are revoked. You can change it and ' +
          'submit it again on its page.',
      }
  const subject = `${oneLine(app_name)} ${words.subject}`
  await send(deps, mailer, { app_id, owner_id, subject, news: `${app_name} ${words.news}`, reason: decision_reason })
}

/** Tells the owner of an app what an admin decided about a scope request. */
export async function mailScopeDecision(deps: MailDeps, mailer: Mailer, request_id: string) {
  const request = await findScopeRequest(deps.db, request_id)
  const app = request && (await findApp(deps.db, request.app_id))
  if (!app || request.status === 'pending') return
  const { status, requested_scopes, decision_reason: reason } = request
  const asked = requested_scopes.join(', ')
  const news = `The scopes that you requested for ${app.app_name} are ${status === 'approved' ? 'granted' : 'not granted'}: ${asked}.`
  const subject = `Scopes for ${oneLine(app.app_name)} are ${status === 'approved' ? 'granted' : 'not granted'}`
  await send(deps, mailer, { app_id: app.id, owner_id: app.owner_id, subject, news, reason })
}

async function send({ db, issuer }: MailDeps, mailer: Mailer, { app_id, owner_id, subject, news, reason }: Decision) {
  const owner = await getUser(db, owner_id)
  if (owner.suspended) return
  const because = reason === null || reason.trim() === '' ? '' : `The reason:\n\n${reason}\n\n`
  await mailer.send({
    to: owner.email,
    subject,
    text: `Hello ${owner.username},\n\n${news}\n\n${because}Your app: ${issuer}/apps/${app_id}\n`,
  })
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')
