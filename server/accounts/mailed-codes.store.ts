import { purgesRowsOf } from '../platform/erasure.ts'
import type { Sql } from '../platform/postgres/database.ts'

type CodePurpose = 'verify_email'

export interface NewMailedCode {
  user_id: string
  purpose: CodePurpose
  code_hash: Buffer
  attempts: number
  expires_at: Date
}

/** Stores a code in place of an earlier one for the same purpose. */
export const upsertMailedCode = (db: Sql, { user_id, purpose, code_hash, attempts, expires_at }: NewMailedCode) =>
  db.sql`insert into mailed_codes (user_id, purpose, code_hash, tries_left, expires_at)
         values (${user_id}, ${purpose}, ${code_hash}, ${attempts}, ${expires_at})
         on conflict (user_id, purpose) do update
            set code_hash = excluded.code_hash, tries_left = excluded.tries_left, expires_at = excluded.expires_at`

export interface CodeAttempt {
  user_id: string
  purpose: CodePurpose
  /** The hash of the code under each key. */
  code_hashes: Buffer[]
  now: Date
}

/** Consumes one attempt at the user's code; true if the code is right. The last wrong attempt voids the code. */
export async function consumeMailedCodeAttempt(db: Sql, { user_id, purpose, code_hashes, now }: CodeAttempt) {
  const [row] = await db.sql<{ matched: boolean }>`
    update mailed_codes
       set tries_left = case when code_hash = any(${code_hashes}::bytea[]) then 0 else tries_left - 1 end
     where user_id = ${user_id} and purpose = ${purpose} and expires_at > ${now} and tries_left > 0
    returning code_hash = any(${code_hashes}::bytea[]) as matched`
  return row?.matched ?? false
}

export const purgeMailedCodes = purgesRowsOf('mailed_codes', 'expires_at')
