import type { JWK } from 'jose'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { SealedChange, SealedRow } from '../platform/sealed-rows.ts'

/** A key of identity tokens; its id is the `kid`. */
export interface SigningKeyRow {
  id: string
  public_jwk: JWK
  /** The private key in PKCS #8, sealed in the context of the id. */
  sealed: Buffer
  signs_from: Date
  /** Null for the newest key. */
  published_until: Date | null
}

/** All keys that are published, in the order in which they sign. */
export const listSigningKeys = (db: Sql, now: Date) =>
  db.sql<SigningKeyRow>`
    select id, public_jwk, sealed, signs_from, published_until from signing_keys
     where published_until is null or published_until > ${now}
     order by signs_from, id`

/** Lets one process at a time make a key, until the transaction ends. */
export const lockSigningKeys = (tx: Tx) => tx.sql`lock table signing_keys in share row exclusive mode`

export interface NewSigningKey {
  id: string
  public_jwk: JWK
  sealed: Buffer
  now: Date
  signs_from: Date
}

/** Adds the newest key; every other one ends no later than `others_published_until`. */
export async function insertSigningKey(tx: Tx, key: NewSigningKey, others_published_until: Date) {
  await tx.sql`
    update signing_keys set published_until = ${others_published_until}
     where published_until is null or published_until > ${others_published_until}`
  await tx.sql`
    insert into signing_keys (id, public_jwk, sealed, inserted_at, signs_from)
    values (${key.id}, ${JSON.stringify(key.public_jwk)}, ${key.sealed}, ${key.now}, ${key.signs_from})`
}

/** Deletes keys that are no longer published. */
export const purgeSigningKeys = (db: Sql, now: Date) => db.sql`delete from signing_keys where published_until <= ${now}`

// For the rotation of SECRET_KEYS: there are a few rows at most.

export async function listSealingKeyIds(db: Sql) {
  const rows = await db.sql<{ key_id: Buffer }>`
    select distinct substring(sealed from 1 for 4) as key_id from signing_keys order by 1`
  return rows.map(({ key_id }) => key_id)
}

export async function countKeysSealedWith(db: Sql, key_id: Buffer) {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from signing_keys where substring(sealed from 1 for 4) = ${key_id}`
  return row?.count ?? 0
}

export const listSealedKeys = (
  db: Sql,
  { key_id, after, rows_max }: { key_id: Buffer; after: string; rows_max: number },
) =>
  db.sql<SealedRow>`
    select id, sealed, substring(sealed from 1 for 4) as key_id from signing_keys
     where substring(sealed from 1 for 4) = ${key_id} and id > ${after}
     order by id limit ${rows_max}`

/** Replaces private keys that are unchanged. */
export async function replaceSealedKeys(db: Sql, changes: readonly SealedChange[]) {
  const rows = await db.sql`
    update signing_keys k set sealed = c.sealed
      from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ old }) => old)}::bytea[],
                  ${changes.map(({ sealed }) => sealed)}::bytea[]) c(id, old, sealed)
     where k.id = c.id and k.sealed = c.old
    returning k.id`
  return rows.length
}
