import { createHash } from 'node:crypto'
import { deceivingAddressError, hostOf } from '../../contract/addresses.ts'
import { decisions } from '../../contract/decisions.ts'
import { code_verifier_pattern } from '../../contract/oauth-fields.ts'
import { prompts } from '../../contract/openid.ts'
import {
  isScope,
  openid_scope,
  requestable_scopes,
  scope_names,
  scopes,
  type Scope,
} from '../../contract/kinds/scopes.ts'
import type { FieldFault } from '../../contract/field-errors.ts'
import { isTooFarAhead } from '../platform/clock.ts'
import { fieldErrors, fieldsOf, type FieldError } from '../platform/failure.ts'
import { secondsAfter } from '../platform/clock.ts'
import { equalSecrets } from '../platform/secrets.ts'

export const prefixes = decisions.credentials.prefixes

/** Whether a token has expired. A token issued in the future, by a wrong clock, counts as expired. */
export const isExpired = ({ inserted_at, expires_at }: { inserted_at: Date; expires_at: Date }, now: Date) =>
  expires_at.getTime() <= now.getTime() || isTooFarAhead(inserted_at, now)

/**
 * Whether a token is of an irrevocable kind (D-85): a code, a client secret, or a JWT (RFC 7519 §3: it begins with a
 * JSON header).
 */
export const isIrrevocable = (token: string) =>
  token.startsWith(prefixes.authorization_code) ||
  token.startsWith(prefixes.client_secret) ||
  /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(token)

// Redirect URIs (D-28)

const response_parameters = ['code', 'state', 'iss', 'error', 'error_description']

/** The fault of a redirect URI; undefined if it can be registered. An allowlist: unknown forms are refused. */
function redirectUriError(uri: string): FieldFault | undefined {
  if (/[\s\\*\u0000-\u001f\u007f-\uffff]/.test(uri)) return 'plain_ascii'
  if (!URL.canParse(uri)) return 'absolute_uri'
  const url = new URL(uri)
  if (uri.includes('#')) return 'no_fragment'
  if (url.username || url.password || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) return 'no_user_information'
  if (/%2e|\/\.\.?(\/|\?|$)/i.test(uri)) return 'no_dot_segments'
  if (response_parameters.some((name) => url.searchParams.has(name)))
    return ['response_parameter', { names: response_parameters.join(', ') }]
  // The URL parser accepts `https:host`, which a browser resolves relative to the redirecting page.
  if (url.protocol === 'https:') return /^https:\/\/[^/?]/i.test(uri) ? undefined : 'no_host'
  if (url.protocol === 'http:') return loopbackParts(uri) ? undefined : 'loopback_only'
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol) ? undefined : 'redirect_scheme'
}

/** A loopback URI split around its port; undefined for any other URI. */
function loopbackParts(uri: string) {
  const [, host, port, rest] = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/.exec(uri) ?? []
  return host === undefined || Number(port ?? 0) > 65_535 ? undefined : { host, rest: rest ?? '' }
}

/** Compares character by character; only the port of a loopback URI may differ (RFC 8252 §7.3). */
export function redirectUriMatches(registered: string, given: string): boolean {
  if (registered === given) return true
  const a = loopbackParts(registered)
  const b = loopbackParts(given)
  return a !== undefined && b !== undefined && a.host === b.host && a.rest === b.rest
}

/** Consent is remembered only for https redirects: loopback and private-use schemes do not authenticate the receiver (D-30). */
export const canRememberConsent = (redirect_uri: string) => new URL(redirect_uri).protocol === 'https:'

/**
 * A link that a page may show (D-90): an http or https URL with a host, without user information, spaces and
 * backslashes. Checks the text itself, because the URL parser and browsers correct some mistakes.
 */
