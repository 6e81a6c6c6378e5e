import { randomBytes } from 'node:crypto'
import { PlazaClient } from '../../contract/client.ts'
import { login, me, proveOwner } from '../../contract/accounts.ts'
import { awardPoints, updateUser } from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { authorize, token } from '../../contract/oauth.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { recordLoginAddress } from '../accounts/login-addresses.store.ts'
import { register } from '../accounts/registration.service.ts'
import { beginSession } from '../accounts/sessions.service.ts'
import { setEmailVerified } from '../accounts/store.ts'
import { insertApp } from '../oauth/apps.store.ts'
import { addSecret } from '../oauth/client-secrets.service.ts'
import { recordAppDecision } from '../oauth/review.store.ts'
import { sortScopes, splitRequestedScopes } from '../oauth/rules.ts'
import { insertScopeRequest } from '../oauth/scope-requests.store.ts'
import { newId } from '../platform/ids.ts'
import { openAppAccount } from '../points/issuing.service.ts'
import { firstAdmin, type TestService } from './harness.ts'
import { pkce } from './pkce.ts'
import { outcome } from './refusals.ts'

export { pkce }

/** A signed-in user. */
export interface SomeUser {
  id: string
  email: string
  username: string
  password: string
  token: string
  /** Calls the API with the user's JWT. */
  api: PlazaClient
}

export interface SomeApp {
  id: string
  client_id: string
  client_secret: string
  redirect_uri: string
  owner: SomeUser
}

export interface SomeTokens {
  access_token: string
  refresh_token: string
  session_token: string
  /** Calls the API with the access token. */
  api: PlazaClient
}

let made = 0
/** Never a reserved name (D-118): hexadecimal digits alone can spell `m0d`. */
const unique = () => `u${++made}q${randomBytes(3).toString('hex')}`

/**
 * A registered user with a session. The address is verified by default. The service's own functions make them, without HTTP: a suite has
 * thousands of people, and a registration with a sign-in over HTTP costs three times as much.
 */
export async function someUser({ url, db, service }: TestService, { verified = true } = {}): Promise<SomeUser> {
  const { accounts } = service.app
  const username = unique()
  const credentials = { email: `${username}@people.test`, password: `password of ${username}` }
  const { id, password_hash } = await register(accounts, { ...credentials, username })
  if (verified) await setEmailVerified(db, id)
  const token = await beginSession(accounts, db, { user_id: id, password_hash, user_agent: 'node' })
  const address = '127.0.0.1'
  await recordLoginAddress(db, { user_id: id, address, neighbourhood: address, now: accounts.clock() })
  return { id, username, ...credentials, token, api: new PlazaClient(url, token) }
}

/** The same user with a new session, after the clock has passed the end of the old one. */
export async function signedInAgain(plaza: TestService, user: SomeUser): Promise<SomeUser> {
  const anonymous = new PlazaClient(plaza.url)
  const { token } = await anonymous.result(login, { body: { email: user.email, password: user.password } })
  return { ...user, token, api: anonymous.withToken(token) }
}

const admins = new WeakMap<TestService, Promise<SomeUser>>()

/** The service's first admin, signed in. */
export function theAdmin(plaza: TestService): Promise<SomeUser> {
  const known = admins.get(plaza) ?? signInAdmin(plaza)
  admins.set(plaza, known)
  return known
}

async function signInAdmin(plaza: TestService): Promise<SomeUser> {
  const anonymous = new PlazaClient(plaza.url)
  const session = await anonymous.result(login, { body: firstAdmin })
  const { id, username } = session.user
  return { id, username, ...firstAdmin, token: session.token, api: anonymous.withToken(session.token) }
}

/** Proves the user's identity for their session, so that calls that need a proof succeed for five minutes. */
export const proveUser = ({ api, password }: SomeUser) => api.result(proveOwner, { body: { password } })

/** Suspends a person, as an admin. */
export async function suspend(plaza: TestService, { id }: { id: string }) {
  await (await theAdmin(plaza)).api.result(updateUser, { params: { id }, body: { suspended: true } })
}

interface AppOptions {
  scopes?: Scope[]
  redirect_uris?: string[]
  approved?: boolean
  owner?: SomeUser
  require_pkce?: boolean
}

