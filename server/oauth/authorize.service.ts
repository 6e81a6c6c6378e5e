import { hostOf } from '../../contract/addresses.ts'
import type { Resource, UserCaller } from '../../contract/caller.ts'
import type { QueryOf } from '../../contract/endpoint.ts'
import type { authorize as authorize_endpoint } from '../../contract/oauth.ts'
import { authorization_code_seconds, authorize_query } from '../../contract/oauth-fields.ts'
import { openid_scope, scopes as scope_texts, type Scope } from '../../contract/kinds/scopes.ts'
import { unsupportedParameter } from '../../contract/openid.ts'
import { getUser } from '../accounts/service.ts'
import { findSignInTime } from '../accounts/sessions.service.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import {
  asksForOpenid,
  canRememberConsent,
  defaultScopes,
  isWithinBounds,
  needsSignIn,
  parsePrompt,
  parseScopes,
  prefixes,
  redirectUriMatches,
  reviewedOf,
  type ParameterBounds,
  type Prompt,
} from './rules.ts'
import { readIdTokenHint } from './id-tokens.service.ts'
import type { OAuthDeps } from './service.ts'
import { findAppByClientId, type AppRow } from './apps.store.ts'
import type { OAuthParameters } from './client-authentication.service.ts'
import { consumePushed } from './par/store.ts'
import { resourceAt } from './resources.rules.ts'
import { findDailyLimits } from '../points/spending-limits.service.ts'
import { hasConsented } from './connections.store.ts'

export type AuthorizationRequest = QueryOf<typeof authorize_endpoint>

/** Refuses unsupported parameters that change the meaning of a request, before all other checks (D-128). */
export function requireSupported(query: Readonly<Record<string, unknown>>) {
  const refusal = unsupportedParameter(query)
  if (refusal) throw new Failure(refusal)
}

type Caller = Pick<UserCaller, 'user_id' | 'session_id'>

interface CheckedRequest {
  app: AppRow
  redirect_uri: string
  /** The app's registered URI that matches it. */
  registered_uri: string
  scopes: Scope[]
  prompts: Prompt[]
  resource: Resource
}

/**
 * Every check of a well-formed authorization request, in the order of D-29. Failures here never redirect: the redirect
 * URI is not validated yet (RFC 6749 §4.1.2.1).
 */
async function checkRequest(deps: OAuthDeps, user_id: string, request: AuthorizationRequest): Promise<CheckedRequest> {
  requireCodeResponse(request)
  requireS256(request)
  const app = await requireClient(deps, user_id, request)
  requireApproval(app)
  requirePushed(app, request)
  const redirect = requireRegisteredRedirect(app, request)
  const scopes = requireAllowedScopes(app, request)
  const prompts = requireKnownPrompt(request)
  const resource = resourceAt(deps.issuer, request.resource)
  return { app, ...redirect, scopes, prompts, resource }
}

/** The checks of a request that its app pushes, in the same order (D-151). */
export function requireValidFor({ issuer }: Pick<OAuthDeps, 'issuer'>, app: AppRow, request: OAuthParameters) {
  const { response_type = '', code_challenge_method = '', code_challenge = '' } = request
  requireCodeResponse({ response_type })
  requireS256({ code_challenge_method })
  requireBounds({ ...request, code_challenge })
  requireApproval(app)
  requireRegisteredRedirect(app, request)
  requireAllowedScopes(app, request)
  requireKnownPrompt(request)
  resourceAt(issuer, request.resource)
}

/** The bounds of parameters in an address also hold for pushed ones, which are texts: a later refusal would reach the person. */
function requireBounds(request: OAuthParameters) {
  for (const [name, bounds] of Object.entries(authorize_query.properties as Record<string, ParameterBounds>)) {
    const text = request[name]
    if (text !== undefined && !isWithinBounds(bounds, text)) throw new Failure('invalid_request', { why: name })
  }
}

function requireCodeResponse({ response_type }: Pick<AuthorizationRequest, 'response_type'>) {
  if (response_type !== 'code') throw new Failure('unsupported_response_type', { response_type })
}

