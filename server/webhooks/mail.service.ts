import { decisions } from '../../contract/decisions.ts'
import { getUser } from '../accounts/service.ts'
import { wantsMail } from '../notices/settings.service.ts'
import type { Mailer } from '../platform/mail.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { findSwitchedOff } from './store.ts'

export interface MailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

const { off_after_days, kept_days } = decisions['D-101'].value

/** Mails the owner of an app that a webhook is switched off because of its failures, if it still is. */
export async function mailSwitchedOff({ db, issuer }: MailDeps, mailer: Mailer, webhook_id: string) {
  const webhook = await findSwitchedOff(db, webhook_id)
  if (!webhook) return
  const { app_id, app_name, owner_id, url } = webhook
  const owner = await getUser(db, owner_id)
  if (owner.suspended || !(await wantsMail(db, owner_id, 'webhooks'))) return
  await mailer.send({
    to: owner.email,
    subject: `A webhook of ${app_name.replace(/\s+/g, ' ')} is switched off`,
    text:
      `Hello ${owner.username},\n\nNo event of ${app_name} could be delivered for ${off_after_days} days to this address:\n\n` +
      `${new URL(url).origin}\n\nIts webhook is switched off, and nothing is sent to it any more. Switch it on again when it ` +
      `works: what waits is delivered then. What happened since then is in GET /api/app/events for ${kept_days} days.\n\n` +
      `Your app: ${issuer}/apps/${app_id}\n`,
  })
}
