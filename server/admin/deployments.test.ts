import { expect, test } from 'vitest'
import { adminListDeployments, reactivateDeployment, suspendDeployment } from '../../contract/admin-deployments.ts'
import { searchMyApps } from '../../contract/app-payments.ts'
import { createDeployment, listDeployLog } from '../../contract/deployments.ts'
import { digestTables } from '../test/table-digests.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { any_image, freshName, someContainerHost, someDeploymentOf, someHostingApp } from '../test/hosting-world.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused } from '../test/refusals.ts'
import { auditOf, jsonCaller, theAdmin, type SomeUser } from '../test/world.ts'
import { hosting_settings } from '../test/settings.ts'

const plaza = await startTestService(hosting_settings)
const admin = await theAdmin(plaza)
await someContainerHost(plaza)
const app = await someHostingApp(plaza)
const some_text = expect.any(String) as string
const nowhere = '01890000-0000-7000-8000-000000000000'

const send = jsonCaller(plaza, admin.token)
const someDeployment = (status = 'running') => someDeploymentOf(plaza, app, { status })
const intentOf = async (id: string) =>
  (
    await plaza.db.sql<Record<string, unknown>>`
      select desired, suspended_by, generation from deployments where id = ${id}`
  )[0]

test('D-81 suspend: the desired state is kept and overridden, the log has the reason and the audit log the admin', async () => {
  const id = await someDeployment()
  const reply = await admin.api.call(suspendDeployment, { params: { id }, body: { reason: 'It sends spam.' } })
  expect([reply.status, reply.body]).toMatchObject([
    200,
    { id, status: 'running', desired: 'running', suspended_by: 'admin', generation: 2, owner_id: app.owner.id },
  ])
  const [entry, created] = (await app.api.result(listDeployLog, { params: { id } })).logs
  expect(entry).toMatchObject({
    action: 'suspend',
    status: 'pending',
    initiated_by: null,
    details: { message: some_text, reason: 'It sends spam.' },
  })
  expect(created).toMatchObject({ action: 'create', status: 'superseded' })
  expect(await auditOf(admin, id)).toEqual([
    { action: 'deployment.suspend', actor_id: admin.id, details: { reason: 'It sends spam.' } },
  ])
  const lifted = await admin.api.call(reactivateDeployment, { params: { id }, body: {} })
  expect([lifted.status, lifted.body]).toMatchObject([200, { suspended_by: null, desired: 'running', generation: 3 }])
  expect((await app.api.result(listDeployLog, { params: { id } })).logs.map(({ action }) => action)).toEqual([
    'reactivate',
    'suspend',
    'create',
  ])
  expect((await auditOf(admin, id)).map(({ action }) => action)).toEqual([
    'deployment.reactivate',
    'deployment.suspend',
  ])
})

test('D-81 suspend and reactivate in a wrong state: 409, destroyed: 404, without an audit entry', async () => {
  const [running, suspended, doomed, gone] = [
    await someDeployment(),
    await someDeployment(),
    await someDeployment(),
    await someDeployment('destroyed'),
  ]
  await admin.api.result(suspendDeployment, { params: { id: suspended }, body: { reason: 'x' } })
  await plaza.db.sql`update deployments set desired = 'destroyed' where id = ${doomed}`
  const before = await digestTables(plaza)
  const ask = (id: string, verb: string) => send('POST', `/api/admin/deployments/${id}/${verb}`, { reason: 'x' })
  expect(await ask(running, 'reactivate')).toEqual(refused('not_allowed_now'))
  expect(await ask(suspended, 'suspend')).toEqual(refused('not_allowed_now'))
  for (const verb of ['suspend', 'reactivate', 'payment']) {
    expect([verb, ...(await ask(doomed, verb))]).toEqual([verb, ...refused('not_allowed_now')])
    expect([verb, ...(await ask(gone, verb))]).toEqual([verb, ...refused('not_found')])
  }
  expect(await digestTables(plaza)).toEqual(before)
})

test('of 10 concurrent suspensions one is written', async () => {
  const id = await someDeployment()
  const replies = await race(plaza, 10, () =>
    admin.api.call(suspendDeployment, { params: { id }, body: { reason: 'x' } }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 409: 9 })
  for (const reply of replies) if (!reply.ok) expect(outcome(reply)).toEqual(refused('not_allowed_now'))
  expect(await intentOf(id)).toEqual({ desired: 'running', suspended_by: 'admin', generation: 2 })
  expect(await auditOf(admin, id)).toHaveLength(1)
})

test('D-81 GET deployments: newest first, destroyed ones too, by status, health, owner and app, in pages', async () => {
  const other = await someHostingApp(plaza)
  plaza.clock.advance(7)
  const subdomain = `found-${freshName()}`
  const { id } = await other.api.result(createDeployment, { body: { subdomain, image: any_image, tier: 'starter' } })
  await plaza.db.sql`update deployments set status = 'stopped', health_status = 'crash_loop' where id = ${id}`
  const list = async (query: Record<string, unknown>) =>
    (await admin.api.result(adminListDeployments, { query: { limit: 100, ...query } })).data
  const whole = await list({})
  expect(whole[0]?.id).toBe(id)
  expect(whole.map((row) => row.id)).toEqual(
    [...whole]
      .map((row) => row.id)
      .sort()
      .reverse(),
  )
  for (const query of [
    { owner_id: other.owner.id },
    { app_id: other.id },
    { health_status: 'crash_loop' },
    { q: 'FOUND-web' },
    { q: id },
    { status: 'stopped' },
    { status: 'stopped', health_status: 'crash_loop', owner_id: other.owner.id, app_id: other.id },
  ])
    expect((await list(query)).map((row) => row.id)).toEqual([id])
  for (const query of [{ owner_id: nowhere }, { q: subdomain.slice(1) }, { q: '%' }])
    expect(await list(query)).toEqual([])
  const found = async (caller: SomeUser, q: string) =>
    (await caller.api.result(searchMyApps, { query: { q } })).deployments
  expect(await found(other.owner, subdomain.slice(1).toUpperCase())).toMatchObject([
    { id, app_id: other.id, subdomain },
  ])
  expect(await found(app.owner, subdomain)).toEqual([])
  expect((await list({ status: 'destroyed' })).length).toBeGreaterThan(0)
  const paged = await rowsOfPages((next) => admin.api.result(adminListDeployments, { query: { limit: 3, ...next } }))
  expect(paged).toEqual(whole)
})
