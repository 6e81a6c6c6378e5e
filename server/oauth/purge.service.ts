import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { inBatches } from '../platform/in-batches.ts'
import { purgeAccessTokens } from './access-tokens.store.ts'
import { purgeOpenidCodes, purgeUnusedCodes } from './authorization-codes.store.ts'
import { purgeGrants } from './grants.store.ts'
import { wipeSuccessors } from './refresh-tokens.store.ts'
import type { OAuthDeps } from './service.ts'
import { purgeSessionTokens } from './app-sessions.store.ts'
import { purgeCliCodes } from './cli/store.ts'
import { purgeProofs } from './dpop/store.ts'
import { purgePushed } from './par/store.ts'

type PurgeDeps = Pick<OAuthDeps, 'db' | 'clock'>

/** How long expired codes, tokens and grants are retained, so that a refusal can still name its reason. */
export const grants_kept_seconds = 86_400

/** Deletes expired codes, tokens and grants, in batches of `rows_max`; safe to repeat. */
export async function purgeExpired({ db, clock }: PurgeDeps, { rows_max }: { rows_max: number }) {
  const now = clock()
  const before = secondsAfter(now, -grants_kept_seconds)
  for (const purge of [purgeUnusedCodes, purgeOpenidCodes, purgeAccessTokens])
    await inBatches(rows_max, () => purge(db.adHoc, { before, rows_max }))
  for (const purge of [purgePushed, purgeCliCodes, purgeSessionTokens])
    await inBatches(rows_max, () => purge(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeGrants(db.adHoc, { before, rows_max }))
}

/**
 * Deletes used DPoP proofs once no process can accept them, not even one with a slow clock, in batches of `rows_max`.
 */
export async function purgeUsedProofs({ db, clock }: PurgeDeps, { rows_max }: { rows_max: number }) {
  const before = secondsAfter(clock(), -decisions.dpop.clocks_apart_seconds)
  await inBatches(rows_max, () => purgeProofs(db.adHoc, { before, rows_max }))
}

/** Wipes the encrypted successors of refresh tokens after the replay window (D-26), in batches of `rows_max`. */
export async function purgeSuccessors({ db, clock }: PurgeDeps, { rows_max }: { rows_max: number }) {
  const before = secondsAfter(clock(), -decisions.token_refresh.replay_seconds)
  await inBatches(rows_max, () => wipeSuccessors(db.adHoc, { before, rows_max }))
}
