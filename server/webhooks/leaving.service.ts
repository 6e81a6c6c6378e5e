import { shortSection, type ExportSection } from '../platform/export-section.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
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

export const webhooksSections = (db: Database, user_id: string): ExportSection[] => [
  shortSection('webhooks', () => listWebhooksForExport(db, user_id)),
]
