import type { Sql } from './postgres/database.ts'
import { deriveKey, keyFingerprint, keyIdOf, openSealed, seal, sealingKeys } from './secrets.ts'

type Secrets = readonly [string, ...string[]]

interface DerivedKeyRow {
  purpose: string
  /** The fingerprint of the secret that the key derives from. */
  key_id: Buffer
  sealed: Buffer
}

/** A stored key. It outlives the secret that it derives from. */
export interface RetainedKey {
  purpose: string
  key_id: Buffer
  key: Buffer
}

/** A stored key that no configured secret decrypts, with the fingerprint of the secret that would. */
export interface UnreadableKey {
  purpose: string
  key_id: Buffer
  sealed_under: Buffer
}

const keysOf = (secrets: Secrets) => sealingKeys(secrets, 'derived keys')
const contextOf = ({ purpose, key_id }: Pick<DerivedKeyRow, 'purpose' | 'key_id'>) =>
  `${purpose} ${key_id.toString('hex')}`
const sealKey = (secrets: Secrets, { purpose, key_id, key }: RetainedKey) =>
  seal(keysOf(secrets), key.toString('base64'), contextOf({ purpose, key_id }))

/** Stores the keys of these purposes for every secret, so that values they verify outlive the secret. Idempotent. */
export async function storeDerivedKeys(db: Sql, secrets: Secrets, purposes: readonly string[]) {
  for (const purpose of purposes)
    for (const secret of secrets) {
      const entry = { purpose, key_id: keyFingerprint(secret), key: deriveKey(secret, purpose) }
      await db.sql`
        insert into derived_keys (purpose, key_id, sealed)
        values (${purpose}, ${entry.key_id}, ${sealKey(secrets, entry)})
        on conflict do nothing`
    }
}

/** All stored keys: those that the secrets decrypt, and those that they cannot decrypt. */
export async function readDerivedKeys(db: Sql, secrets: Secrets) {
  const keys = keysOf(secrets)
  const known = new Set(keys.map(({ id }) => id.toString('hex')))
  const readable: RetainedKey[] = []
  const unreadable: UnreadableKey[] = []
  for (const row of await listDerivedKeys(db)) {
    const { purpose, key_id, sealed } = row
    if (known.has(keyIdOf(sealed).toString('hex')))
      readable.push({ purpose, key_id, key: Buffer.from(openSealed(keys, sealed, contextOf(row)), 'base64') })
    else unreadable.push({ purpose, key_id, sealed_under: keyIdOf(sealed) })
  }
  return { readable, unreadable }
}

const listDerivedKeys = (db: Sql) =>
  db.sql<DerivedKeyRow>`select purpose, key_id, sealed from derived_keys order by purpose, key_id`

/** Deletes a key that is no longer needed. */
export const deleteDerivedKey = (db: Sql, { purpose, key_id }: Pick<UnreadableKey, 'purpose' | 'key_id'>) =>
  db.sql`delete from derived_keys where purpose = ${purpose} and key_id = ${key_id}`

/** Seals the stored keys under the first secret. Returns how many changed and how many no secret decrypts. */
export async function resealDerivedKeys(db: Sql, secrets: Secrets) {
  const keys = keysOf(secrets)
  let resealed = 0
  let unreadable = 0
  for (const row of await listDerivedKeys(db)) {
    const under = keyIdOf(row.sealed)
    if (under.equals(keys[0].id)) continue
    if (!keys.some(({ id }) => id.equals(under))) {
      unreadable++
      continue
    }
    const sealed = seal(keys, openSealed(keys, row.sealed, contextOf(row)), contextOf(row))
    const rows = await db.sql`
      update derived_keys set sealed = ${sealed}
       where purpose = ${row.purpose} and key_id = ${row.key_id} and sealed = ${row.sealed}
      returning key_id`
    resealed += rows.length
  }
  return { resealed, unreadable, skipped: 0 }
}
