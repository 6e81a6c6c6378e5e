import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { authorize, describeReturn, token } from '../../contract/oauth.ts'
import { describeLogout } from '../../contract/openid.ts'
import { authorizationServer } from '../../contract/system.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, outcome, refused, required } from '../test/refusals.ts'
import { authorizationQuery, pkce, raw, codeRequest, someApp, someUser, theAdmin, type SomeApp } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const user = await someUser(plaza)
const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
const { code_challenge } = pkce()
const good = authorizationQuery(app, code_challenge)

const malformed_challenge = invalid('code_challenge', 'must be a SHA-256 in base64url: 43 characters')

type Query = Record<string, string | undefined>
type Refusal = [change: Query, expected: unknown[]]
const ask = (query: Query, jwt: string | null = user.token, path = '') => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return raw(plaza, 'GET', `/api/oauth/authorize${path}?${new URLSearchParams(given).toString()}`, {
    headers: jwt === null ? {} : { authorization: `Bearer ${jwt}` },
  })
}

/** The rows that authorizations write, for all apps of this file. */
async function written() {
  const [row] = await plaza.db.sql`
    select (select count(*) from authorization_codes) as codes, (select count(*) from connections) as connections`
  return row
}

/** Sends each query and expects its response; checks that nothing was written. */
async function expectRefusals(cases: Refusal[], path = '') {
  const before = await written()
  for (const [change, expected] of cases)
    expect([change, ...outcome(await ask({ ...good, ...change }, user.token, path))]).toEqual([change, ...expected])
  expect(await written()).toEqual(before)
}

test('spec authorize: answers code, 600 seconds and the redirect URI, with the issuer and no state that was not sent', async () => {
  const reply = await ask(good)
  const code = expect.stringMatching(/^plz_ac_[A-Za-z0-9_-]{43}$/) as string
  expect(outcome(reply)).toEqual([
    200,
    { code, expires_in: 600, redirect_uri: app.redirect_uri, iss: (await metadata()).issuer },
  ])
  expect(reply.headers.get('cache-control')).toBe('no-store')
})

const metadata = () => anonymous.result(authorizationServer)

test('spec authorize: the state comes back byte for byte', async () => {
  for (const state of [`a&b=%c+d "e" 'f' <g> é 日本 😀 \\ /`, '%2526', '0', 'x'.repeat(2048), '&%"'.repeat(600)])
    expect((await ask({ ...good, state })).body).toMatchObject({ state, iss: (await metadata()).issuer })
})

test('RFC 6749 §3.1: a parameter without a value counts as not sent; twice it is refused all the same', async () => {
  const code = expect.stringMatching(/^plz_ac_/) as string
  const bare = [200, { code, expires_in: 600, redirect_uri: app.redirect_uri, iss: (await metadata()).issuer }]
  expect(outcome(await ask({ ...good, redirect_uri: '', state: '', scope: '' }))).toEqual(bare)
  const shown = await ask({ ...good, redirect_uri: '', state: '', scope: '' }, user.token, '/request')
  expect([shown.status, shown.body]).toEqual([200, expect.objectContaining({ redirect_uri: app.redirect_uri })])
  await expectRefusals(
    ['client_id', 'response_type', 'code_challenge', 'code_challenge_method'].map((name) => [
      { [name]: '' },
      invalid(name, required),
    ]),
  )
  const before = await written()
  for (const twice of ['state=&state=', 'state=&state=x'])
    expect(
      outcome(
        await raw(plaza, 'GET', `/api/oauth/authorize?${new URLSearchParams(good).toString()}&${twice}`, {
          headers: { authorization: `Bearer ${user.token}` },
        }),
      ),
    ).toEqual(invalid('state', 'must be string'))
  expect(await written()).toEqual(before)
})

test('spec code_challenge_method: anything but S256 is 400; none at all is 422', async () => {
  const wrong = refused('unsupported_challenge_method')
  await expectRefusals([
    [{ code_challenge_method: 'plain' }, wrong],
    [{ code_challenge_method: 's256' }, wrong],
    [{ code_challenge_method: 'S256 ' }, wrong],
    [{ code_challenge_method: 'S512' }, wrong],
    [{ code_challenge_method: undefined }, invalid('code_challenge_method', required)],
  ])
})

test('spec code_challenge: anything but the unpadded base64url of 32 bytes is 422', async () => {
  const challenges = [
    'a'.repeat(42),
    'a'.repeat(44),
    `${'a'.repeat(42)}=`,
    `${'a'.repeat(43)}=`,
    `${'a'.repeat(42)}+`,
    `${'a'.repeat(42)}/`,
    `${'a'.repeat(42)} `,
    `${'a'.repeat(43)}\n`,
    `${'a'.repeat(42)}é`,
  ]
  await expectRefusals([
    [{ code_challenge: undefined }, invalid('code_challenge', required)],
    ...challenges.map((code_challenge): Refusal => [{ code_challenge }, malformed_challenge]),
  ])
})

test('spec response_type: anything but code is 400', async () => {
  const wrong = refused('unsupported_response_type')
  await expectRefusals([
    ...['token', 'code token', 'code id_token', 'CODE', 'none', 'code '].map((response_type): [Query, unknown[]] => [
      { response_type },
      wrong,
    ]),
    [{ response_type: undefined }, invalid('response_type', required)],
  ])
})

