import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import { sha256 } from '../platform/secrets.ts'
import { parseBasic } from './rules.ts'
import { findClient, stampSecret, type AppRow } from './store.ts'

/** The parameters of a call in the OAuth format, each at most once, empty ones left out (D-22). */
export type OAuthParameters = Partial<Record<string, string>>

const value_max = 4096

/** Reads a body's parameters and lays the credentials of a Basic header beside them. Fails with `invalid_request`. */
export function readParameters(body: unknown, authorization: string | undefined): OAuthParameters {
  const parameters: OAuthParameters = {}
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body)))
    throw new Failure('invalid_request', { why: 'the body is not an object' })
  for (const [name, value] of Object.entries(body ?? {})) {
    if (Array.isArray(value)) throw new Failure('parameter_repeated', { name })
    if (value === '' || value === null) continue
    if (!isSound(value)) throw new Failure('invalid_request', { name, why: 'not a text of reasonable length' })
    parameters[name] = value
  }
  return withBasic(parameters, authorization)
}

/** A text of reasonable length that PostgreSQL can compare with: without NUL and half surrogate pairs (D-08). */
const isSound = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= value_max &&
  !/[\0\uD800-\uDFFF]/.test(value.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ''))

function withBasic(parameters: OAuthParameters, authorization: string | undefined): OAuthParameters {
  if (authorization === undefined) return parameters
  const basic = parseBasic(authorization)
  if (!basic || !isSound(basic.client_id))
    throw new Failure('invalid_client', { why: 'the Authorization header is not Basic credentials' })
  if (parameters.client_id !== undefined && parameters.client_id !== basic.client_id)
    throw new Failure('invalid_request', { why: 'client_id differs between header and body' })
  if (parameters.client_secret !== undefined) throw new Failure('client_credentials_twice')
  const { client_id, client_secret } = basic
  return { ...parameters, client_id, ...(client_secret !== '' && { client_secret }) }
}

/** A secret's last use is written at most this often. */
const stamp_every_seconds = 60

/**
 * The app that a call names, its secret checked if one came (D-24). Unknown client and wrong secret answer alike.
 * Fails with `invalid_client`.
 */
export async function identifyClient(
  { db, clock }: { db: Sql; clock: Clock },
  { client_id, client_secret }: OAuthParameters,
): Promise<AppRow> {
  if (client_id === undefined) throw new Failure('invalid_client', { why: 'no client_id' })
  const client = await findClient(db, client_id, client_secret === undefined ? null : sha256(client_secret))
  if (!client) throw new Failure('invalid_client', { why: 'unknown client_id' })
  if (client_secret !== undefined) {
    if (client.secret_id === null) throw new Failure('invalid_client', { client_id, why: 'wrong secret' })
    const now = clock()
    const stale = now.getTime() - stamp_every_seconds * 1000
    if ((client.secret_last_used_at?.getTime() ?? 0) < stale) await stampSecret(db, client.secret_id, now)
  }
  return client
}
