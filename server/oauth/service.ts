import type { AppCaller, Resource } from '../../contract/caller.ts'
import type { AuditAction } from '../../contract/kinds/audit-actions.ts'
import type { TeamAction } from '../../contract/kinds/team-actions.ts'
import { userTag } from '../accounts/sessions.service.ts'
import type { AddressPolicy } from '../platform/address-policy.ts'
import {
  createInvalidatingCache,
  type InvalidatingCache,
  type Reading,
} from '../platform/batching/invalidating-cache.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import type { Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { sha256Text } from '../platform/secrets.ts'
import { findAccessTokens, revokeAccessToken, type AccessTokenRow } from './access-tokens.store.ts'
import type { ClientDocuments } from './client-documents.service.ts'
import type { AuthorizationCodes } from './authorization-codes.service.ts'
import { revokeGrant } from './grants.store.ts'
import type { LastUseRecorder } from './last-use.service.ts'
import type { DpopProofs, ProvedRequest } from './dpop/service.ts'
import { isExpired, prefixes } from './rules.ts'
import type { SigningKeys } from './signing-keys.service.ts'
import type { TokenLifetimes } from './token-response.rules.ts'

/** The handlers of other domains for events of apps, called inside the transaction of the event. */
export interface OAuthEvents {
  /** A person's act on an app or a team, as the audit log names it. */
  acted(tx: Tx, act: ActOfOwner): Promise<unknown>
}

export interface ActOfOwner {
  actor_id: string
  action: Extract<AuditAction, 'app.resubmit' | 'app.move' | 'secret.create' | 'secret.delete' | TeamAction>
  target_id: string
  details: Record<string, unknown>
  now: Date
}

export interface OAuthDeps {
  db: Database
  clock: Clock
  /** The authorization server's identifier, equal to the public URL. */
  issuer: string
  lifetimes: TokenLifetimes
  events: OAuthEvents
  heartbeat_seconds: number
  codes: AuthorizationCodes
  documents: ClientDocuments
  last_uses: LastUseRecorder
  invalidations: InvalidationBus
  signing_keys: SigningKeys
  /** The addresses to which apps may have requests sent. */
  policy: AddressPolicy
  proofs: DpopProofs
  /** In a sandbox, apps and scope requests are approved immediately (D-102). */
  is_sandbox: boolean
  /** Access tokens by `tokenKey`. */
  tokens: InvalidatingCache<AccessTokenRow>
}

const cached_tokens_max = 100_000

/** The key of a cached token: its hash, so that memory holds no token. */
export const tokenKey = (token: string) => sha256Text(token)

// Tags that invalidate cached tokens; the user's tag belongs to the accounts domain.
const tokenTag = (key: string) => `token ${key}`
const grantTag = (grant_id: string) => `grant ${grant_id}`
export const connectionTag = (user_id: string, app_id: string) => `connection ${user_id} ${app_id}`
export const appTag = (app_id: string) => `app ${app_id}`

export const createTokenCache = (db: Database, bus: InvalidationBus) =>
  createInvalidatingCache<AccessTokenRow>({
    name: 'tokens',
    bus,
    entries_max: cached_tokens_max,
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

/**
 * The caller of an access token for this resource: user, app, grant and scopes. `proof` is the DPoP proof of the call,
 * which is consumed; `jkt` keeps its key for a second authentication of the call. Fails with `invalid_token`,
 * `bound_token`, `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export async function authenticateApp(
  { tokens, clock, proofs }: OAuthDeps,
  token: string,
  reading?: Reading,
  proof?: ProvedRequest & { jkt?: string },
  resource: Resource = null,
): Promise<AppCaller> {
  if (!token.startsWith(prefixes.access_token)) throw new Failure('invalid_token', { why: 'not an access token' })
  const found = await tokens.get(tokenKey(token), reading)
  if (!found?.live || isExpired(found, clock()))
    throw new Failure('invalid_token', { why: found ? (found.live ? 'expired' : 'revoked') : 'unknown' })
  if (found.resource !== resource) throw new Failure('invalid_token', { why: 'for another resource' })
  const { user_id, app_id, grant_id, scopes, jkt } = found
  if (jkt !== null) {
    if (!proof) throw new Failure('bound_token', { app_id })
    proof.jkt ??= await proofs.check(proof, { access_token: token, jkt })
  } else if (proof) throw new Failure('invalid_token', { why: 'not bound to a key' })
  return { user_id, app_id, grant_id, scopes }
}

/** Revokes a grant with its tokens and session, in every process immediately. */
export const endGrant = ({ db, clock, invalidations }: OAuthDeps, grant_id: string) =>
  db.transaction(async (tx) => {
    await revokeGrant(tx, grant_id, clock())
    await invalidations.publish(tx, [grantTag(grant_id)])
  })

/** Revokes one access token, in every process immediately. */
export const endAccessToken = ({ db, clock, invalidations }: OAuthDeps, key: string) =>
  db.transaction(async (tx) => {
    await revokeAccessToken(tx, Buffer.from(key, 'base64'), clock())
    await invalidations.publish(tx, [tokenTag(key)])
  })
