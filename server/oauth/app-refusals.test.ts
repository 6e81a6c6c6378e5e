import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, logout } from '../../contract/accounts.ts'
import { listSecrets, updateMyApp } from '../../contract/oauth-apps.ts'
import { updateOperatorApp } from '../../contract/operators.ts'
import { digestTables } from '../test/table-digests.ts'
import { sharedService } from '../test/harness.ts'
import { blank, fewer, invalid, more, no_text, outcome, refused, required, unstorable } from '../test/refusals.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { jsonCaller, someApp, someTokens, someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const app = await someApp(plaza)
const { owner } = app
const secret_id = (await owner.api.result(listSecrets, { params: { id: app.id } })).secrets[0]?.id ?? ''
const nowhere = '01890000-0000-7000-8000-000000000000'
const uri = 'https://a.example/cb'
const good = { app_name: 'A game', redirect_uris: [uri] }

const endpoints = plaza.service.app.endpoints.filter(({ tag, auth }) => tag === 'OAuth apps' && auth === 'user')
const of_one = endpoints.filter(({ params }) => params !== undefined)

const ask = jsonCaller(plaza, owner.token)
/** The path of one app, by another id or an id of another secret. */
const pathTo = (path: string, id: string, secret = secret_id) => path.replace('{id}', id).replace('{secret_id}', secret)
/** A body that each of the endpoints takes. */
const fair_body = (method: string) => (method === 'GET' ? undefined : { ...good, requested_scopes: ['points:read'] })

test('spec Authentication: calls about own apps are 401 without a token, or with a dead one or an app’s', async () => {
  const user = await someUser(plaza)
  const { access_token } = await someTokens(plaza, app, user)
  const { email, password } = owner
  const ended = await new PlazaClient(plaza.url).result(login, { body: { email, password } })
  await new PlazaClient(plaza.url, ended.token).result(logout)
  expect(endpoints.length).toBe(9)
  const before = await digestTables(plaza)
  for (const { method, path } of endpoints) {
    const call = (token: string | null) => ask(method, pathTo(path, app.id), fair_body(method), token)
    expect([path, await call(null)]).toEqual([path, refused('unauthorized')])
    for (const dead of ['nonsense', ended.token, access_token])
      expect([path, await call(dead)]).toEqual([path, refused('invalid_token')])
  }
  expect(await digestTables(plaza)).toEqual(before)
})

test.each(of_one.map(({ method, path }) => [method, path]))(
  'D-04 %s %s: 404 for the app of another and an unknown one, 422 for a malformed id; nothing is written',
  async (method, path) => {
    const stranger = await someUser(plaza)
    const call = (id: string, token = owner.token) => ask(method, pathTo(path, id), fair_body(method), token)
    const before = await digestTables(plaza)
    expect(await call(app.id, stranger.token)).toEqual(refused('not_found'))
    expect(await call(nowhere)).toEqual(refused('not_found'))
    for (const id of ['x', app.client_id, `urn:uuid:${app.id}`])
      expect([id, await call(id)]).toEqual([id, invalid('id', 'must match format "uuid"')])
    expect(await call('%00')).toEqual(invalid('id', unstorable))
    expect(await digestTables(plaza)).toEqual(before)
  },
)

