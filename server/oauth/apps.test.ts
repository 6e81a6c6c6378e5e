import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { approveApp } from '../../contract/admin-apps.ts'
import { createApp, getPublicApp, listMyApps, listScopeRequests, updateMyApp } from '../../contract/oauth-apps.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { raw, someApp, someTokens, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const registration = { app_name: 'A game', redirect_uris: ['https://a.example/cb'] }
const nowhere = '01890000-0000-7000-8000-000000000000'

const some_text = expect.any(String) as string
const appsOf = async (owner_id: string) => plaza.db.sql`select id from oauth_apps where owner_id = ${owner_id}`

test('spec POST apps: answers the app with its secret, not approved, not listed (D-34), and nothing undeclared', async () => {
  const owner = await someUser(plaza)
  const now = plaza.clock.now().toISOString()
  const links = { app_description: 'Play', logo_url: 'https://a.example/l.png', website_url: 'https://a.example' }
  const reply = await owner.api.call(createApp, { body: { ...registration, ...links } })
  const app = {
    id: some_text,
    client_id: expect.stringMatching(/^[A-Za-z0-9_-]+$/) as string,
    client_secret: expect.stringMatching(/^plz_cs_[A-Za-z0-9_-]{43}$/) as string,
    ...registration,
    ...links,
    allowed_scopes: ['profile:read'],
    is_approved: false,
    listed: false,
    review: { status: 'pending', reason: null, decided_at: null, resubmitted_at: null, note: null },
    require_par: false,
    backchannel_logout_uri: null,
    require_dpop: false,
    require_pkce: false,
    inserted_at: now,
    updated_at: now,
  }
  expect(outcome(reply)).toEqual([201, { app }])
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const bare = await owner.api.result(createApp, { body: { ...registration, app_description: '' } })
  expect(bare.app).toMatchObject({ app_description: null, logo_url: null, website_url: null })
})

test('spec POST apps: 403 for an account whose e-mail is not verified, and no app comes to be', async () => {
  const owner = await someUser(plaza, { verified: false })
  expect(outcome(await owner.api.call(createApp, { body: registration }))).toEqual(refused('email_not_verified'))
  expect(await appsOf(owner.id)).toEqual([])
})

test('spec Limits: three apps an hour; the fourth is 429 with its headers, and accepted again after the hour', async () => {
  const owner = await someUser(plaza)
  const register = () => owner.api.call(createApp, { body: registration })
  const standing = ({ status, headers }: Awaited<ReturnType<typeof register>>) => [
    status,
    ...['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name)),
  ]
  const policy = '"default";q=3;w=3600'
  for (const left of [2, 1, 0])
    expect(standing(await register())).toEqual([201, policy, `"default";r=${left};t=3600`, null])
  plaza.clock.advance(600)
  const fourth = await register()
  expect(standing(fourth)).toEqual([429, policy, '"default";r=0;t=3000', '3000'])
  expect(fourth.body).toEqual(refused('rate_limited')[1])
  expect((await appsOf(owner.id)).length).toBe(3)
  expect((await (await someUser(plaza)).api.call(createApp, { body: registration })).status).toBe(201)
  plaza.clock.advance(2999)
  expect((await register()).status).toBe(429)
  plaza.clock.advance(1)
  expect(standing(await register())).toEqual([201, policy, '"default";r=2;t=3600', null])
})

test('D-31: an app gets the scopes it asks for but deploy:manage and points:award; the former becomes a scope request', async () => {
  const owner = await someUser(plaza)
  const requested_scopes = ['points:award', 'deploy:manage', 'app:balance:read', 'points:read', 'points:read']
  const { app } = await owner.api.result(createApp, { body: { ...registration, requested_scopes } })
  expect(app.allowed_scopes).toEqual(['points:read', 'app:balance:read'])
  const requests = await owner.api.result(listScopeRequests, { params: { id: app.id } })
  expect(requests).toEqual([
    { id: some_text, status: 'pending', requested_scopes: ['deploy:manage'], inserted_at: app.inserted_at },
  ])
})

test('spec GET my-apps: the caller’s own apps, newest first, without a secret', async () => {
  const owner = await someUser(plaza)
  const older = await someApp(plaza, { owner })
  plaza.clock.advance(1)
  const newer = await someApp(plaza, { owner, approved: false })
  await someTokens(plaza, older, await someUser(plaza))
  const apps = await owner.api.result(listMyApps)
  expect(apps.map(({ id, is_approved, total_users }) => [id, is_approved, total_users])).toEqual([
    [newer.id, false, 0],
    [older.id, true, 1],
  ])
  for (const app of apps) expect(app).not.toHaveProperty('client_secret')
  expect(await (await someUser(plaza)).api.result(listMyApps)).toEqual([])
})

test('spec GET apps/{client_id}: name, client_id and the description if there is one, for anybody', async () => {
  const app = await someApp(plaza, { approved: false })
  const { client_id } = app
  const [{ app_name } = { app_name: '' }] = await app.owner.api.result(listMyApps)
  const view = () => anonymous.call(getPublicApp, { params: { client_id } })
  expect(outcome(await view())).toEqual([200, { name: app_name, client_id }])
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { app_description: 'Play' } })
  expect(outcome(await view())).toEqual([200, { name: app_name, client_id, description: 'Play' }])
})

