import type { Sql } from '../platform/postgres/database.ts'
import { sealedUnderId, type SealedRows } from '../platform/sealed-rows.ts'
import { sealingKeys, type SealingKeys } from '../platform/secrets.ts'
import { countSecretsSealedWith, listSealedSecrets, listSecretKeyIds, replaceSealedSecrets } from './secrets.store.ts'

/** The keys that encrypt webhook secrets, derived from the service's secrets. */
export const webhookKeys = (secrets: readonly [string, ...string[]]) => sealingKeys(secrets, 'webhook secrets')

/** The secrets of all webhooks, for key rotation. */
export const webhookSecrets = (db: Sql, keys: SealingKeys): SealedRows => ({
  noun: 'webhook secret',
  keyIds: () => listSecretKeyIds(db),
  count: (key_id) => countSecretsSealedWith(db, key_id),
  // Every sealed secret begins with its key id.
  list: async (key_id, after, rows_max) => (key_id === null ? [] : listSealedSecrets(db, { key_id, after, rows_max })),
  ...sealedUnderId(keys),
  replace: (changes) => replaceSealedSecrets(db, changes),
  rows_at_once: 200,
})
