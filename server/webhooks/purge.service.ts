import { secondsAfter } from '../platform/clock.ts'
import { inBatches } from '../platform/in-batches.ts'
import { purgeDeletedWebhook, purgeOldDeliveries } from './deliveries.store.ts'
import { kept_seconds } from './events.service.ts'
import { deleteReaders, purgeOldEvents } from './events.store.ts'
import { purgeRequestKeys } from './request-keys.store.ts'
import type { WebhooksDeps } from './service.ts'
import { purgeExpiredSecrets, updateListening } from './store.ts'

/**
 * Deletes expired deliveries, events, idempotency keys and secrets, and deleted webhooks. Stops recording for apps that no longer read
 * their events. Works in batches of `rows_max`; safe to repeat.
 */
export async function purgeWebhooks(
  { db, clock }: Pick<WebhooksDeps, 'db' | 'clock'>,
  { rows_max }: { rows_max: number },
) {
  const now = clock()
  const before = secondsAfter(now, -kept_seconds)
  await inBatches(rows_max, () => purgeExpiredSecrets(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeOldDeliveries(db.adHoc, { before, rows_max }))
  await inBatches(1, () => purgeDeletedWebhook(db.adHoc, { rows_max }))
  await inBatches(rows_max, () => purgeRequestKeys(db.adHoc, { before, rows_max }))
  await inBatches(rows_max, () => purgeOldEvents(db.adHoc, { before, rows_max }))
  await inBatches(rows_max, () =>
    db.transaction(async (tx) => {
      const readers = await deleteReaders(tx, { before, rows_max })
      // The order in which the ledger locks accounts.
      const app_ids = readers
        .map(({ app_id }) => app_id)
        .toSorted()
        .toReversed()
      for (const app_id of app_ids) await updateListening(tx, app_id)
      return readers.length
    }),
  )
}
