import { LRUCache } from 'lru-cache'
import { isTooFarAhead, secondsAfter, type Clock } from '../platform/clock.ts'
import type { RateCounter } from '../platform/rate-limit.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import type { ClientCaller } from '../../contract/caller.ts'
import {
  createInvalidatingCache,
  type InvalidatingCache,
  type Reading,
} from '../platform/batching/invalidating-cache.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { addressKey, unmapAddress } from '../platform/networks.ts'
import { sha256, sha256Text } from '../platform/secrets.ts'
import { parseBasic } from './rules.ts'
import type { AppRow } from './apps.store.ts'
import { hasEnded, refusalOf, type SecretUse } from './client-secrets.rules.ts'
import { findClient, findClients, recordSecretUse, type ClientRow } from './client-secrets.store.ts'
import { appTag } from './service.ts'

/** The non-empty parameters of an OAuth request (D-22). */
export type OAuthParameters = Partial<Record<string, string>>

const value_max = 4096

/** Reads a body's parameters and the credentials of a Basic header. Fails with `invalid_request` or `invalid_client`. */
export function readParameters(body: unknown, authorization: string | undefined): OAuthParameters {
  const parameters: OAuthParameters = {}
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body)))
    throw new Failure('invalid_request', { why: 'the body is not an object' })
  for (const [name, value] of Object.entries(body ?? {})) {
    if (Array.isArray(value)) throw new Failure('parameter_repeated', { name })
    if (value === '' || value === null) continue
    if (!isUsableText(value)) throw new Failure('invalid_request', { name, why: 'not a text of reasonable length' })
    parameters[name] = value
  }
  return mergeBasicCredentials(parameters, authorization)
}

/** Text of at most `value_max` characters that PostgreSQL can store: no NUL, no unpaired surrogate (D-08). */
const isUsableText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= value_max &&
  !/[\0\uD800-\uDFFF]/.test(value.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ''))

function mergeBasicCredentials(parameters: OAuthParameters, authorization: string | undefined): OAuthParameters {
  if (authorization === undefined) return parameters
  const basic = parseBasic(authorization)
  if (!basic || !isUsableText(basic.client_id))
    throw new Failure('invalid_client', { why: 'the Authorization header is not Basic credentials' })
  if (parameters.client_id !== undefined && parameters.client_id !== basic.client_id)
    throw new Failure('invalid_request', { why: 'client_id differs between header and body' })
  if (parameters.client_secret !== undefined) throw new Failure('client_credentials_twice')
  const { client_id, client_secret } = basic
  return { ...parameters, client_id, ...(client_secret !== '' && { client_secret }) }
}

/** Uses of a secret are written at most this often. */
const use_recorded_every_seconds = 60

/**
 * Identifies the client and checks its secret if one is sent (D-24). An unknown client, a wrong secret and an expired
 * one get the same response. Fails with `invalid_client`, or with `unauthorized_client` if the secret does not permit
 * this use (D-133).
 */
export async function authenticateClient(
  { db, clock }: { db: Sql; clock: Clock },
  { client_id, client_secret }: OAuthParameters,
  use: SecretUse,
): Promise<AppRow> {
  if (client_id === undefined) throw new Failure('invalid_client', { why: 'no client_id' })
  const client = await findClient(db, client_id, client_secret === undefined ? null : sha256(client_secret))
  if (!client) throw new Failure('invalid_client', { why: 'unknown client_id' })
  if (client_secret !== undefined) {
    if (client.secret_id === null || hasEnded(client, clock()))
      throw new Failure('invalid_client', { client_id, why: 'wrong or ended secret' })
    const refusal = refusalOf(client, use)
    if (refusal) throw new Failure('unauthorized_client', { client_id, secret_id: client.secret_id, why: refusal })
    await noteUse({ db, clock }, client, use)
  }
  return client
}

/** Records the use of a secret from time to time, in the database and in the given row, which may be cached. */
async function noteUse(
  { db, clock }: { db: Sql; clock: Clock },
  secret: Pick<ClientRow, 'secret_id' | 'last_used_at'>,
  { address }: SecretUse,
) {
  const now = clock()
  const last = secret.last_used_at
  if (last && last >= secondsAfter(now, -use_recorded_every_seconds) && !isTooFarAhead(last, now)) return
  secret.last_used_at = now
  await recordSecretUse(db, secret.secret_id, { now, address: unmapAddress(address) })
}

const cached_clients_max = 10_000

/** Apps by `clientKey`, with the secret of the call. */
export type ClientCache = InvalidatingCache<ClientRow>

/** The key of a cached app. It contains a hash of the secret, so that memory holds none. */
const clientKey = (client_id: string, client_secret: string) => `${sha256Text(client_secret)} ${client_id}`

const pairOf = (key: string) => {
  const end = key.indexOf(' ')
  return { client_id: key.slice(end + 1), secret_hash: Buffer.from(key.slice(0, end), 'base64') }
}

/** Every change of an app or its secrets publishes the tag of the app. */
export const createClientCache = (db: Sql, bus: InvalidationBus): ClientCache =>
  createInvalidatingCache<ClientRow>({
    name: 'clients',
    bus,
    entries_max: cached_clients_max,
    load: async (keys) => {
      const rows = await findClients(db, keys.map(pairOf))
      const found = new Map(rows.map((row) => [`${row.secret_hash.toString('base64')} ${row.client_id}`, row]))
      return keys.map((key) => found.get(key))
    },
    tagsOf: (_key, { app_id }) => [appTag(app_id)],
  })

