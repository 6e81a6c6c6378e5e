import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT, type JSONWebKeySet } from 'jose'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { decisions } from '../../contract/decisions.ts'
import { me } from '../../contract/accounts.ts'
import { getExternalUser } from '../../contract/external.ts'
import { authorize, describeAuthorization, token } from '../../contract/oauth.ts'
import { describeLogout, listPublicKeys, postUserinfo } from '../../contract/openid.ts'
import { openidConfiguration } from '../../contract/system.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import {
  authorizationQuery,
  codeRequest,
  pkce,
  raw,
  refreshRequest,
  someApp,
  someUser,
  type SomeApp,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService(long_sign_ins)
const anonymous = new PlazaClient(plaza.url)
const { id_token_seconds } = decisions.openid
const { sign_in_counts_seconds } = decisions.openid_sign_in

const keySet = async () => (await anonymous.result(listPublicKeys)) as JSONWebKeySet
const inSeconds = (time: Date) => Math.floor(time.getTime() / 1000)

interface Request {
  scope?: string
  nonce?: string
  prompt?: string
  max_age?: number
  id_token_hint?: string
  after_sign_in?: boolean
}

const queryOf = (app: SomeApp, code_challenge: string, request: Request) => ({
  ...authorizationQuery(app, code_challenge),
  scope: 'openid profile:read',
  ...request,
})

/** The response of the token endpoint for an authorization with these parameters. */
async function signIn(app: SomeApp, user: SomeUser, request: Request = {}) {
  const { code_verifier, code_challenge } = pkce()
  const { code } = await user.api.result(authorize, { query: queryOf(app, code_challenge, request) })
  return anonymous.result(token, { body: codeRequest(app, { code, code_verifier }) })
}

const verified = async (id_token: string | undefined, app: SomeApp) =>
  (
    await jwtVerify(id_token ?? '', createLocalJWKSet(await keySet()), {
      issuer: plaza.url,
      audience: app.client_id,
      currentDate: plaza.clock.now(),
    })
  ).payload

const tried = (app: SomeApp, user: SomeUser, request: Request) =>
  user.api.call(authorize, { query: queryOf(app, pkce().code_challenge, request) }).then(outcome)
const isAsked = async (app: SomeApp, user: SomeUser, request: Request) =>
  (await user.api.result(describeAuthorization, { query: queryOf(app, pkce().code_challenge, request) })).login_needed
const codesOf = (app: SomeApp) => plaza.db.sql`select from authorization_codes where app_id = ${app.id}`

test('D-103: openid adds an identity token with exactly these claims', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  plaza.clock.advance(60)
  const issued = await signIn(app, user, { nonce: 'n-0S6_WzA2Mj' })
  expect(issued.scope).toBe('openid profile:read')
  const now = inSeconds(plaza.clock.now())
  const at_hash = createHash('sha256').update(issued.access_token).digest().subarray(0, 16).toString('base64url')
  expect(await verified(issued.id_token, app)).toEqual({
    iss: plaza.url,
    sub: user.id,
    aud: app.client_id,
    iat: now,
    exp: now + id_token_seconds,
    auth_time: now - 60,
    nonce: 'n-0S6_WzA2Mj',
    at_hash,
    sid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    name: user.username,
    email: user.email,
    email_verified: true,
  })
  const [key] = (await keySet()).keys
  expect(decodeProtectedHeader(issued.id_token ?? '')).toEqual({ alg: 'RS256', kid: key?.kid, typ: 'JWT' })
  const { sub } = await anonymous.withToken(issued.access_token).result(getExternalUser)
  expect(sub).toBe(user.id)
})

test('D-103: userinfo answers POST as GET, with an empty or any form or JSON body (OpenID Connect Core §5.3.1)', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const { access_token } = await signIn(app, user)
  const expected = await anonymous.withToken(access_token).result(getExternalUser)
  expect(await anonymous.withToken(access_token).result(postUserinfo)).toEqual(expected)
  const authorization = `Bearer ${access_token}`
  const form = 'application/x-www-form-urlencoded'
  for (const [type, body] of [
    [form, ''],
    [form, 'schema=openid&schema=openid'],
    ['application/json', '{"a":1}'],
  ] as const) {
    const init = { headers: { authorization, 'content-type': type }, body }
    expect(outcome(await raw(plaza, 'POST', '/api/external/user', init))).toEqual([200, expected])
  }
})

