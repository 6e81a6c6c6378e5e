import type { Clock } from '../platform/clock.ts'
import type { RateCounter } from '../platform/rate-limit.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import type { ClientCaller } from '../../contract/caller.ts'
import { sha256 } from '../platform/secrets.ts'
import { parseBasic } from './rules.ts'
import type { AppRow } from './apps.store.ts'
import { findClient, recordSecretUse } from './client-secrets.store.ts'

/** The parameters of an OAuth request, without empty ones (D-22). */
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

/** The last use of a secret is written at most this often. */
const use_recorded_every_seconds = 60

/**
 * Identifies the client and checks its secret if one is sent (D-24). Unknown client and wrong secret get the same answer.
 * Fails with `invalid_client`.
 */
export async function authenticateClient(
  { db, clock }: { db: Sql; clock: Clock },
  { client_id, client_secret }: OAuthParameters,
): Promise<AppRow> {
  if (client_id === undefined) throw new Failure('invalid_client', { why: 'no client_id' })
  const client = await findClient(db, client_id, client_secret === undefined ? null : sha256(client_secret))
  if (!client) throw new Failure('invalid_client', { why: 'unknown client_id' })
  if (client_secret !== undefined) {
    if (client.secret_id === null) throw new Failure('invalid_client', { client_id, why: 'wrong secret' })
    const now = clock()
    const stale = now.getTime() - use_recorded_every_seconds * 1000
    if ((client.secret_last_used_at?.getTime() ?? 0) < stale) await recordSecretUse(db, client.secret_id, now)
  }
  return client
}

export interface ClientGuard {
  db: Sql
  clock: Clock
  counter: RateCounter
  /** How many failures an address may make in a window; the limit of the token endpoint (D-06). */
  limit: { requests: number; seconds: number } | 'off'
}

/**
 * The app whose client_id and secret an Authorization header carries (D-95). Failures are counted by `address`. Fails with
 * `client_unauthorized`, or `rate_limited` after too many of those.
 */
export async function authenticateClientCall(
  { db, clock, counter, limit }: ClientGuard,
  authorization: string,
  address: string,
): Promise<ClientCaller> {
  const key = `client failures address:${address}`
  if (limit !== 'off') await refuseGuessing({ clock, counter, limit }, key)
  try {
    const { client_id, client_secret } = readParameters(undefined, authorization)
    if (client_secret === undefined) throw new Failure('invalid_client', { client_id, why: 'no secret' })
    const app = await authenticateClient({ db, clock }, { client_id, client_secret })
    const { id: app_id, owner_id, is_approved, allowed_scopes } = app
    return { client_id: app.client_id, app_id, owner_id, is_approved, allowed_scopes }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (limit !== 'off') await counter.hit(key, limit.seconds)
    throw new Failure('client_unauthorized', error.why)
  }
}

async function refuseGuessing(
  { clock, counter, limit }: { clock: Clock; counter: RateCounter; limit: { requests: number } },
  key: string,
) {
  const [failures] = await counter.peek([key])
  if (!failures || failures.count < limit.requests) return
  const seconds = Math.max(1, Math.ceil((failures.resets_at.getTime() - clock().getTime()) / 1000))
  throw new Failure('rate_limited', { why: 'failed client authentications' }, { retry_after_seconds: seconds })
}
