import type { Database } from '../../platform/postgres/database.ts'
import type { SealedRows } from '../../platform/sealed-rows.ts'
import { keyIdOf, openSealed, seal, type SealingKeys } from '../../platform/secrets.ts'
import { countEnvsUnder, listEnvKeyIds, listSealedEnvs, replaceSealedEnvs } from './sealing.store.ts'

/** The environments of all deployments that are not destroyed (D-60). */
export const environments = (db: Database, keys: SealingKeys): SealedRows => ({
  noun: 'deployment environment',
  keyIds: () => listEnvKeyIds(db),
  count: (key_id) => countEnvsUnder(db, key_id),
  // Every environment names its key, and did so in version 0.1.
  list: async (key_id, after, rows_max) => (key_id === null ? [] : listSealedEnvs(db, { key_id, after, rows_max })),
  keyOf: ({ sealed }) => keys.find(({ id }) => id.equals(keyIdOf(sealed)))?.id,
  reseal({ id, sealed }) {
    try {
      return seal(keys, openSealed(keys, sealed, id), id)
    } catch {
      return undefined
    }
  },
  replace: (changes) => replaceSealedEnvs(db, changes),
  // One may have 256 KiB.
  rows_at_once: 20,
})