test('D-103: POST of userinfo refuses as GET does: no token, a wrong one, one without profile:read', async () => {
  const [app, user] = [await someApp(plaza, { scopes: ['points:read'] }), await someUser(plaza)]
  const { access_token } = await signIn(app, user, { scope: 'points:read' })
  const path = '/api/external/user'
  const own = { authorization: `Bearer ${access_token}` }
  for (const headers of [{}, { authorization: 'Bearer pz_at_wrong' }, own, { authorization: 'Basic YTpi' }]) {
    const [posted, got] = [await raw(plaza, 'POST', path, { headers }), await raw(plaza, 'GET', path, { headers })]
    expect([posted.status, outcome(posted)]).toEqual([401, outcome(got)])
    expect(posted.headers.get('www-authenticate')).toBe(got.headers.get('www-authenticate'))
  }
})

test('D-103: without openid, answers are those of before; name and address need profile:read', async () => {
  const [app, user] = [await someApp(plaza, { scopes: ['profile:read', 'points:read'] }), await someUser(plaza)]
  const plain = await signIn(app, user, { scope: 'profile:read', nonce: 'n' })
  expect([plain.scope, 'id_token' in plain]).toEqual(['profile:read', false])
  const bare = await verified((await signIn(app, user, { scope: 'openid points:read' })).id_token, app)
  expect(Object.keys(bare).toSorted()).toEqual(['at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'])
})

test('D-103: openid alone means profile:read, and is refused if the app may not have it', async () => {
  const [app, other, user] = [
    await someApp(plaza, { scopes: ['profile:read', 'points:spend'] }),
    await someApp(plaza, { scopes: ['points:read'] }),
    await someUser(plaza),
  ]
  expect((await signIn(app, user, { scope: 'openid' })).scope).toBe('openid profile:read')
  const details = await user.api.result(describeAuthorization, {
    query: queryOf(app, pkce().code_challenge, { scope: 'openid' }),
  })
  expect(details.scopes.map(({ scope }) => scope)).toEqual(['openid', 'profile:read'])
  expect(await tried(other, user, { scope: 'openid' })).toEqual(refused('invalid_scope'))
  expect(await codesOf(other)).toEqual([])
})

test('D-103: a refresh gives an identity token of the same sign-in without the nonce, unless openid is left out', async () => {
  const [app, user] = [await someApp(plaza, { scopes: ['profile:read', 'points:read'] }), await someUser(plaza)]
  const issued = await signIn(app, user, { scope: 'openid profile:read points:read', nonce: 'n' })
  const { auth_time } = decodeJwt(issued.id_token ?? '')
  plaza.clock.advance(600)
  const renewed = await anonymous.result(token, { body: refreshRequest(app, issued.refresh_token) })
  expect(renewed.scope).toBe('openid profile:read points:read')
  const claims = await verified(renewed.id_token, app)
  expect(claims).toMatchObject({ sub: user.id, auth_time, iat: inSeconds(plaza.clock.now()), email: user.email })
  expect(claims).not.toHaveProperty('nonce')

  // Repeated after a lost response: the same pair, and an identity token that fits it.
  const repeated = await anonymous.result(token, { body: refreshRequest(app, issued.refresh_token) })
  expect(repeated.access_token).toBe(renewed.access_token)
  expect(decodeJwt(repeated.id_token ?? '').at_hash).toBe(claims.at_hash)

  const narrow = { ...refreshRequest(app, renewed.refresh_token), scope: 'points:read' }
  const without = await anonymous.result(token, { body: narrow })
  expect([without.scope, 'id_token' in without]).toEqual(['points:read', false])
})

test('D-103: max_age refuses an older sign-in, and a new one satisfies it', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  plaza.clock.advance(100)
  expect(await tried(app, user, { max_age: 99 })).toEqual(refused('login_required'))
  expect(await codesOf(app)).toEqual([])
  const query = queryOf(app, pkce().code_challenge, { max_age: 99 })
  expect((await user.api.result(describeAuthorization, { query })).login_needed).toBe(true)
  expect((await signIn(app, user, { max_age: 100 })).id_token).toBeDefined()
})

test('D-103: prompt=none gives what was allowed before and nothing else; consent asks again; unknown words are refused', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  expect(await tried(app, user, { prompt: 'none' })).toEqual(refused('consent_required'))
  expect(await codesOf(app)).toEqual([])
  await signIn(app, user)
  expect((await signIn(app, user, { prompt: 'none' })).id_token).toBeDefined()
  const needed = async (prompt: string) =>
    (await user.api.result(describeAuthorization, { query: queryOf(app, pkce().code_challenge, { prompt }) }))
      .consent_needed
  expect([await needed('login'), await needed('consent'), await needed('login consent')]).toEqual([false, true, true])
  for (const prompt of ['none login', 'create', 'None'])
    expect(await tried(app, user, { prompt })).toEqual(refused('prompt_not_known'))
})

