import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, logout } from '../../contract/accounts.ts'
import { awardPoints } from '../../contract/admin.ts'
import { digestTables } from '../test/table-digests.ts'
import { sharedService } from '../test/harness.ts'
import {
  fewer,
  invalid,
  more,
  no_id,
  no_integer,
  no_text,
  outcome,
  refused,
  required,
  unstorable,
} from '../test/refusals.ts'
import { givePoints, jsonCaller, someApp, someTokens, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const user = await someUser(plaza)
const app = await someApp(plaza)
const nobody = '01890000-0000-7000-8000-000000000000'

const endpoints = plaza.service.app.endpoints.filter(({ path }) => path.startsWith('/api/admin/'))
/** A search in output has other bounds: `hosting/api/output.test.ts` covers them. */
const lists = endpoints.filter(
  ({ path, query }) => query !== undefined && 'cursor' in query.properties && !path.endsWith('/output/search'),
)
/** Ids of jobs are not UUIDs: `jobs.test.ts` covers them. */
const of_one = endpoints.filter(({ path, params }) => params !== undefined && !path.startsWith('/api/admin/jobs'))

const ask = jsonCaller(plaza, admin.token)
const no_yes_or_no = 'must be boolean'
const least = (value: number) => `must be >= ${value}`
const most = (value: number) => `must be <= ${value}`

test('D-81 every endpoint under /api/admin: 401 without a token, 401 for an invalid one or an app’s, 403 for other users', async () => {
  const { access_token } = await someTokens(plaza, app, user)
  const { email, password } = admin
  const ended = await new PlazaClient(plaza.url).result(login, { body: { email, password } })
  await new PlazaClient(plaza.url, ended.token).result(logout)
  expect(endpoints.length).toBeGreaterThanOrEqual(22)
  const before = await digestTables(plaza)
  for (const { method, path } of endpoints) {
    const call = (token: string | null) => ask(method, path.replace('{id}', nobody), undefined, token)
    expect([path, await call(null)]).toEqual([path, refused('unauthorized')])
    for (const dead of ['nonsense', ended.token, access_token])
      expect([path, await call(dead)]).toEqual([path, refused('invalid_token')])
    expect([path, await call(user.token)]).toEqual([path, refused('admin_only')])
  }
  expect(await digestTables(plaza)).toEqual(before)
})

/** The body fields that calls about one object need besides a reason. */
const bodies: Record<string, object> = {
  '/api/admin/cases/{id}/decide': { actions: ['dismiss'], reason: 'x' },
  '/api/admin/users/{id}/mute': { muted_until: null, reason: 'x' },
  '/api/admin/users/{id}/second-factor/confirm': { code: '12345678', reason: 'x' },
  '/api/admin/apps/{id}/seen': { updated_at: '2026-01-01T00:00:00.000Z', reason: 'x' },
}

test.each(of_one.map(({ method, path }) => [method, path]))(
  'D-04 %s %s: 404 for an unknown id, 422 for what is none; nothing is written',
  async (method, path) => {
    const body = method === 'GET' ? undefined : (bodies[path] ?? { reason: 'x' })
    const call = (id: string) => ask(method, path.replace('{id}', id), body)
    const before = await digestTables(plaza)
    expect(await call(nobody)).toEqual(refused('not_found'))
    for (const id of ['x', '1', `urn:uuid:${nobody}`, `${nobody}0`])
      expect(await call(id)).toEqual(invalid('id', no_id))
    expect(await call('%00')).toEqual(invalid('id', unstorable))
    expect(await digestTables(plaza)).toEqual(before)
  },
)

const bad_pages: [query: string, path: string, ...messages: string[]][] = [
  ['limit=0', 'limit', least(1)],
  ['limit=-1', 'limit', least(1)],
  ['limit=101', 'limit', most(100)],
  ['limit=1.5', 'limit', no_integer],
  ['limit=ten', 'limit', no_integer],
  ['limit=', 'limit', no_integer],
  ['limit=1&limit=2', 'limit', no_integer],
  ['limit=1e400', 'limit', 'must be a finite number'],
  ['cursor=nonsense', 'cursor', 'is not a cursor of this list'],
  ['cursor=', 'cursor', 'is not a cursor of this list'],
  ['cursor=%00', 'cursor', unstorable],
  ['cursor=a&cursor=b', 'cursor', no_text],
  [`cursor=${'x'.repeat(201)}`, 'cursor', more(200)],
]

test.each(lists.map(({ path }) => path))('D-81 GET %s: a bad limit or cursor is 422', async (path) => {
  for (const [query, ...fault] of bad_pages)
    expect([query, await ask('GET', `${path.replace('{id}', admin.id)}?${query}`)]).toEqual([query, invalid(...fault)])
})

const one_of = (...words: string[]) => `must be one of ${words.join(', ')}`
const app_status = one_of('pending', 'approved', 'rejected')
const request_status = one_of('pending', 'approved', 'denied')
const deployment_status = one_of('pending', 'deploying', 'running', 'stopped', 'destroyed')

const bad_filters: [list: string, query: string, field: string, ...messages: string[]][] = [
  ['apps', 'status=denied', 'status', app_status],
  ['apps', 'status=Pending', 'status', app_status],
  ['apps', 'status=', 'status', app_status],
  ['apps', 'status=pending&status=approved', 'status', no_text, app_status],
  ['scope-requests', 'status=rejected', 'status', request_status],
  ['scope-requests', 'status=', 'status', request_status],
  ['users', 'q=', 'q', fewer(1)],
  ['users', `q=${'x'.repeat(255)}`, 'q', more(254)],
  ['users', 'q=a%00', 'q', unstorable],
  ['users', 'q=a&q=b', 'q', no_text],
  ['audit', 'action=', 'action', fewer(1)],
  ['audit', `action=${'x'.repeat(101)}`, 'action', more(100)],
  ['audit', 'actor_id=root', 'actor_id', no_id],
  ['audit', 'actor_id=', 'actor_id', no_id],
  ['audit', 'target_id=1', 'target_id', no_id],
  ['apps', 'owner_id=root', 'owner_id', no_id],
  ['apps', 'changed=yes', 'changed', no_yes_or_no],
  ['cases', 'status=closed', 'status', one_of('open', 'decided')],
  ['cases', 'user_id=root', 'user_id', no_id],
  ['cases', 'reporter_id=', 'reporter_id', no_id],
  ['audit', 'actor=', 'actor', fewer(1)],
  ['audit', `target=${'x'.repeat(101)}`, 'target', more(100)],
  ['deployments', 'status=suspended', 'status', deployment_status],
  ['deployments', 'health_status=', 'health_status', fewer(1)],
  ['deployments', `health_status=${'x'.repeat(101)}`, 'health_status', more(100)],
  ['deployments', 'owner_id=root', 'owner_id', no_id],
  ['deployments', 'app_id=', 'app_id', no_id],
]

test('D-81: an invalid filter of a list is 422', async () => {
  for (const [list, query, ...fault] of bad_filters)
    expect([list, query, await ask('GET', `/api/admin/${list}?${query}`)]).toEqual([list, query, invalid(...fault)])
})

type BadBody = [body: unknown, path: string, message: string]
const bad_reasons = (name: string, shortest: 0 | 1): BadBody[] => {
  const too_short: BadBody[] = [[{ [name]: '' }, name, fewer(shortest)]]
  return [
    ...(shortest > 0 ? too_short : []),
    [{ [name]: 'x'.repeat(1001) }, name, more(1000)],
    [{ [name]: 7 }, name, no_text],
    [{ [name]: null }, name, no_text],
    [{ [name]: 'a\0b' }, name, unstorable],
  ]
}
const tiers = one_of('bronze', 'silver', 'gold')
/** The id of an existing object, for rules that look it up; for the others the body is validated first. */
const idIn = (name: string) => (name.includes('users') ? user.id : name.includes('apps') ? app.id : nobody)
const award = { user_id: user.id, amount: 1 }
const bad_bodies: Record<string, BadBody[]> = {
  'POST apps/{id}/approve': [
    [{ listed: 'yes' }, 'listed', no_yes_or_no],
    [{ listed: null }, 'listed', no_yes_or_no],
  ],
  'POST apps/{id}/reject': bad_reasons('reason', 0),
  'POST scope-requests/{id}/deny': bad_reasons('reason', 0),
  'POST deployments/{id}/suspend': [[{}, 'reason', required], ...bad_reasons('reason', 1)],
  'POST deployments/{id}/reactivate': bad_reasons('reason', 1),
  'POST deployments/{id}/payment': bad_reasons('note', 1),
  'PUT users/{id}': [
    [{ tier: 'platinum' }, 'tier', tiers],
    [{ tier: 'Gold' }, 'tier', tiers],
    [{ tier: '' }, 'tier', fewer(1)],
    [{ tier: 'x'.repeat(51) }, 'tier', more(50)],
    [{ tier: null }, 'tier', no_text],
    [{ signup_multiplier: 0 }, 'signup_multiplier', least(1)],
    [{ signup_multiplier: 1001 }, 'signup_multiplier', most(1000)],
    [{ signup_multiplier: 1.5 }, 'signup_multiplier', no_integer],
    [{ signup_multiplier: '2' }, 'signup_multiplier', no_integer],
    [{ is_admin: 'yes' }, 'is_admin', no_yes_or_no],
    [{ is_admin: 1 }, 'is_admin', no_yes_or_no],
    [{ suspended: null }, 'suspended', no_yes_or_no],
  ],
  'POST points/award': [
    [{ amount: 1 }, 'user_id', required],
    [{ user_id: user.id }, 'amount', required],
    [{ ...award, user_id: user.username }, 'user_id', no_id],
    [{ ...award, user_id: null }, 'user_id', no_text],
    [{ ...award, amount: 0 }, 'amount', least(1)],
    [{ ...award, amount: -5 }, 'amount', least(1)],
    [{ ...award, amount: 1.5 }, 'amount', no_integer],
    [{ ...award, amount: '1' }, 'amount', no_integer],
    [{ ...award, amount: 2 ** 53 }, 'amount', most(Number.MAX_SAFE_INTEGER)],
    [{ ...award, description: 'x'.repeat(501) }, 'description', more(500)],
    [{ ...award, description: null }, 'description', no_text],
    [{ ...award, description: 'a\0b' }, 'description', unstorable],
    [{ ...award, app_id: '' }, 'app_id', no_id],
    [{ ...award, app_id: null }, 'app_id', no_text],
  ],
}

test.each(Object.entries(bad_bodies))(
  'D-81 %s: a body that cannot be is 422, and nothing is written',
  async (name, cases) => {
    const [method = '', path = ''] = name.replace('{id}', idIn(name)).split(' ')
    const before = await digestTables(plaza)
    const no_bodies: BadBody[] = [[], 'x', 7].map((body) => [body, '', 'must be object'])
    for (const [body, ...fault] of [...cases, ...no_bodies])
      expect([body, await ask(method, `/api/admin/${path}`, body)]).toEqual([body, invalid(...fault)])
    expect(await digestTables(plaza)).toEqual(before)
  },
)

test('D-04: every invalid field is named, not only the first', async () => {
  const before = await digestTables(plaza)
  expect(await ask('PUT', `/api/admin/users/${user.id}`, { tier: '', signup_multiplier: 0, is_admin: 1 })).toEqual(
    refused('validation_failed', [
      { path: 'tier', message: fewer(1) },
      { path: 'signup_multiplier', message: least(1) },
      { path: 'is_admin', message: no_yes_or_no },
    ]),
  )
  expect(await ask('POST', '/api/admin/points/award', {})).toEqual(
    refused('validation_failed', [
      { path: 'user_id', message: required },
      { path: 'amount', message: required },
    ]),
  )
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-47 award to an unknown user, for an unknown app or above the limit: refused, and nothing is written', async () => {
  const rich = await someUser(plaza)
  await givePoints(plaza, rich, Number.MAX_SAFE_INTEGER)
  const before = await digestTables(plaza)
  const give = async (body: { user_id: string; amount: number; app_id?: string }) =>
    outcome(await admin.api.call(awardPoints, { body }))
  expect(await give({ user_id: nobody, amount: 1 })).toEqual(refused('user_not_found'))
  expect(await give({ user_id: rich.id, amount: 1, app_id: nobody })).toEqual(refused('not_found'))
  expect(await give({ user_id: rich.id, amount: 1 })).toEqual(refused('points_limit_reached'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-09: an Idempotency-Key has 1 to 255 characters, else 422, and nothing is awarded', async () => {
  const before = await digestTables(plaza)
  for (const [key, message] of [
    ['', fewer(1)],
    ['x'.repeat(256), more(255)],
  ] as const)
    expect(outcome(await admin.api.call(awardPoints, { body: award, headers: { 'idempotency-key': key } }))).toEqual(
      invalid('idempotency-key', message),
    )
  expect(await digestTables(plaza)).toEqual(before)
})
