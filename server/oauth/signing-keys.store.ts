import type { JWK } from 'jose'
import type { Sql, Tx } from '../platform/postgres/database.ts'

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

/** All published keys, in the order in which they sign. */
export const listSigningKeys = (db: Sql, now: Date) =>
  db.sql<SigningKeyRow>`
    select id, public_jwk, sealed, signs_from, published_until from signing_keys
     where published_until is null or published_until > ${now}
     order by signs_from, id`

/** Lets only one process make a key, until the transaction ends. */
export const lockSigningKeys = (tx: Tx) => tx.sql`lock table signing_keys in share row exclusive mode`

export interface NewSigningKey extends Omit<SigningKeyRow, 'published_until'> {
  now: Date
}

/** Adds the newest key; all others end by `others_published_until`. */
export async function insertSigningKey(tx: Tx, key: NewSigningKey, others_published_until: Date) {
  await tx.sql`
    update signing_keys set published_until = ${others_published_until}
     where published_until is null or published_until > ${others_published_until}`
  await tx.sql`
    insert into signing_keys (id, public_jwk, sealed, inserted_at, signs_from)
    values (${key.id}, ${JSON.stringify(key.public_jwk)}, ${key.sealed}, ${key.now}, ${key.signs_from})`
}

export const purgeSigningKeys = (db: Sql, now: Date) => db.sql`delete from signing_keys where published_until <= ${now}`
