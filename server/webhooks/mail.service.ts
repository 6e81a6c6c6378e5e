import { decisions } from '../../contract/decisions.ts'
import { getUser } from '../accounts/service.ts'
import { wantsMail } from '../notices/settings.service.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { mailIn } from '../platform/texts.ts'
import { findSwitchedOff } from './store.ts'

export interface MailDeps {
  db: Sql
  /** The base of the links in mails. */
  issuer: string
}

const { off_after_days, kept_days } = decisions.webhooks

/** Mails the owner that a webhook was switched off after days of failures or a 410, if it is still off. */
export async function mailSwitchedOff(
  { db, issuer }: MailDeps,
  mailer: JobMailer,
  { webhook_id, is_gone }: { webhook_id: string; is_gone: boolean },
) {
  const webhook = await findSwitchedOff(db, webhook_id)
  if (!webhook) return
  const { app_id, app_name, owner_id, url } = webhook
  const owner = await getUser(db, owner_id)
  if (owner.suspended || !(await wantsMail(db, owner_id, 'webhooks'))) return
  const facts = {
    username: owner.username,
    app: app_name,
    app_line: app_name.replace(/\s+/g, ' '),
    days: off_after_days,
    origin: new URL(url).origin,
    kept_days,
    link: `${issuer}/apps/${app_id}`,
    issuer,
  }
  await mailer.send({
    to: owner.email,
    ...mailIn(owner.language, is_gone ? 'mail.webhook-gone' : 'mail.webhook-off', facts),
  })
}
