import { shortSection } from '../platform/export-section.ts'
import type { Tx } from '../platform/postgres/database.ts'
import {
  endWebhooks,
  eraseAnswersOfPayloads,
  eraseAnswersOfHolds,
  eraseAnswersOfMovements,
  eraseDeliveredTexts,
  eraseDeliveriesOfApps,
  eraseEventsOfApps,
  eraseRequestKeys,
  listWebhooksForExport,
} from './leaving.store.ts'

/** Deletes the webhooks of a leaving person's apps; deliveries stop. */
export const endWebhooksOf = (tx: Tx, app_ids: string[]) => endWebhooks(tx, app_ids)

export const webhooks_erasure = [
  eraseDeliveriesOfApps,
  eraseEventsOfApps,
  eraseDeliveredTexts,
  eraseAnswersOfPayloads,
  eraseAnswersOfHolds,
  eraseAnswersOfMovements,
  eraseRequestKeys,
]

export const webhooks_sections = [shortSection('webhooks', listWebhooksForExport)]
