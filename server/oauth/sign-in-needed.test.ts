import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { decisions } from '../../contract/decisions.ts'
import { authorize, describeAuthorization, token } from '../../contract/oauth.ts'
import { describeLogout, unsupportedParameter } from '../../contract/openid.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import {
  authorizationQuery,
  codeRequest,
  pkce,
  raw,
  someApp,
  someUser,
  type SomeApp,
  type SomeUser,
} from '../test/world.ts'
import { needsSignIn, type Prompt } from './rules.ts'

const { sign_in_counts_seconds } = decisions.openid_sign_in
const now = new Date('2026-11-26T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

/** A row: prompts, max_age, seconds since the sign-in, whether the hint fits; and whether to ask before and after a sign-in for it. */
const rows: [Prompt[], number | undefined, number, boolean, boolean, boolean][] = [
  [[], undefined, 86_400, true, false, false],
  [['consent'], undefined, 86_400, true, false, false],
  [['login'], undefined, 0, true, true, false],
  [['login'], undefined, 5, true, true, false],
  [['login', 'consent'], undefined, 5, true, true, false],
  [['select_account'], undefined, 5, true, true, false],
  [['select_account', 'login'], 3_600, 5, true, true, false],
  [[], 0, 0, true, true, false],
  [[], 0, 5, true, true, false],
  [['login'], 0, 5, true, true, false],
  [[], 4, 5, true, true, false],
  [[], 5, 5, true, false, false],
  [[], 3_600, 5, true, false, false],
  [[], undefined, 5, false, true, false],
  [['consent'], 3_600, 5, false, true, false],
  [['none'], undefined, 86_400, true, false, false],
  [['none'], 0, 5, true, true, true],
  [['none'], 4, 5, true, true, true],
  [['none'], undefined, 5, false, true, true],
  [['login'], undefined, sign_in_counts_seconds, true, true, false],
  [['login'], undefined, sign_in_counts_seconds + 1, true, true, true],
  [[], 0, sign_in_counts_seconds + 1, true, true, true],
  [[], undefined, sign_in_counts_seconds + 1, false, true, true],
]

test.each(rows)(
  'D-128: prompt %j, max_age %s, signed in %i s ago, expected person: %s: asks %s, and after a sign-in %s',
  (prompts, max_age, seconds, is_expected_person, before, after) => {
    const facts = { prompts, max_age, is_expected_person, signed_in_at: ago(seconds), now }
    expect(needsSignIn({ ...facts, after_sign_in: false })).toBe(before)
    expect(needsSignIn({ ...facts, after_sign_in: true })).toBe(after)
  },
)

test('D-128: parameters that change what is asked are named; others are ignored', () => {
  expect(unsupportedParameter({ request: 'a.b.c' })).toBe('request_not_supported')
  expect(unsupportedParameter({ request: ['a', 'b'] })).toBe('request_not_supported')
  expect(unsupportedParameter({ request_uri: 'urn:x' })).toBe('request_uri_not_supported')
  expect(unsupportedParameter({ registration: '{}' })).toBe('registration_not_supported')
  for (const response_mode of ['fragment', 'form_post', 'Query', 'query.jwt', ['query', 'query']])
    expect(unsupportedParameter({ response_mode })).toBe('response_mode_not_supported')
  const ignored = {
    response_mode: 'query',
    display: 'popup',
    ui_locales: 'de',
    acr_values: '1',
    claims: '{}',
    toString: 'x',
  }
  expect(unsupportedParameter(ignored)).toBeUndefined()
})

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)

interface Request {
  prompt?: string
  max_age?: number
  id_token_hint?: string
  after_sign_in?: boolean
}

const queryOf = (app: SomeApp, request: Request, challenge = pkce().code_challenge) => ({
  ...authorizationQuery(app, challenge),
  scope: 'openid profile:read',
  ...request,
})

async function idTokenOf(app: SomeApp, user: SomeUser, request: Request = {}) {
  const { code_verifier, code_challenge } = pkce()
  const { code } = await user.api.result(authorize, { query: queryOf(app, request, code_challenge) })
  return (await anonymous.result(token, { body: codeRequest(app, { code, code_verifier }) })).id_token ?? ''
}

const isAsked = async (app: SomeApp, user: SomeUser, request: Request) =>
  (await user.api.result(describeAuthorization, { query: queryOf(app, request) })).login_needed
const tried = async (app: SomeApp, user: SomeUser, request: Request) =>
  outcome(await user.api.call(authorize, { query: queryOf(app, request) }))
const codesOf = (app: SomeApp) => plaza.db.sql`select from authorization_codes where app_id = ${app.id}`

test('D-128: max_age=0 is fulfilled by the sign-in that it asked for, and by no other', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  expect(await isAsked(app, user, { max_age: 0 })).toBe(true)
  expect(await tried(app, user, { max_age: 0 })).toEqual(refused('login_required'))
  plaza.clock.advance(100)
  const request = { max_age: 0, after_sign_in: true }
  expect(await isAsked(app, user, request)).toBe(false)
  expect(await idTokenOf(app, user, request)).not.toBe('')
  expect(await codesOf(app)).toHaveLength(1)
  plaza.clock.advance(sign_in_counts_seconds)
  expect(await tried(app, user, request)).toEqual(refused('login_required'))
})

test('D-128: an id_token_hint of another person, or a forged one, is login_required without a question, and else asks', async () => {
  const [app, other_app, anna, ben] = [
    await someApp(plaza),
    await someApp(plaza),
    await someUser(plaza),
    await someUser(plaza),
  ]
  const hint = await idTokenOf(app, anna)
  await idTokenOf(app, ben)
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
  plaza.clock.advance(10 * decisions.openid.id_token_seconds)
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