function isWebUrl(text: string) {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return false
  return !/^[^/]*\/\/[^/?#]*@/.test(text)
}
const webUrlError = (link: string): FieldFault | undefined => (isWebUrl(link) ? deceivingAddressError(link) : 'web_url')

// Validation of app fields

const textsOf = (value: unknown) =>
  (Array.isArray(value) ? (value as unknown[]) : []).map((item, at) => ({
    item: typeof item === 'string' ? item : '',
    at,
  }))

/** Errors in the redirect URIs and links of an app (D-28, D-90). Accepts a body of any shape; skips values of other types. */
export function appErrors(body: unknown): FieldError[] {
  const { redirect_uris, ...fields } = fieldsOf(body)
  const uris = textsOf(redirect_uris).flatMap(({ item, at }) =>
    fieldErrors(`redirect_uris.${at}`, redirectUriError(item)),
  )
  const links = ['logo_url', 'website_url'].flatMap((path) => {
    const link = fields[path]
    return typeof link === 'string' && link !== '' ? fieldErrors(path, webUrlError(link)) : []
  })
  return [...uris, ...links]
}

/** The requested scopes that do not exist. Accepts a body of any shape. */
export const scopeErrors = (body: unknown): FieldError[] =>
  textsOf(fieldsOf(body).requested_scopes).flatMap(({ item, at }) =>
    fieldErrors(`requested_scopes.${at}`, !isScope(item) && 'scope'),
  )

// Reviews

type Status = 'pending' | 'approved' | 'rejected'

interface Reviewed {
  status: Status
  decision_reason: string | null
  decided_at: Date | null
  resubmitted_at: Date | null
  resubmission_note: string | null
}

/** An app with the state of its review, as its owner and the admins see it (D-81). */
export const withReview = <App extends Reviewed>(app: App) => ({
  ...app,
  review: {
    status: app.status,
    reason: app.decision_reason,
    decided_at: app.decided_at,
    resubmitted_at: app.resubmitted_at,
    note: app.resubmission_note,
  },
})

/**
 * The metadata that an admin approved; null if nothing was approved. Written by the trigger `remember_approved_app`.
 */
export interface ApprovedState {
  approved_name: string | null
  approved_description: string | null
  approved_logo_url: string | null
  approved_website_url: string | null
  approved_redirect_uris: string[] | null
  /** Whether it is approved and any of these fields has changed since. */
  changed_since_approval: boolean
}

/** The reviewed state of an app that has changed since (D-117); undefined if it has not changed. */
export function reviewedOf(app: ApprovedState) {
  if (!app.changed_since_approval || app.approved_name === null) return undefined
  return {
    app_name: app.approved_name,
    app_description: app.approved_description,
    logo_url: app.approved_logo_url,
    website_url: app.approved_website_url,
    redirect_hosts: [...new Set((app.approved_redirect_uris ?? []).map(hostOf))],
  }
}

// Scopes

const scopes_of_no_app = ['', 'offline_access', openid_scope.scope]

/** The scopes of a space-separated list, each once; undefined if one is unknown or the text is malformed. */
export function parseScopes(text: string): Scope[] | undefined {
  const names = text.split(' ').filter((name) => !scopes_of_no_app.includes(name))
  if (!names.every(isScope)) return undefined
  return sortScopes(names)
}

/** Scopes in the order of the contract, each once. */
export const sortScopes = (names: readonly string[]): Scope[] => scope_names.filter((name) => names.includes(name))

/** The scopes of a request that names none (D-27). */
export const defaultScopes = (allowed: readonly string[]) =>
  sortScopes(allowed).filter((scope) => requestable_scopes.includes(scope))

/**
 * Splits the scopes requested at registration into those granted immediately and those that an admin reviews (D-31).
 */
export function splitRequestedScopes(requested: readonly Scope[]) {
  return {
    granted: sortScopes(requested).filter((scope) => scopes[scope].granted === 'at_registration'),
    needs_review: sortScopes(requested).filter((scope) => scopes[scope].granted === 'by_request'),
  }
}

// OpenID Connect (D-103)

/** Whether a space-separated list asks for identity tokens. */
export const asksForOpenid = (text: string | undefined) => text?.split(' ').includes(openid_scope.scope) ?? false

export type Prompt = (typeof prompts)[number]

/** The words of a `prompt`; undefined if one is unknown, or `none` is not alone (OpenID Connect Core §3.1.2.1). */
export function parsePrompt(text: string): Prompt[] | undefined {
  const words = text.split(' ').filter((word) => word !== '')
  const known = prompts.filter((prompt) => words.includes(prompt))
  if (words.some((word) => !prompts.some((prompt) => prompt === word))) return undefined
  return known.includes('none') && known.length > 1 ? undefined : known
}

/** Facts that decide whether a person must sign in before an app gets its response. */
interface SignInFacts {
  prompts: readonly Prompt[]
  /** Seconds. */
  max_age: number | undefined
  /** Whether the request has no hint, or a genuine one that names the person. */
  is_expected_person: boolean
  signed_in_at: Date
  /** Whether the person has signed in for this request. */
  after_sign_in: boolean
  now: Date
}

const { sign_in_counts_seconds } = decisions.openid_sign_in

/**
 * Whether the person must sign in for this request (D-128, OpenID Connect Core §3.1.2.1). One sign-in satisfies every
 * reason. With `prompt=none`, no sign-in can have happened for it.
 */
export function needsSignIn({ prompts, max_age, is_expected_person, signed_in_at, after_sign_in, now }: SignInFacts) {
  const isWithin = (seconds: number) => secondsAfter(signed_in_at, seconds) >= now
  if (after_sign_in && !prompts.includes('none') && isWithin(sign_in_counts_seconds)) return false
  if (prompts.includes('login') || prompts.includes('select_account') || !is_expected_person) return true
  return max_age === 0 || (max_age !== undefined && !isWithin(max_age))
}

/**
 * Whether an app may send people to this address after sign-out: it is a registered redirect URI, or has the origin of
 * one. The ports of loopback addresses may differ.
 */
export function isLogoutUri(registered: readonly string[], uri: string) {
  if (redirectUriError(uri) !== undefined) return false
  const given = originOf(uri)
  return registered.some((one) => one === uri || (given !== undefined && originOf(one) === given))
}

/** The origin of a web address, without the port of a loopback one; undefined for private-use schemes. */
function originOf(uri: string) {
  const loopback = loopbackParts(uri)
  if (loopback) return loopback.host
  const { protocol, origin } = new URL(uri)
  return protocol === 'https:' ? origin : undefined
}

// PKCE (RFC 7636)

const verifier_regexp = new RegExp(code_verifier_pattern)

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** Whether the verifier matches the S256 challenge (RFC 7636 §4.6). */
export function verifierMatches(verifier: string, challenge: string) {
  if (!verifier_regexp.test(verifier)) return false
  return equalSecrets(Buffer.from(challengeOf(verifier)), Buffer.from(challenge))
}

// Client credentials

export interface ClientCredentials {
  client_id: string
  client_secret: string
}

/**
 * The credentials of an `Authorization: Basic` header, percent-decoded (RFC 6749 §2.3.1), or raw if decoding fails;
 * undefined if the header is malformed.
 */
export function parseBasic(header: string): ClientCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon <= 0) return undefined
  return { client_id: formDecode(text.slice(0, colon)), client_secret: formDecode(text.slice(colon + 1)) }
}

function formDecode(text: string) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The bounds of a parameter, from its JSON Schema. */
export interface ParameterBounds {
  pattern?: string
  maxLength?: number
  maximum?: number
}

/** True if the text of a parameter is within its bounds. */
export const isWithinBounds = ({ pattern = '', maxLength = Infinity, maximum }: ParameterBounds, text: string) =>
  maximum === undefined
    ? [...text].length <= maxLength && new RegExp(pattern).test(text)
    : /^\d+$/.test(text) && Number(text) <= maximum
