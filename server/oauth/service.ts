import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { authorization_code_seconds } from '../../contract/oauth.ts'
import { userTag } from '../accounts/service.ts'
import type { Clock } from '../platform/clock.ts'
import { secondsAfter } from '../platform/clock.ts'
import { createInvalidatingCache, type InvalidatingCache } from '../platform/batching/invalidating-cache.ts'
import { repeatOnConflict, type Database, type Tx } from '../platform/postgres/database.ts'
import { forEachItem } from '../platform/each.ts'
import { Failure } from '../platform/failure.ts'
import { createBatcher } from '../platform/batching/batcher.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { inBatches } from '../platform/in-batches.ts'
import { sha256Text } from '../platform/secrets.ts'
import { inOrder, prefixes } from './rules.ts'
import {
  listConnections,
  removeConnection,
  removeConnections,
  restoreAppsOfOwner,
  revokeGrants,
  voidCodes,
  withdrawAppsOfOwner,
} from './store.ts'
import {
  codeLocks,
  purgeUnusedCodes,
  issueCodes,
  issueLocks,
  locksOfIssue,
  redeemCodes,
  type NewCode,
  type Redeemed,
  type Redemption,
  type RedemptionTerms,
} from './code.store.ts'
import { purgeSessionTokens, stampUses, type Use } from './session.store.ts'
import {
  findAccessTokens,
  purgeAccessTokens,
  purgeGrants,
  revokeAccessToken,
  revokeGrant,
  wipeSuccessors,
  type AccessTokenRow,
} from './token.store.ts'

/** What other domains do when something happens to an app, inside the transaction in which it happens. */
export interface OAuthEvents {
  /** Its owner submitted it again; `reason` is why it was rejected. */
  app_resubmitted(tx: Tx, event: { app_id: string; owner_id: string; reason: string | null; now: Date }): Promise<void>
}

export interface OAuthDeps {
  db: Database
  clock: Clock
  /** The authorization server's identifier, equal to the public URL. */
  issuer: string
  lifetimes: Lifetimes
  events: OAuthEvents
  heartbeat_seconds: number
  codes: Codes
  uses: Uses
  invalidations: InvalidationBus
  /** Access tokens by `tokenKey`. */
  tokens: InvalidatingCache<AccessTokenRow>
}

export interface Lifetimes {
  access_token_seconds: number
  refresh_token_seconds: number
  session_token_seconds: number
}

/** Issues and redeems authorization codes; those that come while a batch is in flight form the next one. */
export interface Codes {
  /** False when the login session of the code has ended. */
  issue(code: NewCode): Promise<boolean>
  /** What the code was exchanged for; undefined when it cannot be, or another was first. */
  redeem(redemption: Redemption): Promise<Redeemed | undefined>
  drain(): Promise<void>
}

/** Wrong verifiers that a code survives; a guesser gets no more (RFC 7636 §7.1 leaves the number to us). */
const failed_tries_max = 5

