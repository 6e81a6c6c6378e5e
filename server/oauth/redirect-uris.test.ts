import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { createApp, listMyApps, updateMyApp } from '../../contract/oauth-apps.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, invalid_grant, outcome, refused } from '../test/refusals.ts'
import { authorizationQuery, pkce, raw, codeRequest, someApp, someUser, type SomeApp } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza)
const anonymous = new PlazaClient(plaza.url)
const { code_challenge, code_verifier } = pkce()

const registered = (redirect_uri: string) => someApp(plaza, { redirect_uris: [redirect_uri] })
const ask = (app: SomeApp, redirect_uri: string) =>
  user.api.call(authorize, { query: { ...authorizationQuery(app, code_challenge), redirect_uri } })

/** Codes and connections that exist for the app: what an authorization would have written. */
async function written({ id }: SomeApp) {
  const [row] = await plaza.db.sql<{ codes: number; connections: number }>`
    select (select count(*) from authorization_codes where app_id = ${id}) as codes,
           (select count(*) from connections where app_id = ${id}) as connections`
  return row
}
const nothing = { codes: 0, connections: 0 }

async function expectUnregistered(app: SomeApp, redirect_uris: string[]) {
  for (const uri of redirect_uris) {
    const reply = await ask(app, uri)
    expect([uri, ...outcome(reply)]).toEqual([uri, ...refused('redirect_uri_not_registered')])
    expect(reply.headers.has('location')).toBe(false)
  }
  expect(await written(app)).toEqual(nothing)
}

test('spec redirect_uri: a variant of the registered one in case, slash, query, fragment, dots or port is 400', async () => {
  const app = await registered('https://a.example/cb')
  await expectUnregistered(app, [
    'https://a.example/CB',
    'https://a.example/cb/',
    'https://a.example/cb?x=1',
    'https://a.example/cb?',
    'https://a.example/cb#f',
    'https://a.example/cb/../cb',
    'https://a.example/%2e%2e/cb',
    'https://a.example/%63b',
    'https://A.example/cb',
    'HTTPS://a.example/cb',
    'https://a.example:443/cb',
    'http://a.example/cb',
    'https://a.example/cb ',
    ' https://a.example/cb',
    '/cb',
    'https://a.example',
  ])
  expect((await ask(app, 'https://a.example/cb')).status).toBe(200)
})

test('spec redirect_uri: a foreign host that only begins or reads like the registered one is 400', async () => {
  await expectUnregistered(await registered('https://a.example/cb'), [
    'https://a.example@evil.example/cb',
    'https://a.example%2f@evil.example/cb',
    'https://a.example\\@evil.example/cb',
    'https://a.example.evil.example/cb',
    'https://evil.example/https://a.example/cb',
    'https://a.example./cb',
  ])
})

test('D-28: the port of a loopback URI is free, in either direction', async () => {
  const app = await registered('http://127.0.0.1/cb')
  const reply = await ask(app, 'http://127.0.0.1:51004/cb')
  expect([reply.status, reply.ok && reply.body.redirect_uri]).toEqual([200, 'http://127.0.0.1:51004/cb'])
  expect((await ask(await registered('http://[::1]:3000/cb'), 'http://[::1]:3001/cb')).status).toBe(200)
  expect((await ask(await registered('http://localhost:3000/cb'), 'http://localhost/cb')).status).toBe(200)
})

test('D-28: nothing but the port of a loopback URI is free', async () => {
  await expectUnregistered(await registered('http://127.0.0.1/cb'), [
    'http://127.0.0.1:80@evil.example/cb',
    'http://u@127.0.0.1/cb',
    'https://127.0.0.1/cb',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/cb?x=1',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:51004.evil.example/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:65536/cb',
    'http://127.1/cb',
    'http://localhost/cb',
    'http://[::1]/cb',
  ])
  await expectUnregistered(await registered('https://127.0.0.1/cb'), ['https://127.0.0.1:8443/cb'])
})

test('D-28: the token call must repeat the port that authorize was given', async () => {
  const app = await registered('http://127.0.0.1/cb')
  const asked = await ask(app, 'http://127.0.0.1:5001/cb')
  const body = { ...codeRequest(app, { code: asked.ok ? asked.body.code : '', code_verifier }) }
  for (const redirect_uri of ['http://127.0.0.1:5002/cb', 'http://127.0.0.1/cb'])
    expect(outcome(await anonymous.call(token, { body: { ...body, redirect_uri } }))).toEqual(invalid_grant)
  const right = await anonymous.call(token, { body: { ...body, redirect_uri: 'http://127.0.0.1:5001/cb' } })
  expect(right.status).toBe(200)
})

