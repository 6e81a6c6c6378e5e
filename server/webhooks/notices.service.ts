import { notify, type NewNotice } from '../notices/service.ts'
import { peopleOfApp } from '../oauth/members.service.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { switched_off_job } from './mail.service.ts'
import { findSwitchedOff } from './store.ts'

/**
 * Notifies the people of an app that a webhook was switched off: because of a 410 (`is_gone`), or after days of
 * failures.
 */
export async function noticeSwitchedOff(tx: Tx, webhook_id: string, { is_gone, now }: { is_gone: boolean; now: Date }) {
  const webhook = await findSwitchedOff(tx, webhook_id)
  if (!webhook) return
  const { app_id } = webhook
  const about = `webhook:${webhook_id}`
  const notices = (await peopleOfApp(tx, app_id)).map((user_id): NewNotice => {
    const mail = { job: switched_off_job, payload: { webhook_id, is_gone, user_id } }
    return { user_id, event: 'webhook_switched_off', about, subject_id: app_id, app_id, mail }
  })
  await notify(tx, notices, { now })
}
