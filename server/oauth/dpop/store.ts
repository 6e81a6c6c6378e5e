import { purgesRowsOf } from '../../platform/erasure.ts'
import type { Sql } from '../../platform/postgres/database.ts'

export interface UsedProof {
  proof_hash: Buffer
  expires_at: Date
}

/**
 * Marks proofs as used; returns the hashes of those that were unused: of any number of callers of one proof, in any
 * process, one gets it. Inserts in the order of the hashes, so that batches of several processes cannot deadlock.
 */
export async function useProofs(db: Sql, proofs: readonly UsedProof[]) {
  const rows = await db.sql<{ proof_hash: Buffer }>`
    insert into dpop_proofs (proof_hash, expires_at)
    select * from unnest(${proofs.map((proof) => proof.proof_hash)}::bytea[], ${proofs.map((proof) => proof.expires_at)}::timestamptz[])
           as used(proof_hash, expires_at)
     order by proof_hash
    on conflict do nothing
    returning proof_hash`
  return rows.map((row) => row.proof_hash)
}

export const purgeProofs = purgesRowsOf('dpop_proofs', 'expires_at')