test('spec redirect_uri: left out, it is the first registered one, and the token call must name that', async () => {
  const redirect_uris = ['https://a.example/first', 'https://a.example/second']
  const app = await someApp(plaza, { redirect_uris })
  const { redirect_uri: _, ...query } = authorizationQuery(app, code_challenge)
  const { code, redirect_uri } = await user.api.result(authorize, { query })
  expect(redirect_uri).toBe('https://a.example/first')
  const body = codeRequest(app, { code, code_verifier })
  const wrong = await anonymous.call(token, { body: { ...body, redirect_uri: 'https://a.example/second' } })
  expect(outcome(wrong)).toEqual(invalid_grant)
  expect((await anonymous.call(token, { body: { ...body, redirect_uri } })).status).toBe(200)
})

test('D-29: a parameter that comes twice or in brackets is 422, never a 500', async () => {
  const app = await registered('https://a.example/cb')
  const good = new URLSearchParams(authorizationQuery(app, code_challenge)).toString()
  const { redirect_uri: _, ...without } = authorizationQuery(app, code_challenge)
  const none = new URLSearchParams(without).toString()
  const uri = encodeURIComponent('https://a.example/cb')
  const queries = [
    [`${good}&redirect_uri=${uri}`, 'redirect_uri'],
    [`${none}&redirect_uri[]=${uri}`, 'redirect_uri'],
    [`${none}&redirect_uri%5B%5D=${uri}`, 'redirect_uri'],
    [`${good}&scope[a]=profile:read`, 'scope'],
    [`${good}&scope=profile:read&scope=profile:read`, 'scope'],
    [`${good}&client_id=${app.client_id}`, 'client_id'],
    [`${good}&state=a&state=b`, 'state'],
  ] as const
  for (const [query, path] of queries) {
    const headers = { authorization: `Bearer ${user.token}` }
    const reply = await raw(plaza, 'GET', `/api/oauth/authorize?${query}`, { headers })
    expect([query, outcome(reply)]).toEqual([query, invalid(path, 'must be string')])
  }
  expect(await written(app)).toEqual(nothing)
})

test('RFC 6749 4.1.2.1: an unknown client or an unregistered redirect_uri never leads to that URI', async () => {
  const app = await registered('https://a.example/cb')
  const evil = { ...authorizationQuery(app, code_challenge), redirect_uri: 'https://evil.example/cb' }
  const headers = { authorization: `Bearer ${user.token}` }
  for (const [query, code] of [
    [evil, 'redirect_uri_not_registered'],
    [{ ...evil, client_id: 'nobody' }, 'unknown_client'],
  ] as const) {
    const url = `/api/oauth/authorize?${new URLSearchParams(query).toString()}`
    const reply = await raw(plaza, 'GET', url, { headers: { ...headers, accept: 'text/html' } })
    expect([...outcome(reply), reply.headers.get('location')]).toEqual([...refused(code), null])
    const browser = await raw(plaza, 'GET', url, { headers: { accept: 'text/html' } })
    expect([browser.status, browser.headers.get('location')]).toEqual([303, url.replace('/api/', '/')])
  }
  expect(await written(app)).toEqual(nothing)
})

test('RFC 9700 4.11.2: an app that is not approved is 403, and nothing redirects', async () => {
  const app = await someApp(plaza, { approved: false })
  const query = new URLSearchParams(authorizationQuery(app, code_challenge)).toString()
  const headers = { authorization: `Bearer ${user.token}`, accept: 'text/html' }
  const reply = await raw(plaza, 'GET', `/api/oauth/authorize?${query}`, { headers })
  expect([...outcome(reply), reply.headers.get('location')]).toEqual([...refused('app_not_approved'), null])
  expect(await written(app)).toEqual(nothing)
})

test('D-30: a browser without a token is sent to the consent page with its query untouched; a program gets 401', async () => {
  const query = 'client_id=x&redirect_uri=%2F%2Fevil.example&state=%22a%20b%26c%22+d&scope='
  const get = (accept: string, path = `/api/oauth/authorize?${query}`) =>
    raw(plaza, 'GET', path, { headers: { accept } })
  const browser = await get('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')
  expect([browser.status, browser.headers.get('location')]).toEqual([303, `/oauth/authorize?${query}`])
  const bare = await get('text/html', '/api/oauth/authorize')
  expect([bare.status, bare.headers.get('location')]).toEqual([303, '/oauth/authorize'])
  expect(outcome(await get('application/json'))).toEqual(refused('unauthorized'))
  expect(outcome(await get('*/*'))).toEqual(refused('unauthorized'))
})

