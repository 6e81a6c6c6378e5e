import { decisions } from '../../contract/decisions.ts'
import { mailNotice } from '../notices/mails.service.ts'
import type { MailDeps } from '../oauth/review-mail.service.ts'
import type { JobMailer } from '../platform/mail.ts'
import { oneLine } from '../platform/texts.ts'
import { findSwitchedOff } from './store.ts'

export const switched_off_job = 'webhooks.mail_switched_off'

/** The payload of the job; jobs of versions before 0.3 name no person. */
export interface SwitchedOff {
  webhook_id: string
  is_gone: boolean
  user_id?: string
}

const { off_after_days, kept_days } = decisions.webhooks

/** Mails a person of the app, by default its owner, that a webhook was switched off after days of failures or a 410, if it is still off. */
export async function mailSwitchedOff(
  deps: MailDeps,
  mailer: JobMailer,
  { webhook_id, is_gone, user_id }: SwitchedOff,
) {
  const webhook = await findSwitchedOff(deps.db, webhook_id)
  if (!webhook) return
  const { app_id, app_name, owner_id, url } = webhook
  await mailNotice(deps, mailer, {
    user_id: user_id ?? owner_id,
    event: 'webhook_switched_off',
    name: is_gone ? 'mail.webhook-gone' : 'mail.webhook-off',
    path: `/apps/${app_id}`,
    values: () => ({
      app: app_name,
      app_line: oneLine(app_name),
      days: off_after_days,
      origin: new URL(url).origin,
      kept_days,
    }),
  })
}
