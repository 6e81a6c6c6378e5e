import { decisions } from '../../../contract/decisions.ts'
import { request_uri_prefix } from '../../../contract/openid.ts'
import { secondsAfter } from '../../platform/clock.ts'
import { Failure, orFail } from '../../platform/failure.ts'
import { newSecret, sha256 } from '../../platform/secrets.ts'
import { requireSupported, requireValidFor } from '../authorize.service.ts'
import { authenticateClient, type OAuthParameters } from '../client-authentication.service.ts'
import type { SecretUse } from '../client-secrets.rules.ts'
import type { OAuthDeps } from '../service.ts'
import { refused } from '../dpop/proof.rules.ts'
import type { ProvedRequest } from '../dpop/service.ts'
import { findPushed, insertPushed, openPushed, type PushedParameters } from './store.ts'

const { request_seconds, opened_seconds } = decisions.pushed_requests

/**
 * Stores an authorization request for its app (RFC 9126 §2). The client authenticates as at the token endpoint; the
 * request is checked as at the authorization endpoint. A DPoP proof binds the code to its key (D-152). Fails with
 * `invalid_client`, `unauthorized_client`, `invalid_dpop_proof`, `use_dpop_nonce`, or as an authorization request does.
 */
export async function pushRequest(deps: OAuthDeps, sent: OAuthParameters, use: SecretUse, proof?: ProvedRequest) {
  const app = await authenticateClient(deps, sent, use)
  const jkt = proof && (await deps.proofs.check(proof))
  requireSupported(sent)
  const { client_id: _, client_secret: __, request_uri, ...rest } = sent
  // RFC 9126 §2.1: a pushed request must not refer to another one.
  if (request_uri !== undefined) throw new Failure('invalid_request', { why: 'request_uri' })
  const parameters = rest as PushedParameters
  // RFC 9449 §10.1: a proof binds the code as `dpop_jkt` does.
  if (jkt !== undefined && jkt !== (parameters.dpop_jkt ??= jkt)) throw refused('dpop_jkt', 'dpop_other_key')
  requireValidFor(deps, app, parameters)
  const reference = newSecret(request_uri_prefix)
  const expires_at = secondsAfter(deps.clock(), request_seconds)
  await insertPushed(deps.db, { uri_hash: sha256(reference), app_id: app.id, parameters, expires_at })
  return { request_uri: reference, expires_in: request_seconds }
}

interface Reference {
  client_id: string
  request_uri: string
}

/**
 * The parameters of a pushed request, for the page that the app redirects the person to; once. Fails with
 * `invalid_request_uri`.
 */
export async function openRequest({ db, clock }: OAuthDeps, { client_id, request_uri }: Reference) {
  const now = clock()
  const expires_at = secondsAfter(now, opened_seconds)
  return orFail(openPushed(db, { uri_hash: sha256(request_uri), client_id, now, expires_at }), 'invalid_request_uri', {
    client_id,
  })
}

/**
 * The query of an authorization request, or the parameters of the pushed request that it names. Fails with
 * `invalid_request_uri`.
 */
export async function withPushed({ db, clock }: OAuthDeps, query: Readonly<Record<string, unknown>>) {
  const { client_id, request_uri, after_sign_in, shown } = query
  if (typeof request_uri !== 'string' || typeof client_id !== 'string') return query
  const parameters = await findPushed(db, { uri_hash: sha256(request_uri), client_id, now: clock() })
  if (!parameters) throw new Failure('invalid_request_uri', { client_id })
  return {
    ...parameters,
    client_id,
    request_uri,
    ...(after_sign_in !== undefined && { after_sign_in }),
    ...(shown !== undefined && { shown }),
  }
}