test('spec PUT my-apps: changes the given fields and leaves the rest; an empty text clears a field', async () => {
  const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
  const put = (body: Record<string, unknown>) => app.owner.api.call(updateMyApp, { params: { id: app.id }, body })
  const [listed] = await app.owner.api.result(listMyApps)
  const { total_users: _, role: __, team_id: ___, team_name: ____, ...before } = listed!
  plaza.clock.advance(5)
  const change = {
    app_name: 'Renamed',
    app_description: 'New',
    logo_url: 'https://a.example/l.png',
    website_url: 'https://a.example',
    redirect_uris: ['https://a.example/one', 'https://a.example/two'],
    allowed_scopes: ['points:read'],
    require_pkce: true,
  }
  const changed = { ...before, ...change, updated_at: plaza.clock.now().toISOString() }
  expect(outcome(await put(change))).toEqual([200, changed])
  expect(outcome(await put({}))).toEqual([200, changed])
  expect(outcome(await put({ app_description: '', logo_url: '' }))).toEqual([
    200,
    { ...changed, app_description: null, logo_url: null },
  ])
})

test('spec PUT my-apps: the response of GET can be put back unchanged; null clears a field', async () => {
  const app = await someApp(plaza)
  const { api, token } = app.owner
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const put = async (body: unknown) =>
    outcome(await raw(plaza, 'PUT', `/api/oauth/my-apps/${app.id}`, { headers, body: JSON.stringify(body) }))
  const links = { app_description: 'Play', logo_url: 'https://a.example/l.png', website_url: 'https://a.example' }
  const none = { app_description: null, logo_url: null, website_url: null }
  const [listed] = await api.result(listMyApps)
  const { total_users, role, team_id, team_name, ...bare } = listed!
  expect(bare).toMatchObject(none)
  expect(await put({ ...bare, total_users, role, team_id, team_name })).toEqual([200, bare])
  expect(await put(links)).toEqual([200, { ...bare, ...links }])
  expect(await put({ ...bare, ...links })).toEqual([200, { ...bare, ...links }])
  for (const [name, value, message] of [
    ['app_name', null, 'must be string'],
    ['redirect_uris', null, 'must be array'],
    ['app_description', 7, 'must be string or null'],
  ] as const)
    expect(await put({ ...none, [name]: value })).toEqual(invalid(name, message))
  expect(await put({})).toEqual([200, { ...bare, ...links }])
  expect(await put({ logo_url: null })).toEqual([200, { ...bare, ...links, logo_url: null }])
  expect(await put(none)).toEqual([200, bare])
})

test('D-31: an update narrows allowed_scopes only; widening is 403 and changes nothing', async () => {
  const app = await someApp(plaza, { scopes: ['profile:read', 'points:read', 'points:spend'] })
  const put = (allowed_scopes: string[]) =>
    app.owner.api.call(updateMyApp, { params: { id: app.id }, body: { app_name: 'Renamed', allowed_scopes } })
  const narrowed = await put(['points:read', 'profile:read'])
  expect(narrowed.ok && narrowed.body.allowed_scopes).toEqual(['profile:read', 'points:read'])
  const [before] = await app.owner.api.result(listMyApps)
  for (const wider of ['points:spend', 'deploy:manage', 'points:award', 'nonsense'])
    expect(outcome(await put(['profile:read', wider]))).toEqual(refused('scope_not_allowed'))
  expect(await app.owner.api.result(listMyApps)).toEqual([before])
  const emptied = await put([])
  expect(emptied.ok && emptied.body.allowed_scopes).toEqual([])
})

test('D-07: a PUT cannot set what is not the owner’s to set', async () => {
  const app = await someApp(plaza, { approved: false })
  const { api } = app.owner
  const [before] = await api.result(listMyApps)
  const smuggled = {
    id: nowhere,
    client_id: 'mine',
    client_secret: 'known',
    user_id: nowhere,
    owner_id: nowhere,
    is_approved: true,
    status: 'approved',
    listed: true,
    approval_epoch: 9,
    inserted_at: '2020-01-01T00:00:00Z',
  }
  const reply = await api.call(updateMyApp, { params: { id: app.id }, body: { ...smuggled } as object })
  expect(reply.status).toBe(200)
  const widening = { ...smuggled, allowed_scopes: ['deploy:manage'] }
  expect(outcome(await api.call(updateMyApp, { params: { id: app.id }, body: widening }))).toEqual(
    refused('scope_not_allowed'),
  )
  expect(await api.result(listMyApps)).toEqual([before])
  const { app: made } = await api.result(createApp, { body: { ...registration, ...smuggled } as typeof registration })
  expect(made).toMatchObject({ is_approved: false, listed: false, inserted_at: plaza.clock.now().toISOString() })
  for (const field of ['id', 'client_id', 'client_secret'] as const) expect(made[field]).not.toBe(smuggled[field])
  expect((await appsOf(app.owner.id)).length).toBe(2)
})

test('D-34: listed becomes true by an admin only, with the approval', async () => {
  const app = await someApp(plaza)
  const { api } = await theAdmin(plaza)
  const listed = async () => (await app.owner.api.result(listMyApps))[0]?.listed
  expect(await listed()).toBe(false)
  await api.result(approveApp, { params: { id: app.id }, body: { listed: true } })
  expect(await listed()).toBe(true)
  await api.result(approveApp, { params: { id: app.id }, body: { listed: false } })
  expect(await listed()).toBe(false)
})
