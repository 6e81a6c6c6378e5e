import type { UserCaller } from '../../contract/caller.ts'
import { authorization_code_seconds } from '../../contract/oauth.ts'
import { scopes as scope_texts, type Scope } from '../../contract/scopes.ts'
import { getUser } from '../accounts/service.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import { defaultScopes, parseScopes, prefixes, provesItsReceiver, redirectHost, redirectUriMatches } from './rules.ts'
import type { OAuthDeps } from './service.ts'
import { findAppByClientId, hasConsented, type AppRow } from './store.ts'

export interface AuthorizationRequest {
  client_id: string
  response_type: string
  code_challenge: string
  code_challenge_method: string
  redirect_uri?: string
  state?: string
  scope?: string
}

interface CheckedRequest {
  app: AppRow
  redirect_uri: string
  /** The one of the app's that matches it. */
  registered_uri: string
  scopes: Scope[]
}

/**
 * Every check of an authorization request that is well-formed, in the order of D-29. None of their failures may redirect:
 * until the redirect URI is proven, the caller's own page is the only safe place to answer (RFC 6749 §4.1.2.1).
 */
async function checkRequest(db: Sql, request: AuthorizationRequest): Promise<CheckedRequest> {
  requireCodeResponse(request)
  requireS256(request)
  const app = await requireKnownClient(db, request)
  requireApproval(app)
  const redirect = requireRegisteredRedirect(app, request)
  const scopes = requireAllowedScopes(app, request)
  return { app, ...redirect, scopes }
}

function requireCodeResponse({ response_type }: AuthorizationRequest) {
  if (response_type !== 'code') throw new Failure('unsupported_response_type', { response_type })
}

function requireS256({ code_challenge_method }: AuthorizationRequest) {
  if (code_challenge_method !== 'S256') throw new Failure('unsupported_challenge_method', { code_challenge_method })
}

async function requireKnownClient(db: Sql, { client_id }: Pick<AuthorizationRequest, 'client_id'>) {
  const app = await findAppByClientId(db, client_id)
  if (!app) throw new Failure('unknown_client', { client_id })
  return app
}

function requireApproval({ is_approved, client_id }: AppRow) {
  if (!is_approved) throw new Failure('app_not_approved', { client_id })
}

function requireRegisteredRedirect(
  { redirect_uris, client_id }: AppRow,
  { redirect_uri }: Pick<AuthorizationRequest, 'redirect_uri'>,
) {
  const given = redirect_uri ?? redirect_uris[0] ?? ''
  const registered_uri = redirect_uris.find((registered) => redirectUriMatches(registered, given))
  if (registered_uri === undefined) throw new Failure('redirect_uri_not_registered', { client_id })
  return { redirect_uri: given, registered_uri }
}

/** What a consent is remembered for beside person, app, scopes, name and approval (D-86); null where it is not. */
const rememberedOrigin = (redirect_uri: string) =>
  provesItsReceiver(redirect_uri) ? new URL(redirect_uri).origin : null

function requireAllowedScopes({ allowed_scopes, client_id }: AppRow, { scope }: AuthorizationRequest) {
  const named = parseScopes(scope ?? '')
  if (!named) throw new Failure('invalid_scope', { client_id, why: 'a scope is unknown' })
  const scopes = named.length > 0 ? named : defaultScopes(allowed_scopes)
  const missing = scopes.filter((name) => !allowed_scopes.includes(name))
  if (missing.length > 0 || scopes.length === 0) throw new Failure('invalid_scope', { client_id, missing })
  return scopes
}

/**
 * Grants an app access for the caller: a code for 600 seconds and one use (Authentication 6), and the connection that
 * the user can withdraw. Fails as `checkRequest` does, and with `invalid_token` where the login session has just ended.
 */
export async function authorize(
  { db, codes, issuer }: OAuthDeps,
  { user_id, session_id }: Pick<UserCaller, 'user_id' | 'session_id'>,
  request: AuthorizationRequest,
) {
  const { app, redirect_uri, registered_uri, scopes } = await checkRequest(db, request)
  const code = newSecret(prefixes.authorization_code)
  const issued = await codes.issue({
    code_hash: sha256(code),
    user_id,
    session_id,
    app_id: app.id,
    scopes,
    redirect_uri,
    registered_uri,
    code_challenge: request.code_challenge,
    approval_epoch: app.approval_epoch,
    app_name: app.app_name,
    redirect_origin: rememberedOrigin(redirect_uri),
  })
  if (!issued) throw new Failure('invalid_token', { why: 'its login session has just ended' })
  const { state } = request
  return {
    code,
    expires_in: authorization_code_seconds,
    redirect_uri,
    ...(state !== undefined && { state }),
    iss: issuer,
  }
}

/** What a consent page shows of a request, after the same checks; grants nothing (D-30). */
export async function describeRequest({ db, issuer }: OAuthDeps, user_id: string, request: AuthorizationRequest) {
  const { app, redirect_uri, scopes } = await checkRequest(db, request)
  const owner = await getUser(db, app.owner_id)
  const redirect_origin = rememberedOrigin(redirect_uri)
  const { id: app_id, app_name, approval_epoch } = app
  const remembered =
    redirect_origin !== null &&
    (await hasConsented(db, { user_id, app_id, redirect_origin, scopes, app_name, approval_epoch }))
  return {
    app: { ...app, owner_username: owner.username },
    redirect_uri,
    redirect_host: redirectHost(redirect_uri),
    scopes: scopes.map((scope) => ({ scope, grants: scope_texts[scope].grants })),
    consent_needed: !remembered,
    iss: issuer,
  }
}

/**
 * Where a request that was refused may be answered with an error (RFC 6749 §4.1.2.1): the redirect URI, once it is proven to
 * be one of a known client. An app without approval is told too. Fails with `unknown_client` or
 * `redirect_uri_not_registered`.
 */
export async function describeReturn(
  { db, issuer }: OAuthDeps,
  request: Pick<AuthorizationRequest, 'client_id' | 'redirect_uri'>,
) {
  const app = await requireKnownClient(db, request)
  const { redirect_uri } = requireRegisteredRedirect(app, request)
  return { app_name: app.app_name, redirect_uri, redirect_host: redirectHost(redirect_uri), iss: issuer }
}
