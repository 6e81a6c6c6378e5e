import { purgesRowsOf } from '../platform/erasure.ts'
import { firstRow, firstValue, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface NewProof {
  user_id: string
  started_by: string
  /** A hash of a value that nobody knows, until the codes are made and mailed. */
  nobodys_hash: Buffer
  attempts: number
  now: Date
  expires_at: Date
}

/** Starts a proof in place of an earlier one of this person; the mail's job sets the codes. */
export const startProof = (tx: Tx, { user_id, started_by, nobodys_hash, attempts, now, expires_at }: NewProof) =>
  tx.sql`
    insert into second_factor_proofs
      (user_id, code_hash, link_hash, email_hash, tries_left, started_by, inserted_at, expires_at)
    values (${user_id}, ${nobodys_hash}, ${nobodys_hash}, ${nobodys_hash}, ${attempts}, ${started_by}, ${now}, ${expires_at})
    on conflict (user_id) do update
       set code_hash = excluded.code_hash, link_hash = excluded.link_hash, email_hash = excluded.email_hash,
           tries_left = excluded.tries_left, started_by = excluded.started_by, confirmed_by = null, confirmed_at = null,
           inserted_at = excluded.inserted_at, expires_at = excluded.expires_at`

export interface ProofCodes {
  user_id: string
  code_hash: Buffer
  link_hash: Buffer
  email_hash: Buffer
  now: Date
}

/** Sets the codes of a started proof; false if it was confirmed or has expired. */
export const setProofCodes = (db: Sql, { user_id, code_hash, link_hash, email_hash, now }: ProofCodes) =>
  hasRows(db.sql`
    update second_factor_proofs set code_hash = ${code_hash}, link_hash = ${link_hash}, email_hash = ${email_hash}
     where user_id = ${user_id} and confirmed_at is null and expires_at > ${now}
    returning user_id`)

/** Consumes one attempt at the code; true if the code is right. The last wrong attempt voids it. */
export async function confirmByCode(
  db: Sql,
  { user_id, code_hashes, now }: { user_id: string; code_hashes: Buffer[]; now: Date },
) {
  const [row] = await db.sql<{ matched: boolean }>`
    update second_factor_proofs
       set tries_left = case when code_hash = any(${code_hashes}::bytea[]) then tries_left else tries_left - 1 end,
           confirmed_by = case when code_hash = any(${code_hashes}::bytea[]) then coalesce(confirmed_by, 'code') else confirmed_by end,
           confirmed_at = case when code_hash = any(${code_hashes}::bytea[]) then coalesce(confirmed_at, ${now}) else confirmed_at end
     where user_id = ${user_id} and expires_at > ${now} and tries_left > 0
    returning code_hash = any(${code_hashes}::bytea[]) as matched`
  return row?.matched ?? false
}

/** Confirms the proof of this link; returns its person, or undefined if there is none or it has expired. */
export const confirmByLink = (db: Sql, { link_hash, now }: { link_hash: Buffer; now: Date }) =>
  firstValue(db.sql<{ user_id: string }>`
    update second_factor_proofs
       set confirmed_by = coalesce(confirmed_by, 'link'), confirmed_at = coalesce(confirmed_at, ${now})
     where link_hash = ${link_hash} and expires_at > ${now}
    returning user_id`)

/** Consumes a confirmed proof of this address; false if there is none. */
export const consumeProof = (
  tx: Tx,
  { user_id, email_hashes, now }: { user_id: string; email_hashes: Buffer[]; now: Date },
) =>
  hasRows(tx.sql`
    delete from second_factor_proofs
     where user_id = ${user_id} and confirmed_at is not null and expires_at > ${now}
       and email_hash = any(${email_hashes}::bytea[])
    returning user_id`)

export const findProof = (db: Sql, { user_id, now }: { user_id: string; now: Date }) =>
  firstRow(db.sql<{ is_confirmed: boolean; expires_at: Date }>`
    select confirmed_at is not null as is_confirmed, expires_at
      from second_factor_proofs where user_id = ${user_id} and expires_at > ${now}`)

export const purgeProofs = purgesRowsOf('second_factor_proofs', 'expires_at')