test('D-103: prompt=none never grants to a loopback or private-use redirect, whose receiver cannot be told', async () => {
  const user = await someUser(plaza)
  for (const redirect_uri of ['http://127.0.0.1/cb', 'com.app.test:/cb']) {
    const app = await someApp(plaza, { redirect_uris: [redirect_uri] })
    await signIn(app, user)
    expect(await tried(app, user, { prompt: 'none' })).toEqual(refused('consent_required'))
  }
})

test('D-103: the discovery document is true', async () => {
  const found = await anonymous.result(openidConfiguration)
  expect(found).toMatchObject({
    issuer: plaza.url,
    jwks_uri: `${plaza.url}/.well-known/jwks.json`,
    userinfo_endpoint: `${plaza.url}/api/external/user`,
    end_session_endpoint: `${plaza.url}/oauth/logout`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  })
  expect(found.scopes_supported).toContain('openid')
  const keys = await raw(plaza, 'GET', '/.well-known/jwks.json')
  expect([keys.status, keys.headers.get('access-control-allow-origin'), keys.headers.get('cache-control')]).toEqual([
    200,
    '*',
    'public, max-age=3600',
  ])
  // No member of the private key.
  for (const key of (keys.body as JSONWebKeySet).keys)
    expect(Object.keys(key).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
})

test('D-103: an identity token is no credential, however it is signed', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const { id_token = '' } = await signIn(app, user)
  for (const endpoint of [me, getExternalUser])
    expect(outcome(await anonymous.withToken(id_token).call(endpoint))).toEqual(refused('invalid_token'))
  // Key confusion: the public key as a MAC key (RFC 8725 §2.1), and no signature at all.
  const [key] = (await keySet()).keys
  const claims = { ...decodeJwt(id_token), sid: crypto.randomUUID() }
  const as_mac = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: key?.kid ?? '' })
    .sign(Buffer.from(JSON.stringify(key)))
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${id_token.split('.')[1]}.`
  for (const forged of [as_mac, unsigned]) {
    expect(outcome(await anonymous.withToken(forged).call(me))).toEqual(refused('invalid_token'))
    expect(await logout({ id_token_hint: forged })).toEqual(refused('id_token_hint_not_ours'))
  }
})

const logout = async (query: Record<string, string>) => outcome(await anonymous.call(describeLogout, { query }))

test('D-103: a logout names the app and the person, also by an expired token, and goes to the app’s own origin only', async () => {
  const redirect_uris = ['https://shop.test/auth/cb']
  const [app, other, user] = [await someApp(plaza, { redirect_uris }), await someApp(plaza), await someUser(plaza)]
  const { id_token = '' } = await signIn(app, user)
  plaza.clock.advance(10 * id_token_seconds)
  const { client_id } = app
  const described = (redirect_uri: string | null, user_id: string | null = user.id) => [
    200,
    { app_name: expect.stringMatching(/^App /) as string, redirect_uri, user_id, is_approved: true },
  ]
  expect(await logout({})).toEqual([200, { app_name: null, redirect_uri: null, user_id: null, is_approved: false }])
  expect(await logout({ id_token_hint: id_token })).toEqual(described(null))
  const good = 'https://shop.test/bye?from=plaza'
  expect(await logout({ id_token_hint: id_token, post_logout_redirect_uri: good })).toEqual(described(good))
  expect(await logout({ client_id, post_logout_redirect_uri: good })).toEqual(described(good, null))
  expect(await logout({ client_id, post_logout_redirect_uri: 'https://shop.test/bye', state: 'a&b' })).toEqual(
    described('https://shop.test/bye?state=a%26b', null),
  )
  expect(await logout({ client_id, post_logout_redirect_uri: 'https://shop.test.evil.test/bye' })).toEqual(
    refused('logout_uri_not_registered'),
  )
  // Without a client, no address is registered.
  expect(await logout({ post_logout_redirect_uri: 'https://shop.test/bye' })).toEqual(
    refused('logout_uri_not_registered'),
  )
  expect(await logout({ client_id: 'nobody' })).toEqual(refused('unknown_client'))
  expect(await logout({ id_token_hint: id_token, client_id: other.client_id })).toEqual(
    refused('id_token_hint_not_ours'),
  )
  expect(await logout({ id_token_hint: `${id_token.slice(0, -4)}AAAA` })).toEqual(refused('id_token_hint_not_ours'))
  expect(await logout({ id_token_hint: user.token })).toEqual(refused('id_token_hint_not_ours'))
})

test('D-103: apps may open both pages by a form, whose parameters go into the address', async () => {
  for (const path of ['/oauth/authorize', '/oauth/logout']) {
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const reply = await raw(plaza, 'POST', path, {
      ...form,
      body: 'client_id=a%20b&state=%0d%0aSet-Cookie:x&client_id=c',
    })
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      `${path}?client_id=a+b&state=%0D%0ASet-Cookie%3Ax&client_id=c`,
    ])
    expect((await raw(plaza, 'POST', path, { ...form, body: `state=${'x'.repeat(20_000)}` })).status).toBe(413)
  }
})

test('D-128: max_age=0 accepts the sign-in that it required, and no other', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  expect(await isAsked(app, user, { max_age: 0 })).toBe(true)
  expect(await tried(app, user, { max_age: 0 })).toEqual(refused('login_required'))
  plaza.clock.advance(100)
  const request = { max_age: 0, after_sign_in: true }
  expect(await isAsked(app, user, request)).toBe(false)
  expect((await signIn(app, user, request)).id_token).toBeDefined()
  expect(await codesOf(app)).toHaveLength(1)
  plaza.clock.advance(sign_in_counts_seconds)
  expect(await tried(app, user, request)).toEqual(refused('login_required'))
})

test('D-128: an id_token_hint of another person, or a forged one, is login_required for prompt=none, and otherwise asks for a sign-in', async () => {
  const [app, other_app, anna, ben] = [
    await someApp(plaza),
    await someApp(plaza),
    await someUser(plaza),
    await someUser(plaza),
  ]
  const { id_token: hint = '' } = await signIn(app, anna)
  await signIn(app, ben)
  const forged = await new SignJWT({ sub: ben.id, aud: app.client_id, iss: plaza.url })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.alloc(32))
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${hint.split('.')[1]}.`
  const before = (await codesOf(app)).length
  for (const id_token_hint of [hint, forged, unsigned, `${hint.slice(0, -4)}AAAA`, ben.token, 'nonsense']) {
    expect(await tried(app, ben, { prompt: 'none', id_token_hint })).toEqual(refused('login_required'))
    expect(await tried(app, ben, { prompt: 'none', id_token_hint, after_sign_in: true })).toEqual(
      refused('login_required'),
    )
    expect(await tried(app, ben, { id_token_hint })).toEqual(refused('login_required'))
    expect(await isAsked(app, ben, { id_token_hint })).toBe(true)
    expect(await isAsked(app, ben, { id_token_hint, after_sign_in: true })).toBe(false)
  }
  expect(await codesOf(app)).toHaveLength(before)
  expect(await isAsked(app, anna, { id_token_hint: hint })).toBe(false)
  expect(await isAsked(other_app, anna, { id_token_hint: hint })).toBe(false)
  plaza.clock.advance(10 * id_token_seconds)
  expect(await isAsked(app, anna, { id_token_hint: hint })).toBe(false)
  expect(await tried(app, anna, { prompt: 'none', id_token_hint: hint })).toEqual([200, expect.anything()])
})

