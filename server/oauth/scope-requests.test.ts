import { expect, test } from 'vitest'
import { adminListScopeRequests, approveScopeRequest, denyScopeRequest, rejectApp } from '../../contract/admin-apps.ts'
import { listMyApps, listScopeRequests, requestScopes, updateMyApp } from '../../contract/oauth-apps.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { auditOf, someApp, someUser, theAdmin, type SomeApp } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)

const request = ({ id, owner }: SomeApp, ...requested_scopes: string[]) =>
  owner.api.result(requestScopes, { params: { id }, body: { requested_scopes } })
const list = ({ id, owner }: SomeApp) => owner.api.result(listScopeRequests, { params: { id } })
const scopesOf = async ({ owner }: SomeApp) => (await owner.api.result(listMyApps))[0]?.allowed_scopes.toSorted()

test('spec scope-request: a new one is pending, changes nothing yet, and shows in the list', async () => {
  const app = await someApp(plaza)
  const { id: app_id, owner } = app
  const reply = await owner.api.call(requestScopes, {
    params: { id: app_id },
    body: { requested_scopes: ['points:spend', 'points:read', 'points:spend'] },
  })
  const expected = {
    id: expect.any(String) as string,
    status: 'pending',
    requested_scopes: ['points:read', 'points:spend'],
    inserted_at: plaza.clock.now().toISOString(),
  }
  expect(outcome(reply)).toEqual([201, expected])
  expect(await list(app)).toEqual([reply.body])
  expect(await scopesOf(app)).toEqual(['profile:read'])
})

test('D-32: the list holds the app’s own requests, newest first', async () => {
  const app = await someApp(plaza)
  await request(await someApp(plaza), 'points:read')
  const ids = []
  for (const scope of ['points:read', 'points:spend', 'deploy:manage']) ids.unshift((await request(app, scope)).id)
  expect((await list(app)).map(({ id }) => id)).toEqual(ids)
})

test('D-32: points:award cannot be requested, nor an unknown scope; nothing is stored', async () => {
  const app = await someApp(plaza)
  const ask = (requested_scopes: string[]) =>
    app.owner.api.call(requestScopes, { params: { id: app.id }, body: { requested_scopes } })
  const deprecated = invalid('requested_scopes', 'points:award is deprecated and cannot be requested')
  expect(outcome(await ask(['points:award']))).toEqual(deprecated)
  expect(outcome(await ask(['points:read', 'points:award']))).toEqual(deprecated)
  expect(outcome(await ask(['points:read', 'nonsense']))).toEqual(invalid('requested_scopes.1', 'is not a scope'))
  expect(await list(app)).toEqual([])
})

test('D-32: an approval adds the scopes to allowed_scopes, and the audit log names the admin', async () => {
  const app = await someApp(plaza)
  const { id, inserted_at } = await request(app, 'deploy:manage', 'profile:read')
  plaza.clock.advance(5)
  const now = plaza.clock.now().toISOString()
  const reply = await admin.api.call(approveScopeRequest, { params: { id } })
  const [mine] = await app.owner.api.result(listMyApps)
  const decided = {
    id,
    app_id: app.id,
    app_name: mine?.app_name,
    status: 'approved',
    requested_scopes: ['profile:read', 'deploy:manage'],
    decision_reason: null,
    inserted_at,
    decided_at: now,
  }
  expect(outcome(reply)).toEqual([200, decided])
  expect(await scopesOf(app)).toEqual(['deploy:manage', 'profile:read'])
  expect((await list(app)).map(({ status }) => status)).toEqual(['approved'])
  expect(await auditOf(admin, id)).toEqual([{ action: 'scope_request.approved', actor_id: admin.id, details: {} }])
})

