import { authorization_code_seconds } from '../../contract/oauth-fields.ts'
import { createBatcher } from '../platform/batching/batcher.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { repeatOnConflict, type Database } from '../platform/postgres/database.ts'
import {
  codeLocks,
  issueCodes,
  issueLocks,
  locksOfIssue,
  redeemCodes,
  type NewCode,
  type Redeemed,
  type Redemption,
  type RedemptionTerms,
} from './authorization-codes.store.ts'
import { expiriesOf, type TokenLifetimes } from './token-response.rules.ts'

/** Issues and redeems authorization codes in batches: calls that arrive while a batch is in flight form the next one. */
export interface AuthorizationCodes {
  /** False if the login session of the code has ended. */
  issue(code: NewCode): Promise<boolean>
  /** The grant that the code was exchanged for; undefined if the code is invalid or another call redeemed it first. */
  redeem(redemption: Redemption): Promise<Redeemed | undefined>
  drain(): Promise<void>
}

/** A code becomes void after this many wrong verifiers (RFC 7636 §7.1 leaves the number open). */
const failed_attempts_max = 5

export function createAuthorizationCodes(db: Database, clock: Clock, lifetimes: TokenLifetimes): AuthorizationCodes {
  const bounds = { batch_max: 256, queue_max: 4_096 }
  const connections = { issue: db.pipelinedConnection(), redeem: db.pipelinedConnection() }
  const issue = createBatcher<NewCode, { issued: boolean }>({
    ...bounds,
    name: 'code_issue',
    run: (codes) => {
      const now = clock()
      const expires_at = secondsAfter(now, authorization_code_seconds)
      return repeatOnConflict(() => issueCodes(connections.issue, codes, now, expires_at))
    },
    locks: { keysOf: locksOfIssue, ...issueLocks(db.locks) },
  })
  const redeem = createBatcher<Redemption, { redeemed: Redeemed | undefined }>({
    ...bounds,
    name: 'code_redeem',
    run: async (redemptions) => {
      const rows = await repeatOnConflict(() =>
        redeemCodes(connections.redeem, redemptions, termsAt(clock(), lifetimes)),
      )
      const granted = new Map(rows.map((row) => [row.grant_id, row]))
      return redemptions.map(({ grant_id }) => ({ redeemed: granted.get(grant_id) }))
    },
    locks: { keysOf: ({ code_hash }) => [code_hash.toString('base64')], ...codeLocks(db.locks) },
  })
  return {
    issue: async (code) => (await issue(code)).issued,
    redeem: async (redemption) => (await redeem(redemption)).redeemed,
    drain: async () => {
      await Promise.all([issue.drain(), redeem.drain()])
    },
  }
}

const termsAt = (now: Date, lifetimes: TokenLifetimes): RedemptionTerms => ({
  now,
  failed_attempts_max,
  ...expiriesOf(lifetimes, { now, consented_at: now }),
  session_token_expires_at: secondsAfter(now, lifetimes.session_token_seconds),
})
