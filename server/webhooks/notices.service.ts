import { notify } from '../notices/service.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { findSwitchedOff } from './store.ts'

/** Notifies the owner of an app that failures switched a webhook off, in the same transaction. */
export async function noticeSwitchedOff(tx: Tx, webhook_id: string, now: Date) {
  const webhook = await findSwitchedOff(tx, webhook_id)
  if (!webhook) return
  const { app_id, owner_id: user_id } = webhook
  const about = `webhook:${webhook_id}`
  await notify(tx, [{ user_id, event: 'webhook_switched_off', about, subject_id: app_id, app_id }], {
    now,
  })
}