test('D-128: request, request_uri, registration and other response modes are refused by name, before all other checks', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const headers = { authorization: `Bearer ${user.token}` }
  const sent = new URLSearchParams(authorizationQuery(app, pkce().code_challenge)).toString()
  for (const [parameter, code] of [
    ['request=eyJ', 'request_not_supported'],
    ['request=a&request=b', 'request_not_supported'],
    ['request_uri=https://app.test/r', 'request_uri_not_supported'],
    ['registration={}', 'registration_not_supported'],
    ['response_mode=fragment', 'response_mode_not_supported'],
    ['response_mode=form_post', 'response_mode_not_supported'],
  ] as const)
    for (const path of ['/api/oauth/authorize', '/api/oauth/authorize/request'])
      for (const query of [`${sent}&${parameter}`, `client_id=${app.client_id}&${parameter}`])
        expect([query, ...outcome(await raw(plaza, 'GET', `${path}?${query}`, { headers }))]).toEqual([
          query,
          ...refused(code),
        ])
  expect(await codesOf(app)).toEqual([])
  const ignored = 'request=&response_mode=query&display=page&ui_locales=de&acr_values=1&claims=%7B%7D&login_hint=a'
  expect((await raw(plaza, 'GET', `/api/oauth/authorize?${sent}&${ignored}`, { headers })).status).toBe(200)
})

test('D-128: the state of a logout is appended as text, and leaves the address as it was sent', async () => {
  const app = await someApp(plaza, { redirect_uris: ['https://shop.test/cb'] })
  const after = async (address: string, state: string) => {
    const query = { client_id: app.client_id, post_logout_redirect_uri: address, state }
    return (await anonymous.result(describeLogout, { query })).redirect_uri
  }
  expect(await after('https://shop.test/bye', 'a&b=c d+é')).toBe('https://shop.test/bye?state=a%26b%3Dc+d%2B%C3%A9')
  expect(await after('https://shop.test/bye?x=%20a&y=(1)~', 's')).toBe('https://shop.test/bye?x=%20a&y=(1)~&state=s')
  expect(await after('https://SHOP.test/bye?flag', 's')).toBe('https://SHOP.test/bye?flag&state=s')
})