/** Makes an app, by default with a new owner and approved: without HTTP, notices and the audit log. */
export async function someApp(plaza: TestService, options: AppOptions = {}): Promise<SomeApp> {
  const { scopes = ['profile:read'], redirect_uris = ['https://app.test/cb'], approved = true, require_pkce } = options
  const owner = options.owner ?? (await someUser(plaza))
  const { clock, is_sandbox } = plaza.service.app.accounts
  const { granted, needs_review } = splitRequestedScopes(sortScopes(scopes))
  const [id, client_id, now] = [newId(), randomBytes(16).toString('hex'), clock()]
  return plaza.db.transaction(async (tx) => {
    await insertApp(tx, {
      id,
      client_id,
      owner_id: owner.id,
      app_name: `App ${unique()}`,
      app_description: null,
      logo_url: null,
      website_url: null,
      redirect_uris,
      allowed_scopes: granted,
      require_pkce: require_pkce ?? false,
      now,
    })
    await openAppAccount(tx, id)
    const { client_secret } = await addSecret(tx, { app_id: id, maker_id: owner.id, now })
    if (needs_review.length > 0)
      await insertScopeRequest(tx, { id: newId(), app_id: id, requested_scopes: needs_review, now })
    const decision = { status: 'approved', listed: is_sandbox || null, reason: null, now } as const
    if (approved || is_sandbox) await recordAppDecision(tx, id, decision)
    return { id, client_id, client_secret, redirect_uri: redirect_uris[0] ?? '', owner }
  })
}

/** A valid authorization request of the app; tests change single parameters. */
export const authorizationQuery = (app: SomeApp, code_challenge: string) => ({
  client_id: app.client_id,
  response_type: 'code',
  code_challenge,
  code_challenge_method: 'S256',
  redirect_uri: app.redirect_uri,
})

/** Authorizes the app as the user; returns the code and its verifier. */
export async function someCode(app: SomeApp, user: SomeUser, scopes?: readonly Scope[], resource?: string) {
  const { code_verifier, code_challenge } = pkce()
  const { code } = await user.api.result(authorize, {
    query: {
      ...authorizationQuery(app, code_challenge),
      ...(scopes && { scope: scopes.join(' ') }),
      ...(resource && { resource }),
    },
  })
  return { code, code_verifier }
}

/** The header of a call by the app itself. */
export const basicOf = ({ client_id, client_secret }: Pick<SomeApp, 'client_id' | 'client_secret'>) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

/** The token request of a code, with verifier and client secret. */
export const codeRequest = (app: SomeApp, { code, code_verifier }: { code: string; code_verifier: string }) => ({
  grant_type: 'authorization_code',
  client_id: app.client_id,
  client_secret: app.client_secret,
  redirect_uri: app.redirect_uri,
  code,
  code_verifier,
})

/** The token request of a refresh token, with the client secret. */
export const refreshRequest = (app: SomeApp, refresh_token: string) => ({
  grant_type: 'refresh_token',
  client_id: app.client_id,
  client_secret: app.client_secret,
  refresh_token,
})

/** Tokens of the app for the user, through the authorization code flow. */
export async function someTokens(
  plaza: TestService,
  app: SomeApp,
  user: SomeUser,
  scopes?: readonly Scope[],
  resource?: string,
): Promise<SomeTokens> {
  const anonymous = new PlazaClient(plaza.url)
  const issued = await anonymous.result(token, { body: codeRequest(app, await someCode(app, user, scopes, resource)) })
  return {
    access_token: issued.access_token,
    refresh_token: issued.refresh_token,
    session_token: issued.session_token ?? '',
    api: anonymous.withToken(issued.access_token),
  }
}

/** Awards points to the user, as an admin. */
export async function givePoints(plaza: TestService, user: { id: string }, amount: number, app_id?: string) {
  const admin = await theAdmin(plaza)
  await admin.api.result(awardPoints, { body: { user_id: user.id, amount, ...(app_id !== undefined && { app_id }) } })
}

/** A user with points, and an app with tokens of these scopes for the user. */
export async function world(plaza: TestService, { points = 0, scopes = ['profile:read'] as Scope[] } = {}) {
  const [user, app] = [await someUser(plaza), await someApp(plaza, { scopes })]
  if (points > 0) await givePoints(plaza, user, points)
  const tokens = await someTokens(plaza, app, user, scopes)
  return { user, app, tokens }
}

/** The user's points, read from `/api/auth/me`. */
export const pointsOf = async (user: SomeUser) => (await user.api.result(me)).user.points

/** Sends a raw request, for requests that the typed client does not allow. */
export async function raw(plaza: TestService, method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(plaza.url + path, { method, redirect: 'manual', ...init })
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (json && text !== '' ? JSON.parse(text) : undefined) as unknown,
  }
}

/** Sends untyped JSON with `own`, another token or none (null). Returns status and body. */
export const jsonCaller =
  (plaza: TestService, own: string) =>
  async (method: string, path: string, body?: unknown, token: string | null = own): Promise<[number, unknown]> =>
    outcome(
      await raw(plaza, method, path, {
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )

/** The audit entries of a target, newest first. */
export const auditOf = async (admin: SomeUser, target_id: string) =>
  (await admin.api.result(listAudit, { query: { target_id } })).data.map(({ action, actor_id, details }) => ({
    action,
    actor_id,
    details,
  }))

/** Calls an instance of the service with a token; returns status, body and `Retry-After`. */
export async function callAs(
  process: TestService,
  method: string,
  path: string,
  token: string,
  body?: object,
  key?: string,
) {
  const reply = await raw(process, method, path, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return [reply.status, reply.body, reply.headers.get('retry-after')]
}