test('spec scope: one that is unknown, not allowed or not split by spaces is 400', async () => {
  const wrong = refused('invalid_scope')
  await expectRefusals([
    [{ scope: 'points:spend' }, wrong],
    [{ scope: 'profile:read points:spend' }, wrong],
    [{ scope: 'deploy:manage' }, wrong],
    [{ scope: 'points:award' }, wrong],
    [{ scope: 'email' }, wrong],
    [{ scope: 'PROFILE:READ' }, wrong],
    [{ scope: 'profile:read,points:read' }, wrong],
    [{ scope: 'profile:read\tpoints:read' }, wrong],
    [{ scope: 'profile:read\npoints:read' }, wrong],
    [{ scope: '__proto__' }, wrong],
    [{ scope: 'constructor' }, wrong],
    [{ scope: 'profile:read '.repeat(300) + 'nonsense' }, wrong],
  ])
})

/** The scopes of a code, as the token response contains them. */
async function granted(owned: SomeApp, scope?: string) {
  const { code_verifier, code_challenge: challenge } = pkce()
  const query = { ...authorizationQuery(owned, challenge), ...(scope !== undefined && { scope }) }
  const { code } = await user.api.result(authorize, { query })
  return (await anonymous.result(token, { body: codeRequest(owned, { code, code_verifier }) })).scope
}

test('spec scope, D-27: a subset is granted, each scope once; none means all but points:award; offline_access is ignored', async () => {
  const holder = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
  await plaza.db.sql`update oauth_apps set allowed_scopes = allowed_scopes || '{points:award}' where id = ${holder.id}`
  const all = 'profile:read points:read'
  for (const [scope, expected] of [
    ['points:read', 'points:read'],
    ['points:read  profile:read points:read', all],
    [undefined, all],
    ['', all],
    ['offline_access points:read', 'points:read'],
    ['offline_access', all],
  ])
    expect([scope, await granted(holder, scope)]).toEqual([scope, expected])
})

test('D-27: an app without any scope cannot be authorized', async () => {
  const bare = await someApp(plaza, { scopes: ['points:award'] })
  expect(outcome(await ask(authorizationQuery(bare, code_challenge)))).toEqual(refused('invalid_scope'))
})

test.each(['', '/request'])('D-29, D-30: at authorize%s, each check comes before the next one', async (path) => {
  const waiting = authorizationQuery(await someApp(plaza, { approved: false }), code_challenge)
  expect(outcome(await ask({ code_challenge: 'short' }, null, path))).toEqual(refused('unauthorized'))
  for (const jwt of ['nonsense', `${user.token}x`])
    expect(outcome(await ask({ code_challenge: 'short' }, jwt, path))).toEqual(refused('invalid_token'))
  const scope = 'nonsense'
  const redirect_uri = 'https://evil.example/cb'
  const pairs: [Query, unknown[]][] = [
    [{ code_challenge: 'short', response_type: 'token' }, malformed_challenge],
    [{ response_type: 'token', code_challenge_method: 'plain' }, refused('unsupported_response_type')],
    [{ code_challenge_method: 'plain', client_id: 'nobody' }, refused('unsupported_challenge_method')],
    [{ client_id: 'nobody', redirect_uri, scope }, refused('unknown_client')],
    [{ ...waiting, redirect_uri }, refused('app_not_approved')],
    [{ ...waiting, scope }, refused('app_not_approved')],
    [{ redirect_uri, scope }, refused('redirect_uri_not_registered')],
    [{ scope }, refused('invalid_scope')],
  ]
  await expectRefusals(pairs, path)
})

// The return address of a refused request

const askReturn = async (query: { client_id: string; redirect_uri?: string }) =>
  outcome(await anonymous.call(describeReturn, { query }))
const returning = await someApp(plaza, { redirect_uris: ['https://app.test/cb', 'http://127.0.0.1/cb'] })
const { client_id } = returning
const place = (redirect_uri: string, redirect_host: string, is_approved = true) => [
  200,
  { app_name: expect.any(String), redirect_uri, redirect_host, is_approved, iss: plaza.url },
]

test('D-30: an error may go to a redirect URI that the app registered, with a free port on loopback, and to its first one', async () => {
  expect(await askReturn({ client_id, redirect_uri: 'https://app.test/cb' })).toEqual(
    place('https://app.test/cb', 'app.test'),
  )
  expect(await askReturn({ client_id })).toEqual(place('https://app.test/cb', 'app.test'))
  expect(await askReturn({ client_id, redirect_uri: 'http://127.0.0.1:4915/cb' })).toEqual(
    place('http://127.0.0.1:4915/cb', '127.0.0.1:4915'),
  )
})

test('D-30: no error goes to an unknown client or to an address that it did not register', async () => {
  expect(await askReturn({ client_id: 'nobody', redirect_uri: 'https://app.test/cb' })).toEqual(
    refused('unknown_client'),
  )
  for (const redirect_uri of [
    'https://app.test/cb/',
    'https://evil.test/cb',
    'https://app.test/cb?x=1',
    'javascript:0',
  ])
    expect([redirect_uri, ...(await askReturn({ client_id, redirect_uri }))]).toEqual([
      redirect_uri,
      ...refused('redirect_uri_not_registered'),
    ])
})

test('D-30, D-123: the description includes apps without approval, and says that they have none', async () => {
  const [pending, rejected] = [await someApp(plaza, { approved: false }), await someApp(plaza)]
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: rejected.id }, body: {} })
  for (const { client_id } of [pending, rejected]) {
    expect(await askReturn({ client_id })).toEqual(place('https://app.test/cb', 'app.test', false))
    const query = { client_id, post_logout_redirect_uri: 'https://app.test/bye' }
    expect((await user.api.result(describeLogout, { query })).is_approved).toBe(false)
  }
})