export function openCodes(db: Database, clock: Clock, lifetimes: Lifetimes): Codes {
  const bounds = { batch_max: 256, queue_max: 4_096 }
  const lanes = { issue: db.pipelinedConnection(), redeem: db.pipelinedConnection() }
  const issue = createBatcher<NewCode, { issued: boolean }>({
    ...bounds,
    run: (codes) => {
      const now = clock()
      return repeatOnConflict(() => issueCodes(lanes.issue, codes, now, secondsAfter(now, authorization_code_seconds)))
    },
    locks: { keysOf: locksOfIssue, ...issueLocks(db.locks) },
  })
  const redeem = createBatcher<Redemption, { redeemed: Redeemed | undefined }>({
    ...bounds,
    run: async (redemptions) => {
      const rows = await repeatOnConflict(() => redeemCodes(lanes.redeem, redemptions, termsAt(clock(), lifetimes)))
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

const termsAt = (now: Date, lifetimes: Lifetimes): RedemptionTerms => ({
  now,
  failed_tries_max,
  access_token_expires_at: secondsAfter(now, lifetimes.access_token_seconds),
  refresh_token_expires_at: secondsAfter(now, lifetimes.refresh_token_seconds),
  session_token_expires_at: secondsAfter(now, lifetimes.session_token_seconds),
})

const tokens_cached_max = 100_000

/** The key under which a token is cached and found: its hash, so that memory holds no token. */
export const tokenKey = (token: string) => sha256Text(token)

// What, when revoked, voids what is cached of a token; the user's own tag is the accounts domain's.
const tokenTag = (key: string) => `token ${key}`
const grantTag = (grant_id: string) => `grant ${grant_id}`
const connectionTag = (user_id: string, app_id: string) => `connection ${user_id} ${app_id}`
export const appTag = (app_id: string) => `app ${app_id}`

export const openTokenCache = (db: Database, bus: InvalidationBus) =>
  createInvalidatingCache<AccessTokenRow>({
    bus,
    entries_max: tokens_cached_max,
    load: async (keys) => {
      const rows = await findAccessTokens(
        db,
        keys.map((key) => Buffer.from(key, 'base64')),
      )
      const found = new Map(rows.map((row) => [row.token_hash.toString('base64'), row]))
      return keys.map((key) => found.get(key))
    },
    tagsOf: (key, { grant_id, user_id, app_id }) => [
      tokenTag(key),
      grantTag(grant_id),
      connectionTag(user_id, app_id),
      appTag(app_id),
      userTag(user_id),
    ],
  })

/** Ends a grant with its tokens and session, everywhere at once. */
export const endGrant = ({ db, clock, invalidations }: OAuthDeps, grant_id: string) =>
  db.transaction(async (tx) => {
    await revokeGrant(tx, grant_id, clock())
    await invalidations.publish(tx, [grantTag(grant_id)])
  })

/** Ends one access token, everywhere at once. */
export const endAccessToken = ({ db, clock, invalidations }: OAuthDeps, key: string) =>
  db.transaction(async (tx) => {
    await revokeAccessToken(tx, Buffer.from(key, 'base64'), clock())
    await invalidations.publish(tx, [tokenTag(key)])
  })

/** Who an access token acts for and with what. Fails with `invalid_token`. */
export async function authenticateApp({ tokens, clock }: OAuthDeps, token: string): Promise<AppCaller> {
  if (!token.startsWith(prefixes.access_token)) throw new Failure('invalid_token', { why: 'not an access token' })
  const found = await tokens.get(tokenKey(token))
  if (!found?.live || found.expires_at <= clock())
    throw new Failure('invalid_token', { why: found ? (found.live ? 'expired' : 'revoked') : 'unknown' })
  const { user_id, app_id, grant_id, scopes } = found
  return { user_id, app_id, grant_id, scopes }
}

/** Remembers which grants were used, so that a read need not write: noted in memory, written together now and then. */
export interface Uses {
  note(use: Omit<Use, 'at'>): void
  /** The last use of a grant that is not written yet. */
  pending(grant_id: string): Date | undefined
  flush(): Promise<void>
}

/** Uses in memory before they are written even though the time has not come. */
const uses_max = 100_000
/** Uses written by one statement: a longer one would hold rows that a disconnect waits for. */
const uses_at_once = 1_000

export function openUses(db: Database, clock: Clock): Uses {
  const uses = new Map<string, Use>()
  let flushes = 0
  /** Until it is written, a use counts as pending. One noted in the meantime is another one and stays, as one does that is locked. */
  async function write(some: Use[]) {
    const locked = new Set((await stampUses(db, some)).map(({ grant_id }) => grant_id))
    for (const use of some) if (uses.get(use.grant_id) === use && !locked.has(use.grant_id)) uses.delete(use.grant_id)
  }
  async function flush() {
    const noted = [...uses.values()]
    const parts = Array.from({ length: Math.ceil(noted.length / uses_at_once) }, (_, at) =>
      noted.slice(at * uses_at_once, (at + 1) * uses_at_once),
    )
    flushes++
    try {
      const [error] = await forEachItem(parts, write)
      if (error !== undefined) throw error as Error
    } finally {
      flushes--
    }
  }
  return {
    note({ grant_id, user_id, app_id }) {
      uses.set(grant_id, { grant_id, user_id, app_id, at: clock() })
      // A late stamp is a late heartbeat, not an error of the call that happened to fill the map.
      if (uses.size >= uses_max && flushes === 0) void flush().catch(() => {})
    },
    pending: (grant_id) => uses.get(grant_id)?.at,
    flush,
  }
}

/** The apps that a user has let in. */
export async function connectedApps({ db }: Pick<OAuthDeps, 'db'>, user_id: string) {
  const connections = await listConnections(db, user_id)
  return connections.map((connection) => ({ ...connection, scopes: inOrder(connection.scopes) }))
}

/** Disconnects an app: its pending codes, tokens and sessions for this user stop at once. Fails with `not_found`. */
export function disconnect({ db, clock, invalidations }: OAuthDeps, user_id: string, app_id: string) {
  return db.transaction(async (tx) => {
    const now = clock()
    if (!(await removeConnection(tx, user_id, app_id, now))) throw new Failure('not_found')
    // Codes first: one that is being redeemed right now holds its row, and its grant is there for the next statement.
    await voidCodes(tx, user_id, app_id)
    await revokeGrants(tx, user_id, app_id, now)
    await invalidations.publish(tx, [connectionTag(user_id, app_id)])
  })
}

/** Ends all that any app holds for a user (D-40), everywhere at once. */
export async function withdrawAllAccess(invalidations: InvalidationBus, tx: Tx, user_id: string, now: Date) {
  await voidCodes(tx, user_id, null)
  await revokeGrants(tx, user_id, null, now)
  await removeConnections(tx, user_id, now)
  await invalidations.publish(tx, [userTag(user_id)])
}

/**
 * An owner was suspended: each of the owner's apps is as one whose approval was withdrawn (D-88), everywhere at once. What
 * they held for people is over for good, also after `restoreApps`.
 */
export const withdrawApps = async (invalidations: InvalidationBus, tx: Tx, owner_id: string) =>
  invalidateApps(invalidations, tx, await withdrawAppsOfOwner(tx, owner_id))

/** The owner is back: people can let the apps in again, as far as they are approved. */
export const restoreApps = async (invalidations: InvalidationBus, tx: Tx, owner_id: string) =>
  invalidateApps(invalidations, tx, await restoreAppsOfOwner(tx, owner_id))

async function invalidateApps(invalidations: InvalidationBus, tx: Tx, apps: { id: string }[]) {
  if (apps.length > 0)
    await invalidations.publish(
      tx,
      apps.map(({ id }) => appTag(id)),
    )
}

/** Voids the codes that a user's apps have not redeemed yet. */
export const withdrawPendingCodes = (tx: Tx, user_id: string) => voidCodes(tx, user_id, null)

/** Codes, tokens and grants are kept this much longer than they last, so that a refusal can still tell why. */
const kept_seconds = 86_400

/** Deletes codes, tokens and grants that can matter no more, in bounded rounds; safe to repeat. */
export async function purgeExpired({ db, clock }: Pick<OAuthDeps, 'db' | 'clock'>, { rows_max }: { rows_max: number }) {
  const now = clock()
  const before = secondsAfter(now, -kept_seconds)
  await inBatches(rows_max, () => purgeUnusedCodes(db.adHoc, { before, rows_max }))
  await inBatches(rows_max, () => purgeAccessTokens(db.adHoc, { before, rows_max }))
  await inBatches(rows_max, () => purgeSessionTokens(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeGrants(db.adHoc, { before, rows_max }))
}

/** Wipes the encrypted successors of refresh tokens once they may be replayed no more (D-26), in bounded rounds. */
export async function purgeSuccessors(
  { db, clock }: Pick<OAuthDeps, 'db' | 'clock'>,
  { rows_max }: { rows_max: number },
) {
  const before = secondsAfter(clock(), -decisions['D-26'].value.replay_seconds)
  await inBatches(rows_max, () => wipeSuccessors(db.adHoc, { before, rows_max }))
}
