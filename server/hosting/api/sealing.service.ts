import type { Sql } from '../../platform/postgres/database.ts'
import { sealedUnderId, type SealedRows } from '../../platform/sealed-rows.ts'
import type { SealingKeys } from '../../platform/secrets.ts'
import {
  countReleasesSealedWith,
  listReleaseKeyIds,
  listSealedReleases,
  replaceSealedReleases,
} from './releases.store.ts'
import { countEnvsSealedWith, listEnvKeyIds, listSealedEnvs, replaceSealedEnvs } from './sealing.store.ts'

/** The sealed environments of all deployments that are not destroyed, for key rotation (D-60). */
export const environments = (db: Sql, keys: SealingKeys): SealedRows => ({
  noun: 'deployment environment',
  keyIds: () => listEnvKeyIds(db),
  count: (key_id) => countEnvsSealedWith(db, key_id),
  // Every sealed environment begins with its key id, also those of version 0.1.
  list: async (key_id, after, rows_max) => (key_id === null ? [] : listSealedEnvs(db, { key_id, after, rows_max })),
  ...sealedUnderId(keys),
  replace: (changes) => replaceSealedEnvs(db, changes),
  // One environment may have 256 KiB.
  rows_at_once: 20,
})

/** The sealed environments of releases (D-104). */
export const releaseEnvironments = (db: Sql, keys: SealingKeys): SealedRows => ({
  noun: 'release environment',
  keyIds: () => listReleaseKeyIds(db),
  count: (key_id) => countReleasesSealedWith(db, key_id),
  list: async (key_id, after, rows_max) => (key_id === null ? [] : listSealedReleases(db, { key_id, after, rows_max })),
  ...sealedUnderId(keys),
  replace: (changes) => replaceSealedReleases(db, changes),
  rows_at_once: 20,
})