test('D-32: a denial leaves the scopes alone, and its reason is stored', async () => {
  const app = await someApp(plaza)
  const { id } = await request(app, 'points:spend')
  const reply = await admin.api.call(denyScopeRequest, { params: { id }, body: { reason: 'no need shown' } })
  expect([reply.status, reply.body]).toMatchObject([200, { status: 'denied', decision_reason: 'no need shown' }])
  expect(await scopesOf(app)).toEqual(['profile:read'])
  expect((await list(app)).map(({ status }) => status)).toEqual(['denied'])
  expect(await auditOf(admin, id)).toMatchObject([
    { action: 'scope_request.denied', actor_id: admin.id, details: { reason: 'no need shown' } },
  ])
})

test('D-32: a request is decided once; later decisions are 409, change nothing and leave no audit entry', async () => {
  const app = await someApp(plaza)
  const { id } = await request(app, 'points:spend')
  await admin.api.result(denyScopeRequest, { params: { id }, body: {} })
  expect(outcome(await admin.api.call(approveScopeRequest, { params: { id } }))).toEqual(refused('already_decided'))
  expect(outcome(await admin.api.call(denyScopeRequest, { params: { id }, body: {} }))).toEqual(
    refused('already_decided'),
  )
  expect(await scopesOf(app)).toEqual(['profile:read'])
  expect((await auditOf(admin, id)).length).toBe(1)
})

test('D-32: of 20 parallel approvals and denials one decides, and scopes, status and audit agree', async () => {
  const app = await someApp(plaza)
  const { id } = await request(app, 'points:spend')
  const replies = await race(plaza, 20, (at) =>
    at % 2 === 0
      ? admin.api.call(approveScopeRequest, { params: { id } })
      : admin.api.call(denyScopeRequest, { params: { id }, body: {} }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 409: 19 })
  for (const reply of replies) if (!reply.ok) expect(outcome(reply)).toEqual(refused('already_decided'))
  const [{ status } = { status: '' }] = await list(app)
  const scopes = status === 'approved' ? ['points:spend', 'profile:read'] : ['profile:read']
  expect(await scopesOf(app)).toEqual(scopes)
  expect((await auditOf(admin, id)).map(({ action }) => action)).toEqual([`scope_request.${status}`])
})

test('a parallel approval and narrowing never lose what the admin granted or keep what the owner gave up', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
    const { id } = await request(app, 'points:spend')
    const narrow = { params: { id: app.id }, body: { allowed_scopes: ['profile:read'] } }
    await race<unknown>(plaza, 2, (at) =>
      at === 0 ? admin.api.result(approveScopeRequest, { params: { id } }) : app.owner.api.result(updateMyApp, narrow),
    )
    const scopes = await scopesOf(app)
    expect(scopes).not.toContain('points:read')
    expect([['profile:read'], ['points:spend', 'profile:read']]).toContainEqual(scopes)
  }
})

test('D-81: the admin’s list filters by status and pages without loss', async () => {
  const app = await someApp(plaza)
  const ids = []
  for (const scope of ['points:read', 'points:spend', 'points:transfer']) ids.unshift((await request(app, scope)).id)
  const rows = await rowsOfPages((next) =>
    admin.api.result(adminListScopeRequests, { query: { status: 'pending', limit: 2, ...next } }),
  )
  expect(rows.every(({ status }) => status === 'pending')).toBe(true)
  const seen = rows.map(({ id }) => id)
  expect(seen.slice(0, 3)).toEqual(ids)
  expect(new Set(seen).size).toBe(seen.length)
  await admin.api.result(approveScopeRequest, { params: { id: ids[0]! } })
  const { data } = await admin.api.result(adminListScopeRequests, { query: { status: 'approved', limit: 1 } })
  expect(data.map(({ id }) => id)).toEqual(ids.slice(0, 1))
})

test('D-32: a request can be decided after its app was rejected, and only its owner sees it', async () => {
  const app = await someApp(plaza)
  const { id } = await request(app, 'points:spend')
  await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
  await admin.api.result(approveScopeRequest, { params: { id } })
  const stranger = await someUser(plaza)
  expect(outcome(await stranger.api.call(listScopeRequests, { params: { id: app.id } }))).toEqual(refused('not_found'))
  expect((await list(app)).map(({ status }) => status)).toEqual(['approved'])
})
