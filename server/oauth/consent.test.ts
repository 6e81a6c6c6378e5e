import { expect, test } from 'vitest'
import { approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { listMyApps, updateMyApp } from '../../contract/oauth-apps.ts'
import { authorize, describeAuthorization, disconnectApp } from '../../contract/oauth.ts'
import { scopes as scope_texts, type Scope } from '../../contract/kinds/scopes.ts'
import { race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { authorizationQuery, pkce, raw, someApp, someUser, theAdmin, type SomeApp } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza)
const { code_challenge } = pkce()

const queryOf = (app: SomeApp, change: { redirect_uri?: string; scope?: string } = {}) => ({
  ...authorizationQuery(app, code_challenge),
  ...change,
})
const consentNeeded = async (app: SomeApp, change: { redirect_uri?: string; scope?: string } = {}) =>
  (await user.api.result(describeAuthorization, { query: queryOf(app, change) })).consent_needed
const consent = (app: SomeApp, change: { redirect_uri?: string; scope?: string } = {}) =>
  user.api.result(authorize, { query: queryOf(app, change) })
const both: Scope[] = ['profile:read', 'points:read']

test('D-30: the consent page learns app, owner, redirect host and scopes, and nothing more', async () => {
  const app = await someApp(plaza, { scopes: both, redirect_uris: ['https://login.a.example:8443/cb'] })
  const links = { app_description: 'A game', logo_url: 'https://a.example/logo.png', website_url: 'https://a.example' }
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: links })
  await (await theAdmin(plaza)).api.result(approveApp, { params: { id: app.id }, body: {} })
  const [registered] = await app.owner.api.result(listMyApps)
  const reply = await user.api.call(describeAuthorization, { query: { ...queryOf(app), state: 'xyz' } })
  const expected = {
    app: {
      client_id: app.client_id,
      app_name: registered?.app_name,
      ...links,
      owner_username: app.owner.username,
      inserted_at: registered?.inserted_at,
    },
    redirect_uri: 'https://login.a.example:8443/cb',
    redirect_host: 'login.a.example:8443',
    scopes: both.map((scope) => ({ scope, grants: scope_texts[scope].grants })),
    consent_needed: true,
    login_needed: false,
    app_id: app.id,
    daily_limit: null,
    for_agent: false,
    shown: expect.any(String),
    iss: plaza.url,
  }
  expect(outcome(reply)).toEqual([200, expected])
  // It grants nothing.
  expect(await consentNeeded(app)).toBe(true)
  const rows = await plaza.db.sql`
    select app_id from authorization_codes where app_id = ${app.id}
     union all select app_id from connections where app_id = ${app.id}`
  expect(rows).toEqual([])
})

test('D-30: the redirect host is the default URI’s where none was given, and the scheme of a private-use URI', async () => {
  const redirectOf = async (redirect_uris: string[]) => {
    const { redirect_uri: _, ...query } = queryOf(await someApp(plaza, { redirect_uris }))
    const { redirect_uri, redirect_host } = await user.api.result(describeAuthorization, { query })
    return [redirect_uri, redirect_host]
  }
  for (const [uri, host] of [
    ['https://a.example/cb', 'a.example'],
    ['http://127.0.0.1:8080/cb', '127.0.0.1:8080'],
    ['com.example.app:/cb', 'com.example.app:'],
    ['com.example.app://bank.example/cb', 'com.example.app:'],
  ] as const)
    expect(await redirectOf([uri, 'https://other.example/cb'])).toEqual([uri, host])
})

test('D-117: consent covers the app as shown to the person, not its later changes', async () => {
  const app = await someApp(plaza, { scopes: both })
  const query = queryOf(app)
  const { shown } = await user.api.result(describeAuthorization, { query })
  const change = (body: object) => app.owner.api.result(updateMyApp, { params: { id: app.id }, body })
  const codes = async () => (await plaza.db.sql`select from authorization_codes where app_id = ${app.id}`).length
  for (const body of [
    { app_name: 'Bank of Ada' },
    { logo_url: 'https://other.test/logo.png' },
    { redirect_uris: [app.redirect_uri, 'https://other.test/cb'] },
  ]) {
    await change(body)
    expect(outcome(await user.api.call(authorize, { query: { ...query, shown } }))).toEqual(refused('consent_required'))
  }
  expect(await codes()).toBe(0)
  const { shown: now } = await user.api.result(describeAuthorization, { query })
  expect((await user.api.call(authorize, { query: { ...query, shown: now } })).status).toBe(200)
  const { shown: narrower } = await user.api.result(describeAuthorization, { query: { ...query, scope: both[0]! } })
  expect(narrower).not.toBe(now)
})