function requireS256({ code_challenge_method }: Pick<AuthorizationRequest, 'code_challenge_method'>) {
  if (code_challenge_method !== 'S256') throw new Failure('unsupported_challenge_method', { code_challenge_method })
}

/** A client_id that belongs to no app may be the address of a client document, which becomes a pending app (D-36). */
async function requireClient({ db, documents }: OAuthDeps, user_id: string, { client_id }: AuthorizationRequest) {
  const app = (await findAppByClientId(db, client_id)) ?? (await documents.register(user_id, client_id))
  if (!app) throw new Failure('unknown_client', { client_id })
  return app
}

/** The app of a client_id. Fails with `unknown_client`. */
export const requireKnownClient = (db: Sql, { client_id }: Pick<AuthorizationRequest, 'client_id'>) =>
  orFail(findAppByClientId(db, client_id), 'unknown_client', { client_id })

function requireApproval({ is_approved, client_id }: AppRow) {
  if (!is_approved) throw new Failure('app_not_approved', { client_id })
}

function requireRegisteredRedirect(
  { redirect_uris, client_id }: AppRow,
  { redirect_uri }: { redirect_uri?: string | undefined },
) {
  const given = redirect_uri ?? redirect_uris[0] ?? ''
  const registered_uri = redirect_uris.find((registered) => redirectUriMatches(registered, given))
  if (registered_uri === undefined) throw new Failure('redirect_uri_not_registered', { client_id })
  return { redirect_uri: given, registered_uri }
}

/** An app may require pushed requests (D-151). */
function requirePushed({ require_par, client_id }: AppRow, { request_uri }: AuthorizationRequest) {
  if (require_par && request_uri === undefined) throw new Failure('pushed_request_required', { client_id })
}

/**
 * The redirect origin that a consent is remembered for (D-86); null if it is not remembered: a person allows each
 * sign-in of an agent (D-156).
 */
const consentOrigin = ({ redirect_uri, resource }: Pick<CheckedRequest, 'redirect_uri' | 'resource'>) =>
  resource === null && canRememberConsent(redirect_uri) ? new URL(redirect_uri).origin : null

function requireAllowedScopes({ allowed_scopes, client_id }: AppRow, { scope }: { scope?: string | undefined }) {
  const requested = parseScopes(scope ?? '')
  if (!requested) throw new Failure('invalid_scope', { client_id, why: 'a scope is unknown' })
  // A request for `openid` alone gets the profile, which userinfo needs (D-103).
  const unnamed: Scope[] = asksForOpenid(scope) ? ['profile:read'] : defaultScopes(allowed_scopes)
  const scopes = requested.length > 0 ? requested : unnamed
  const missing = scopes.filter((name) => !allowed_scopes.includes(name))
  if (missing.length > 0 || scopes.length === 0) throw new Failure('invalid_scope', { client_id, missing })
  return scopes
}

function requireKnownPrompt({ prompt }: { prompt?: string | undefined }) {
  const prompts = parsePrompt(prompt ?? '')
  if (!prompts) throw new Failure('prompt_not_known', { prompt })
  return prompts
}

/** Whether the person must first sign in for this request, because of its parameters or these prompts. */
async function isSignInNeeded(deps: OAuthDeps, caller: Caller, request: AuthorizationRequest, prompts: Prompt[]) {
  const { max_age, id_token_hint, after_sign_in = false } = request
  const signed_in_at = await findSignInTime(deps.db, caller.session_id)
  if (signed_in_at === undefined) return true
  const hint = id_token_hint === undefined ? caller : await readIdTokenHint(deps, id_token_hint)
  const is_expected_person = hint?.user_id === caller.user_id
  return needsSignIn({ prompts, max_age, is_expected_person, signed_in_at, after_sign_in, now: deps.clock() })
}

