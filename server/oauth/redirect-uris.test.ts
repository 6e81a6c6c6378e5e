import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { createApp, listMyApps, updateMyApp } from '../../contract/oauth-apps.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, invalid_grant, no_text, outcome, refused } from '../test/refusals.ts'
import { authorizationQuery, pkce, raw, codeRequest, someApp, someUser, type SomeApp } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza)
const anonymous = new PlazaClient(plaza.url)
const { code_challenge, code_verifier } = pkce()
const headers = { authorization: `Bearer ${user.token}` }

const registered = (redirect_uri: string) => someApp(plaza, { redirect_uris: [redirect_uri] })

/** Codes and connections of the app, as an authorization would write them. */
async function written({ id }: SomeApp) {
  const [row] = await plaza.db.sql<{ codes: number; connections: number }>`
    select (select count(*) from authorization_codes where app_id = ${id}) as codes,
           (select count(*) from connections where app_id = ${id}) as connections`
  return row
}
const nothing = { codes: 0, connections: 0 }

test('D-28: the port of a loopback URI is free, and the token call must repeat it', async () => {
  const app = await registered('http://127.0.0.1/cb')
  const redirect_uri = 'http://127.0.0.1:5001/cb'
  const query = { ...authorizationQuery(app, code_challenge), redirect_uri }
  const asked = await user.api.result(authorize, { query })
  expect(asked.redirect_uri).toBe(redirect_uri)
  const body = { ...codeRequest(app, { code: asked.code, code_verifier }) }
  for (const wrong of ['http://127.0.0.1:5002/cb', 'http://127.0.0.1/cb'])
    expect(outcome(await anonymous.call(token, { body: { ...body, redirect_uri: wrong } }))).toEqual(invalid_grant)
  expect((await anonymous.call(token, { body: { ...body, redirect_uri } })).status).toBe(200)
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

test('D-29: a parameter that is repeated or in brackets is 422', async () => {
  const app = await registered('https://a.example/cb')
  const good = new URLSearchParams(authorizationQuery(app, code_challenge)).toString()
  const { redirect_uri: _, ...without } = authorizationQuery(app, code_challenge)
  const none = new URLSearchParams(without).toString()
  for (const [query, path] of [
    [`${good}&redirect_uri=https://a.example/cb`, 'redirect_uri'],
    [`${none}&redirect_uri%5B%5D=https://a.example/cb`, 'redirect_uri'],
    [`${good}&scope[a]=profile:read`, 'scope'],
    [`${good}&client_id=${app.client_id}`, 'client_id'],
    [`${good}&state=a&state=b`, 'state'],
  ] as const) {
    const reply = await raw(plaza, 'GET', `/api/oauth/authorize?${query}`, { headers })
    expect([query, outcome(reply)]).toEqual([query, invalid(path, no_text)])
  }
  expect(await written(app)).toEqual(nothing)
})

test('RFC 6749 4.1.2.1, RFC 9700 4.11.2: an unknown client, an unregistered address or a pending app redirects nobody', async () => {
  const app = await registered('https://a.example/cb')
  const pending = await someApp(plaza, { approved: false })
  const evil = { ...authorizationQuery(app, code_challenge), redirect_uri: 'https://evil.example/cb' }
  for (const [query, code] of [
    [evil, 'redirect_uri_not_registered'],
    [{ ...evil, client_id: 'nobody' }, 'unknown_client'],
    [authorizationQuery(pending, code_challenge), 'app_not_approved'],
  ] as const) {
    const url = `/api/oauth/authorize?${new URLSearchParams(query).toString()}`
    const reply = await raw(plaza, 'GET', url, { headers: { ...headers, accept: 'text/html' } })
    expect([...outcome(reply), reply.headers.get('location')]).toEqual([...refused(code), null])
    const browser = await raw(plaza, 'GET', url, { headers: { accept: 'text/html' } })
    expect([browser.status, browser.headers.get('location')]).toEqual([303, url.replace('/api/', '/')])
  }
  expect([await written(app), await written(pending)]).toEqual([nothing, nothing])
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
  const described = await get('text/html', `/api/oauth/authorize/request?${query}`)
  expect(outcome(described)).toEqual(refused('unauthorized'))
})

test('D-28: ten redirect URIs can be registered; one that is refused changes nothing and makes no app', async () => {
  const { api } = await someUser(plaza)
  const redirect_uris = Array.from({ length: 10 }, (_, at) => `https://a.example/${at}`)
  const { app } = await api.result(createApp, { body: { app_name: 'Many', redirect_uris } })
  expect(app.redirect_uris).toEqual(redirect_uris)
  const bad = { redirect_uris: ['https://a.example/ok', 'https://a.example/cb#f'] }
  const fault = invalid('redirect_uris.1', 'must have no fragment')
  expect(outcome(await api.call(updateMyApp, { params: { id: app.id }, body: bad }))).toEqual(fault)
  expect(outcome(await api.call(createApp, { body: { app_name: 'Bad', ...bad } }))).toEqual(fault)
  expect((await api.result(listMyApps)).map((each) => each.redirect_uris)).toEqual([redirect_uris])
})