test('D-30, D-86: consent to an https redirect is remembered for the same scopes, however they are named', async () => {
  const app = await someApp(plaza, { scopes: both })
  await consent(app)
  expect(await consentNeeded(app)).toBe(false)
  expect(await consentNeeded(app, { scope: 'points:read profile:read points:read' })).toBe(false)
})

test('D-86: consent to some scopes covers neither fewer nor more, and two consents do not add up', async () => {
  const app = await someApp(plaza, { scopes: both })
  await consent(app)
  expect(await consentNeeded(app, { scope: 'points:read' })).toBe(true)
  const narrow = await someApp(plaza, { scopes: both })
  await consent(narrow, { scope: 'profile:read' })
  expect(await consentNeeded(narrow)).toBe(true)
  const other = await someApp(plaza, { scopes: both })
  for (const scope of both) await consent(other, { scope })
  expect(await consentNeeded(other)).toBe(true)
  for (const scope of both) expect(await consentNeeded(other, { scope })).toBe(false)
})

test('D-86: consent holds for one origin of the redirect, whatever its path', async () => {
  const redirect_uris = [
    'https://a.example/cb',
    'https://a.example/other',
    'https://a.example:8443/cb',
    'https://b.example/cb',
  ]
  const app = await someApp(plaza, { redirect_uris })
  await consent(app)
  const asked = await Promise.all(redirect_uris.map((redirect_uri) => consentNeeded(app, { redirect_uri })))
  expect(asked).toEqual([false, false, true, true])
})

test('D-86: consent holds for one name of the app; the old name back brings it back', async () => {
  const app = await someApp(plaza)
  await consent(app)
  const rename = (app_name: string) => app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { app_name } })
  const [before] = await app.owner.api.result(listMyApps)
  await rename('Your Bank')
  expect(await consentNeeded(app)).toBe(true)
  await rename(before?.app_name ?? '')
  expect(await consentNeeded(app)).toBe(false)
  await rename('Your Bank')
  await consent(app)
  expect(await consentNeeded(app)).toBe(false)
})

test('D-86: consent holds for one approval', async () => {
  const app = await someApp(plaza)
  await consent(app)
  const admin = await theAdmin(plaza)
  const params = { id: app.id }
  await admin.api.result(approveApp, { params, body: {} })
  expect(await consentNeeded(app)).toBe(false)
  await admin.api.result(rejectApp, { params, body: {} })
  await admin.api.result(approveApp, { params, body: {} })
  expect(await consentNeeded(app)).toBe(true)
  await consent(app)
  expect(await consentNeeded(app)).toBe(false)
})

test('D-86: 50 parallel consents to two scopes in two processes are remembered for both', async () => {
  const app = await someApp(plaza, { scopes: both })
  const other = await plaza.startAnother()
  const query = (at: number) => ({ ...queryOf(app), ...(at % 4 < 2 && { scope: 'profile:read' }) })
  const replies = await race(plaza, 50, (at) =>
    raw(at % 2 === 0 ? plaza : other, 'GET', `/api/oauth/authorize?${new URLSearchParams(query(at)).toString()}`, {
      headers: { authorization: `Bearer ${user.token}` },
    }),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect([await consentNeeded(app), await consentNeeded(app, { scope: 'profile:read' })]).toEqual([false, false])
})

test('D-30: a loopback or private-use redirect asks each time', async () => {
  const redirect_uris = ['http://127.0.0.1/cb', 'com.example.app:/cb', 'https://a.example/cb']
  const app = await someApp(plaza, { redirect_uris })
  for (const redirect_uri of [...redirect_uris, 'http://127.0.0.1:5001/cb']) await consent(app, { redirect_uri })
  expect(await consentNeeded(app, { redirect_uri: 'http://127.0.0.1/cb' })).toBe(true)
  expect(await consentNeeded(app, { redirect_uri: 'http://127.0.0.1:5001/cb' })).toBe(true)
  expect(await consentNeeded(app, { redirect_uri: 'com.example.app:/cb' })).toBe(true)
  expect(await consentNeeded(app, { redirect_uri: 'https://a.example/cb' })).toBe(false)
})

test('D-30: consent is deleted when the user disconnects the app, and belongs to one user', async () => {
  const app = await someApp(plaza)
  await consent(app)
  const query = queryOf(app)
  const other = await someUser(plaza)
  expect((await other.api.result(describeAuthorization, { query })).consent_needed).toBe(true)
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  expect(await consentNeeded(app)).toBe(true)
})