test('D-39: a secret of another app is 404, a malformed id 422, and nothing is deleted', async () => {
  const other = await someApp(plaza)
  const theirs = (await other.owner.api.result(listSecrets, { params: { id: other.id } })).secrets[0]?.id ?? ''
  const remove = (secret: string) => ask('DELETE', `/api/oauth/my-apps/${app.id}/secrets/${secret}`)
  const before = await digestTables(plaza)
  for (const unknown of [nowhere, theirs, app.id]) expect(await remove(unknown)).toEqual(refused('not_found'))
  expect(await remove('x')).toEqual(invalid('secret_id', 'must match format "uuid"'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('spec GET apps/{client_id}: an unknown one is 404, a malformed one 422', async () => {
  const view = (client_id: string) => ask('GET', `/api/oauth/apps/${client_id}`, undefined, null)
  for (const unknown of ['nobody', app.id, `${app.client_id}x`, 'x'.repeat(200)])
    expect([unknown, await view(unknown)]).toEqual([unknown, refused('not_found')])
  expect(await view('x'.repeat(201))).toEqual(invalid('client_id', more(200)))
  expect(await view('a%00b')).toEqual(invalid('client_id', unstorable))
})

const long_url = `https://a.example/${'x'.repeat(2048)}`

type Bad = [change: Record<string, unknown>, path: string, message: string]
const bad_names: Bad[] = [
  [{ app_name: '' }, 'app_name', blank],
  [{ app_name: ' \u00a0\n' }, 'app_name', blank],
  [{ app_name: 'x'.repeat(101) }, 'app_name', more(100)],
  [{ app_name: null }, 'app_name', no_text],
  [{ app_name: 7 }, 'app_name', no_text],
  [{ app_name: 'a\0b' }, 'app_name', unstorable],
  ...[...'\n\u001b\u007f\u0085\u061c\u200e\u200f\u202a\u202e\u2066\u2069'].map((odd): Bad => [
    { app_name: `Bank${odd}knaB` },
    'app_name',
    'must hold no control or bidirectional formatting characters',
  ]),
]
const bad_redirects: Bad[] = [
  [{ redirect_uris: uri }, 'redirect_uris', 'must be array'],
  [{ redirect_uris: null }, 'redirect_uris', 'must be array'],
  [{ redirect_uris: [] }, 'redirect_uris', fewer(1, 'items')],
  [{ redirect_uris: Array(11).fill(uri) }, 'redirect_uris', more(10, 'items')],
  [{ redirect_uris: [uri, 7] }, 'redirect_uris.1', no_text],
  [{ redirect_uris: [''] }, 'redirect_uris.0', fewer(1)],
  [{ redirect_uris: [long_url] }, 'redirect_uris.0', more(2048)],
  [{ redirect_uris: [uri, `${uri}\0`] }, 'redirect_uris.1', unstorable],
]
const badLinks = (no_link: string): Bad[] => [
  [{ app_description: 'x'.repeat(2001) }, 'app_description', more(2000)],
  [{ app_description: 7 }, 'app_description', no_link],
  [{ app_description: 'a\0b' }, 'app_description', unstorable],
  ...['logo_url', 'website_url'].flatMap((name): Bad[] => [
    [{ [name]: 'javascript:alert(1)' }, name, field_errors.web_url],
    [{ [name]: 'a.example' }, name, field_errors.web_url],
    [{ [name]: ' ' }, name, field_errors.web_url],
    [{ [name]: 7 }, name, no_link],
    [{ [name]: long_url }, name, more(2048)],
    [{ [name]: 'https://a.example/\0' }, name, unstorable],
  ]),
]
const bad_pkce: Bad[] = [
  [{ require_pkce: 'yes' }, 'require_pkce', 'must be boolean'],
  [{ require_pkce: null }, 'require_pkce', 'must be boolean'],
]
const badScopes = (name: string): Bad[] => [
  [{ [name]: 'points:read' }, name, 'must be array'],
  [{ [name]: null }, name, 'must be array'],
  [{ [name]: Array(21).fill('points:read') }, name, more(20, 'items')],
  [{ [name]: ['points:read', 7] }, `${name}.1`, no_text],
  [{ [name]: [''] }, `${name}.0`, fewer(1)],
  [{ [name]: ['x'.repeat(101)] }, `${name}.0`, more(100)],
  [{ [name]: ['points:read\0'] }, `${name}.0`, unstorable],
]
const bad_requests: Bad[] = [
  ...badScopes('requested_scopes'),
  [{ requested_scopes: [] }, 'requested_scopes', fewer(1, 'items')],
  [{ requested_scopes: ['points:read', 'nonsense'] }, 'requested_scopes.1', 'is not a scope'],
  [{ requested_scopes: ['POINTS:READ'] }, 'requested_scopes.0', 'is not a scope'],
]

test('spec POST apps: a malformed field is 422 and is named, and no app is created', async () => {
  const all = [...bad_names, ...bad_redirects, ...badLinks(no_text), ...bad_pkce, ...bad_requests]
  const paths = all.map(([, path]) => path)
  // One of each field: the others are tested with PUT, which has no such limit. Refused calls count against it too.
  const cases = all.filter(([, path], at) => paths.indexOf(path) === at)
  const owners: SomeUser[] = []
  for (let at = 0; at < cases.length + 2; at += 3) owners.push(await someUser(plaza))
  const before = await digestTables(plaza)
  const register = (body: unknown, at: number) =>
    ask('POST', '/api/oauth/apps', body, owners[Math.floor(at / 3)]?.token ?? '')
  for (const [at, [change, ...fault]] of cases.entries())
    expect([change, await register({ ...good, ...change }, at)]).toEqual([change, invalid(...fault)])
  expect(await register([], cases.length)).toEqual(invalid('', 'must be object'))
  expect(await register(undefined, cases.length + 1)).toEqual(
    refused('validation_failed', [
      { path: 'app_name', message: required },
      { path: 'redirect_uris', message: required },
    ]),
  )
  expect(await digestTables(plaza)).toEqual(before)
})

const updates = [...bad_names, ...bad_redirects, ...badLinks('must be string or null'), ...bad_pkce]
test.each<[endpoint: string, method: string, path: string, cases: Bad[]]>([
  ['PUT my-apps', 'PUT', '', [...updates, ...badScopes('allowed_scopes')]],
  ['scope-request', 'POST', '/scope-request', [[{}, 'requested_scopes', required], ...bad_requests]],
])('spec %s: a malformed field is 422 and is named, and nothing is written', async (_, method, path, cases) => {
  const change = (body: unknown) => ask(method, `/api/oauth/my-apps/${app.id}${path}`, body)
  const before = await digestTables(plaza)
  for (const [body, ...fault] of cases) expect([body, await change(body)]).toEqual([body, invalid(...fault)])
  for (const body of [[], 'x', 7]) expect([body, await change(body)]).toEqual([body, invalid('', 'must be object')])
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-90: the link of an app is checked when its operator changes it too; names in any script are stored', async () => {
  const balanced = await someApp(plaza, { owner, scopes: ['app:balance:read'] })
  const [operator, { id }] = [await someTokens(plaza, balanced, owner), balanced]
  expect(outcome(await operator.api.call(updateOperatorApp, { body: { website_url: 'https:evil.example' } }))).toEqual(
    invalid('website_url', field_errors.web_url),
  )
  for (const app_name of ['Bücher 🥉', 'متجر', 'חנות', '店 & Söhne', '👩‍👩‍👧 family'])
    expect(await owner.api.result(updateMyApp, { params: { id }, body: { app_name } })).toMatchObject({ app_name })
})
