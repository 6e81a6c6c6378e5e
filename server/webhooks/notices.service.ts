import { notify } from '../notices/service.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { switched_off_job } from './mail.service.ts'
import { findSwitchedOff } from './store.ts'

/** Notifies the owner of an app that a webhook was switched off: `is_gone` (410), or after failures for days. */
export async function noticeSwitchedOff(tx: Tx, webhook_id: string, { is_gone, now }: { is_gone: boolean; now: Date }) {
  const webhook = await findSwitchedOff(tx, webhook_id)
  if (!webhook) return
  const { app_id, owner_id: user_id } = webhook
  const about = `webhook:${webhook_id}`
  const mail = { job: switched_off_job, payload: { webhook_id, is_gone } }
  await notify(tx, [{ user_id, event: 'webhook_switched_off', about, subject_id: app_id, app_id, mail }], { now })
}