test('D-28: https, loopback http and private-use schemes with a dot can be registered, one to ten of them', async () => {
  const owner = await someUser(plaza)
  const good = [
    'https://a.example/cb',
    'https://a.example:8443/cb?tenant=1',
    'https://a.example',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]:3000/cb',
    'http://localhost:3000',
    'com.example.app:/oauth2redirect',
    'com.example.app://oauth2redirect/cb',
    'https://b.example/cb;x=y',
  ]
  const register = (redirect_uris: string[]) => owner.api.call(createApp, { body: { app_name: 'Many', redirect_uris } })
  const reply = await register(good)
  expect([reply.status, reply.ok && reply.body.app.redirect_uris]).toEqual([201, good])
  expect(outcome(await register([...good, 'https://a.example/eleventh']))).toEqual(
    invalid('redirect_uris', 'must NOT have more than 10 items'),
  )
  expect(outcome(await register([]))).toEqual(invalid('redirect_uris', 'must NOT have fewer than 1 items'))
  expect((await owner.api.result(listMyApps)).length).toBe(1)
})

const unregistrable = Object.entries({
  'must use https, http on a loopback address, or a private-use scheme with a dot': [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'javascript://a.example/%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://a.example/x',
    'myapp://cb',
  ],
  'must be a plain ASCII URI without spaces, backslashes or *': [
    ' java\tscript:alert(1)',
    'https://a.example\\@evil.example/cb',
    'https://*.a.example/cb',
    'https://a.example/*',
    'https://a.example/c b',
    'https://ä.example/cb',
  ],
  'is not an absolute URI': ['/cb', '//a.example/cb', 'a.example/cb', 'https://', 'http://127.0.0.1:65536/cb'],
  'has no host': ['https:a.example/cb', 'https:/a.example/cb', 'https:///a.example/cb'],
  'must have no fragment': ['https://a.example/cb#', 'https://a.example/cb#f'],
  'must have no user information': ['https://u:p@a.example/cb', 'https://@a.example/cb', 'http://u@127.0.0.1/cb'],
  'must not have a query parameter named code, state, iss, error, error_description': [
    'https://a.example/cb?code=1',
    'https://a.example/cb?x=1&state=1',
    'https://a.example/cb?iss=1',
    'https://a.example/cb?error=1',
    'https://a.example/cb?error_description=1',
    'https://a.example/cb?%63ode=1',
  ],
  'must have no dot segments': ['https://a.example/a/../cb', 'https://a.example/%2E%2e/cb'],
  'must use https, or http on 127.0.0.1, [::1] or localhost': [
    'http://a.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.1/cb',
    'http://0.0.0.0/cb',
  ],
  'holds a NUL or half a surrogate pair': ['https://a.example/cb\0'],
}).flatMap(([fault, uris]) => uris.map((uri) => [uri, fault] as const))

test('D-28: every other redirect URI is 422 at an update and changes nothing', async () => {
  const app = await registered('https://a.example/cb')
  for (const [uri, fault] of unregistrable) {
    const redirect_uris = ['https://a.example/ok', uri]
    const reply = await app.owner.api.call(updateMyApp, { params: { id: app.id }, body: { redirect_uris } })
    expect([uri, outcome(reply)]).toEqual([uri, invalid('redirect_uris.1', fault)])
  }
  const [kept] = await app.owner.api.result(listMyApps)
  expect(kept?.redirect_uris).toEqual(['https://a.example/cb'])
})

test('D-28: every other redirect URI is 422 at registration, and no app comes to be', async () => {
  let owner = await someUser(plaza)
  for (const [at, [uri, fault]] of unregistrable.entries()) {
    // Three an hour each: the limit counts refused calls too.
    if (at % 3 === 2) owner = await someUser(plaza)
    const reply = await owner.api.call(createApp, { body: { app_name: 'Bad', redirect_uris: [uri] } })
    expect([uri, outcome(reply)]).toEqual([uri, invalid('redirect_uris.0', fault)])
  }
  const rows = await plaza.db.sql`select id from oauth_apps where app_name = 'Bad'`
  expect(rows).toEqual([])
})