export interface ClientGuard {
  db: Sql
  clients: ClientCache
  clock: Clock
  counter: RateCounter
  /** Maximum failures of an address in a window; equals the limit of the token endpoint (D-06). */
  limit: { requests: number; seconds: number } | 'off'
  /** For addresses without recent failures in any process: until when failures are not looked up again. */
  trusted_until: LRUCache<string, number>
  /** Client keys by the hash of their header; neither contains a secret. */
  keys_of_headers: LRUCache<string, string>
}

const trusted_addresses_max = 10_000
/** Failures counted by another process become visible after at most this time. */
const trusted_ms = 1_000

export const createClientGuard = (
  parts: Pick<ClientGuard, 'db' | 'clients' | 'clock' | 'counter' | 'limit'>,
): ClientGuard => ({
  ...parts,
  keys_of_headers: new LRUCache({ max: cached_clients_max }),
  trusted_until: new LRUCache({ max: trusted_addresses_max }),
})

/**
 * The app that authenticates by an Authorization header (D-95). Failures count for the address. Fails with
 * `client_unauthorized`, with `rate_limited` after too many failures, and with `secret_not_permitted` or
 * `secret_address_not_allowed` if the secret does not permit this use (D-133).
 */
export async function authenticateClientCall(
  guard: ClientGuard,
  authorization: string,
  use: SecretUse,
  reading?: Reading,
): Promise<ClientCaller> {
  const client = await knownClient(guard, authorization, use, reading)
  const { client_id, app_id, secret_id, owner_id, is_approved, allowed_scopes } = client
  const refusal = refusalOf(client, use)
  const why = { client_id, secret_id, ...use }
  const body = { permission: use.permission }
  if (refusal === 'address') throw new Failure('secret_address_not_allowed', why, { body })
  if (refusal) throw new Failure('secret_not_permitted', why, { body })
  await noteUse(guard, client, use)
  return { client_id, app_id, secret_id, owner_id, is_approved, allowed_scopes }
}

/** The client of a header; failures count as guesses. */
async function knownClient(guard: ClientGuard, authorization: string, { address }: SecretUse, reading?: Reading) {
  const { counter, limit, trusted_until } = guard
  const failures_key = failuresKey(address)
  if (limit !== 'off') await refuseGuessing(guard, limit, failures_key)
  try {
    return await clientOf(guard, authorization, reading)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    trusted_until.delete(failures_key)
    if (limit !== 'off') await counter.hit(failures_key, limit.seconds)
    throw new Failure('client_unauthorized', error.why)
  }
}

/**
 * The app of an Authorization header, as in `authenticateClientCall`; undefined if the header has the `own`
 * credentials. Guesses at those are limited in the same way.
 */
export async function authenticateClientOr(
  guard: ClientGuard,
  own: { username: string; password: string } | undefined,
  authorization: string,
  use: SecretUse,
  reading?: Reading,
): Promise<ClientCaller | undefined> {
  if (own === undefined || !isBasicOf(authorization, own))
    return authenticateClientCall(guard, authorization, use, reading)
  if (guard.limit !== 'off') await refuseGuessing(guard, guard.limit, failuresKey(use.address))
  return undefined
}

/** Compares hashes, so that the duration reveals nothing about the secrets. */
function isBasicOf(authorization: string, { username, password }: { username: string; password: string }) {
  const basic = parseBasic(authorization)
  return basic?.client_id === username && sha256Text(basic.client_secret) === sha256Text(password)
}

const failuresKey = (address: string) => `client failures address:${addressKey(address)}`

/**
 * The client of a header. Looking a header up is cheaper than parsing its credentials; only headers of known clients
 * are cached. Fails with `invalid_client`.
 */
async function clientOf({ clients, clock, keys_of_headers }: ClientGuard, authorization: string, reading?: Reading) {
  const header = sha256Text(authorization)
  const known = keys_of_headers.get(header)
  const key = known ?? readClientKey(authorization)
  const client = await clients.get(key, reading)
  if (!client || hasEnded(client, clock())) {
    const { client_id } = pairOf(key)
    throw new Failure('invalid_client', { client_id, why: 'unknown client_id, or wrong or ended secret' })
  }
  if (known === undefined) keys_of_headers.set(header, key)
  return client
}

function readClientKey(authorization: string) {
  const { client_id, client_secret } = readParameters(undefined, authorization)
  if (client_secret === undefined) throw new Failure('invalid_client', { client_id, why: 'no secret' })
  return clientKey(client_id ?? '', client_secret)
}

async function refuseGuessing(
  { clock, counter, trusted_until }: ClientGuard,
  { requests, seconds: window_seconds }: { requests: number; seconds: number },
  key: string,
) {
  const now = clock().getTime()
  const trusted = trusted_until.get(key) ?? 0
  if (trusted > now && trusted <= now + trusted_ms) return
  const [failures] = await counter.peek([{ key, seconds: window_seconds }])
  if (!failures?.count) trusted_until.set(key, now + trusted_ms)
  if (!failures || failures.count < requests) return
  const seconds = Math.max(1, Math.ceil((failures.resets_at.getTime() - now) / 1000))
  throw new Failure('rate_limited', { why: 'failed client authentications' }, { retry_after_seconds: seconds })
}
