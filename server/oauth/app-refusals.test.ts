import { expect, test } from 'vitest'
import { listSecrets, updateMyApp } from '../../contract/oauth-apps.ts'
import { updateOperatorApp } from '../../contract/operators.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { digestTables } from '../test/table-digests.ts'
import { sharedService } from '../test/harness.ts'
import { blank, fewer, invalid, more, no_text, outcome, refused, unstorable } from '../test/refusals.ts'
import { jsonCaller, someApp, someTokens, someUser } from '../test/world.ts'

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
/** The path of one app, with the id replaced in it or in the path of a secret. */
const pathTo = (path: string, id: string, secret = secret_id) => path.replace('{id}', id).replace('{secret_id}', secret)
/** A body that each endpoint accepts. */
const fair_body = (method: string) =>
  method === 'GET'
    ? undefined
    : { ...good, requested_scopes: ['points:read'], picture: 'AAAA', name: 'laptop', code_challenge: 'c'.repeat(43) }

test.each(of_one.map(({ method, path }) => [method, path]))(
  'D-04 %s %s: 404 for the app of another person; nothing is written',
  async (method, path) => {
    const stranger = await someUser(plaza)
    const call = (id: string, token = owner.token) => ask(method, pathTo(path, id), fair_body(method), token)
    const before = await digestTables(plaza)
    expect(await call(app.id, stranger.token)).toEqual(refused('not_found'))
    expect(await digestTables(plaza)).toEqual(before)
  },
)

test('D-39: a secret of another app is 404, and nothing is deleted', async () => {
  const other = await someApp(plaza)
  const theirs = (await other.owner.api.result(listSecrets, { params: { id: other.id } })).secrets[0]?.id ?? ''
  const remove = (secret: string) => ask('DELETE', `/api/oauth/my-apps/${app.id}/secrets/${secret}`)
  const before = await digestTables(plaza)
  for (const unknown of [nowhere, theirs, app.id]) expect(await remove(unknown)).toEqual(refused('not_found'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('spec GET apps/{client_id}: an unknown one is 404', async () => {
  for (const unknown of ['nobody', app.id, `${app.client_id}x`, 'x'.repeat(200)])
    expect([unknown, await ask('GET', `/api/oauth/apps/${unknown}`, undefined, null)]).toEqual([
      unknown,
      refused('not_found'),
    ])
})

type Bad = [change: Record<string, unknown>, path: string, message: string]
/** Values that the fields' schemas allow (http/every-endpoint.test.ts), or exclude only in a list. */
const bad_fields: Bad[] = [
  [{ app_name: ' \u00a0\n' }, 'app_name', blank],
  ...[...'\n\u001b\u007f\u0085\u061c\u200e\u200f\u202a\u202e\u2066\u2069'].map((odd): Bad => [
    { app_name: `Bank${odd}knaB` },
    'app_name',
    'must hold no control or bidirectional formatting characters',
  ]),
  [{ redirect_uris: [uri, 7] }, 'redirect_uris.1', no_text],
  [{ redirect_uris: [''] }, 'redirect_uris.0', fewer(1)],
  [{ redirect_uris: [`${uri}${'x'.repeat(2048)}`] }, 'redirect_uris.0', more(2048)],
  [{ redirect_uris: [uri, `${uri}\0`] }, 'redirect_uris.1', unstorable],
  [{ logo_url: 'javascript:alert(1)' }, 'logo_url', field_errors.web_url],
  [{ website_url: ' ' }, 'website_url', field_errors.web_url],
  [{ website_url: 'https://a.example/\0' }, 'website_url', unstorable],
]
const badScopes = (name: string): Bad[] => [
  [{ [name]: ['points:read', 7] }, `${name}.1`, no_text],
  [{ [name]: ['x'.repeat(101)] }, `${name}.0`, more(100)],
  [{ [name]: ['points:read\0'] }, `${name}.0`, unstorable],
]
const bad_requests: Bad[] = [
  ...badScopes('requested_scopes'),
  [{ requested_scopes: ['points:read', 'nonsense'] }, 'requested_scopes.1', 'is not a scope'],
  [{ requested_scopes: ['POINTS:READ'] }, 'requested_scopes.0', 'is not a scope'],
]

test.each<[endpoint: string, method: string, path: string, cases: Bad[]]>([
  // The last ones: a person may register few apps a minute.
  [
    'POST apps',
    'POST',
    '/apps',
    bad_fields.slice(-3).map(([links, ...fault]): Bad => [{ ...good, ...links }, ...fault]),
  ],
  ['PUT my-apps', 'PUT', `/my-apps/${app.id}`, [...bad_fields, ...badScopes('allowed_scopes')]],
  ['scope-request', 'POST', `/my-apps/${app.id}/scope-request`, bad_requests],
])('spec %s: a malformed value is 422 and is named, and nothing is written', async (_, method, path, cases) => {
  const before = await digestTables(plaza)
  for (const [body, ...fault] of cases)
    expect([body, await ask(method, `/api/oauth${path}`, body)]).toEqual([body, invalid(...fault)])
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
