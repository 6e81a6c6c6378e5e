import { sealedColumn } from '../platform/sealed-column.store.ts'
import { sealingKeys } from '../platform/secrets.ts'

/** The keys that encrypt webhook secrets, derived from the service's secrets. */
export const webhookKeys = (secrets: readonly [string, ...string[]]) => sealingKeys(secrets, 'webhook secrets')

/** The secrets of all webhooks, for key rotation. */
export const webhookSecrets = sealedColumn({
  noun: 'webhook secret',
  table: 'webhook_secrets',
  column: 'sealed',
  rows_at_once: 200,
})