/** Whether the person has already allowed this request at this origin, so that consent can be skipped (D-30, D-86). */
async function isRemembered(db: Sql, user_id: string, checked: CheckedRequest) {
  const { app, scopes, prompts } = checked
  const redirect_origin = consentOrigin(checked)
  if (redirect_origin === null || prompts.includes('consent')) return false
  const { id: app_id, shown, approval_epoch } = app
  return hasConsented(db, { user_id, app_id, redirect_origin, scopes, shown, approval_epoch })
}

/**
 * Grants an app access for the caller: issues a single-use code for 600 seconds (Authentication 6) and records the
 * connection, which the user can end. Fails as `checkRequest` does; with `login_required` if the person must sign in
 * again first; with `consent_required` if the request forbids a consent page and the user has not consented before, or
 * if the page showed something else (D-117); with `invalid_token` if the login session has ended.
 */
export async function authorize(deps: OAuthDeps, caller: Caller, request: AuthorizationRequest) {
  const { db, codes, issuer } = deps
  const { user_id, session_id } = caller
  const checked = await checkRequest(deps, user_id, request)
  const { app, redirect_uri, registered_uri, scopes, prompts, resource } = checked
  // The console's page handles `login` and `select_account`; a caller with a JWT that sends them has done so.
  const enforced = prompts.filter((prompt) => prompt === 'none')
  if (await isSignInNeeded(deps, caller, request, enforced)) throw new Failure('login_required')
  if (prompts.includes('none') && !(await isRemembered(db, user_id, checked))) throw new Failure('consent_required')
  if (request.shown !== undefined && request.shown !== shownOf(checked))
    throw new Failure('consent_required', { why: 'the app has changed since it was shown' })
  const { request_uri } = request
  if (request_uri !== undefined && !(await consumePushed(db, sha256(request_uri), deps.clock())))
    throw new Failure('invalid_request_uri', { why: 'a code was issued for it' })
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
    shown: app.shown,
    redirect_origin: consentOrigin(checked),
    resource,
    openid: asksForOpenid(request.scope),
    nonce: request.nonce ?? null,
    jkt: request.dpop_jkt ?? null,
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

/** A hash of what the consent page shows about the app. */
const shownOf = ({ app, scopes, redirect_uri, resource }: CheckedRequest) =>
  sha256(JSON.stringify([app.shown.toString('hex'), scopes, redirect_uri, resource])).toString('base64url')

/** The data of the consent page, after the same checks; grants nothing (D-30). */
export async function describeRequest(deps: OAuthDeps, caller: Caller, request: AuthorizationRequest) {
  const { db, issuer } = deps
  const { user_id } = caller
  const checked = await checkRequest(deps, user_id, request)
  const { app, redirect_uri, scopes, prompts } = checked
  const owner = await getUser(db, app.owner_id)
  const limits = await findDailyLimits(db, user_id)
  const granted = scopes.map((scope) => ({ scope: scope as string, grants: scope_texts[scope].grants as string }))
  return {
    app: { ...app, owner_username: owner.username, reviewed: reviewedOf(app) },
    app_id: app.id,
    daily_limit: limits.get(app.id) ?? null,
    redirect_uri,
    redirect_host: hostOf(redirect_uri),
    scopes: asksForOpenid(request.scope) ? [openid_scope, ...granted] : granted,
    consent_needed: !(await isRemembered(db, user_id, checked)),
    login_needed: await isSignInNeeded(deps, caller, request, prompts),
    shown: shownOf(checked),
    for_agent: checked.resource !== null,
    iss: issuer,
  }
}

/**
 * The redirect URI to return the error of a refused request to (RFC 6749 §4.1.2.1): one that a known client has
 * registered. For an unapproved app, the redirect needs a click (D-123). Fails with `unknown_client` or
 * `redirect_uri_not_registered`.
 */
export async function describeReturn(
  { db, issuer }: OAuthDeps,
  request: Pick<AuthorizationRequest, 'client_id' | 'redirect_uri'>,
) {
  const app = await requireKnownClient(db, request)
  const { redirect_uri } = requireRegisteredRedirect(app, request)
  const { app_name, is_approved } = app
  return { app_name, redirect_uri, redirect_host: hostOf(redirect_uri), is_approved, iss: issuer }
}
