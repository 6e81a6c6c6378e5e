import { notify } from '../notices/service.ts'
import { noticesOfApp } from '../oauth/members.service.ts'
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
  const mail = { job: switched_off_job, payload: { webhook_id, is_gone } }
  const notice = { app_id, event: 'webhook_switched_off', about: `webhook:${webhook_id}`, mail } as const
  await notify(tx, await noticesOfApp(tx, notice), { now })
}
