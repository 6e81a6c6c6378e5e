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

/** Ends the webhooks of the apps of somebody who leaves: nothing is delivered any more. */
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
