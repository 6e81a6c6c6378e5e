import { expect, test } from 'vitest'
import {
  adminGetDeployment,
  adminGetDeploymentMetrics,
  adminGetDeploymentOutput,
  adminListDeployLog,
  adminListDeploymentReleases,
  adminRollBackDeployment,
  adminSearchDeploymentOutput,
} from '../../contract/admin-deployments.ts'
import {
  getDeploymentOutput,
  listDeployLog,
  listDeploymentReleases,
  searchDeploymentOutput,
} from '../../contract/deployments.ts'
import { getDeploymentMetrics } from '../../contract/deployment-metrics.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { someContainerHost, someDeploymentOf, someHostingApp } from '../test/hosting-world.ts'
import { addOutput } from '../test/output.ts'
import { refused } from '../test/refusals.ts'
import { latestServes, sendChange } from '../test/releases.ts'
import { digestTables } from '../test/table-digests.ts'
import { auditOf, jsonCaller, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
await someContainerHost(plaza)
const app = await someHostingApp(plaza)
const nowhere = '01890000-0000-7000-8000-000000000000'
const send = jsonCaller(plaza, admin.token)

/** A deployment with two releases that served. */
async function someChanged() {
  const id = await someDeploymentOf(plaza, app)
  await latestServes(plaza, id)
  await sendChange(plaza, app, id, { body: { image: 'public.test/library/web:2', env_vars: { TOKEN: 'very-secret' } } })
  await latestServes(plaza, id, `public.test/library/web@sha256:${'b'.repeat(64)}`)
  return id
}
const asOwner = () => {
  plaza.clock.advance(7)
  return app.api
}

test('D-110: an admin sees the releases, log and charts of any deployment as its owner does, never values of its environment', async () => {
  const id = await someChanged()
  const params = { id }
  const seen = await admin.api.result(adminGetDeployment, { params })
  expect(seen).toMatchObject({ id, app_id: app.id, owner_id: app.owner.id, status: 'running', generation: 2 })
  expect([seen.app_name, seen.owner_username]).toEqual([expect.any(String), app.owner.username])
  const releases = await admin.api.result(adminListDeploymentReleases, { params })
  expect(releases).toEqual(await asOwner().result(listDeploymentReleases, { params }))
  expect(releases.releases.map(({ number, status }) => `${number} ${status}`)).toEqual(['2 current', '1 replaced'])
  expect(await admin.api.result(adminListDeployLog, { params })).toEqual(
    await asOwner().result(listDeployLog, { params }),
  )
  for (const period of ['24h', '30d'] as const)
    expect(await admin.api.result(adminGetDeploymentMetrics, { params, query: { period } })).toEqual(
      await asOwner().result(getDeploymentMetrics, { params, query: { period } }),
    )
  expect(JSON.stringify([seen, releases])).not.toContain('very-secret')
  expect(await auditOf(admin, id)).toEqual([])
})

test('D-110: an admin rolls back with a reason, which the owner reads; the audit log has the admin', async () => {
  const id = await someChanged()
  const reply = await admin.api.call(adminRollBackDeployment, {
    params: { id },
    body: { reason: 'It leaks addresses.' },
  })
  expect([reply.status, reply.body]).toMatchObject([200, { id, generation: 3, owner_id: app.owner.id }])
  const { releases } = await admin.api.result(adminListDeploymentReleases, { params: { id } })
  expect(releases[0]).toMatchObject({ number: 3, status: 'pending', rolled_back_to: 1, initiated_by: null })
  expect((await asOwner().result(listDeployLog, { params: { id } })).logs[0]).toMatchObject({
    action: 'deploy',
    status: 'pending',
    initiated_by: null,
    details: { message: 'The platform went back to an earlier release.', reason: 'It leaks addresses.', release: 3 },
  })
  expect(await auditOf(admin, id)).toEqual([
    { action: 'deployment.roll_back', actor_id: admin.id, details: { reason: 'It leaks addresses.', release: 3 } },
  ])
})

test('D-110: of 8 concurrent roll backs to one release one makes a release', async () => {
  const id = await someChanged()
  const { releases } = await admin.api.result(adminListDeploymentReleases, { params: { id } })
  const body = { release_id: releases.at(-1)!.id, reason: 'x' }
  const replies = await race(plaza, 8, () => admin.api.call(adminRollBackDeployment, { params: { id }, body }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 8 })
  const after = await admin.api.result(adminListDeploymentReleases, { params: { id } })
  expect(after.releases.map(({ number }) => number)).toEqual([3, 2, 1])
})

test('D-110: a roll back is refused to an unknown release, and where none served before', async () => {
  const [id, first, suspended] = [await someChanged(), await someDeploymentOf(plaza, app), await someChanged()]
  await plaza.db.sql`update deployments set suspended_by = 'admin' where id = ${suspended}`
  const path = (each: string) => `/api/admin/deployments/${each}/rollback`
  const before = await digestTables(plaza)
  expect(await send('POST', path(id), { reason: 'x', release_id: nowhere })).toEqual(refused('not_found'))
  expect(await send('POST', path(first), { reason: 'x' })).toEqual(refused('no_release_before'))
  expect(await send('POST', path(suspended), { reason: 'x' })).toEqual(refused('suspended'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-64, D-110: an admin reads, searches and follows output as the owner does; each access is audited', async () => {
  const id = await someDeploymentOf(plaza, app, { status: 'stopped' })
  const begin = plaza.clock.now().getTime()
  await addOutput(
    plaza.db,
    id,
    Array.from({ length: 30 }, (_, at) => ({ at: begin + at, text: `line ${at}` })),
  )
  const params = { id }
  expect(await admin.api.result(adminGetDeploymentOutput, { params, query: {} })).toEqual(
    await asOwner().result(getDeploymentOutput, { params, query: {} }),
  )
  const query = { q: 'LINE', limit: 20 }
  const page = await admin.api.result(adminSearchDeploymentOutput, { params, query })
  expect(page).toEqual(await asOwner().result(searchDeploymentOutput, { params, query }))
  const rest = await admin.api.result(adminSearchDeploymentOutput, {
    params,
    query: { ...query, cursor: page.next_cursor! },
  })
  expect(rest.data).toHaveLength(10)
  const stream = await fetch(`${plaza.url}/api/admin/deployments/${id}/output/stream?tail=5`, {
    headers: { authorization: `Bearer ${admin.token}` },
  })
  const text = await stream.text()
  expect(text.match(/^event: line$/gm)).toHaveLength(5)
  expect(text.trimEnd().endsWith('event: ended\ndata: {}')).toBe(true)
  expect(await auditOf(admin, id)).toEqual(
    ['stream', 'search', 'last'].map((look) => ({
      action: 'deployment.read_output',
      actor_id: admin.id,
      details: { look },
    })),
  )
})

test('D-64: the output of a destroyed deployment is readable for admins until it is deleted', async () => {
  const id = await someDeploymentOf(plaza, app)
  await addOutput(plaza.db, id, [{ at: plaza.clock.now().getTime(), text: 'evidence' }])
  await plaza.db
    .sql`update deployments set status = 'destroyed', desired = 'destroyed', destroyed_at = ${plaza.clock.now()} where id = ${id}`
  const { lines } = await admin.api.result(adminGetDeploymentOutput, { params: { id }, query: {} })
  expect(lines.map(({ text }) => text)).toEqual(['evidence'])
  expect(await admin.api.result(adminGetDeployment, { params: { id } })).toMatchObject({ status: 'destroyed' })
  expect(await send('POST', `/api/admin/deployments/${id}/rollback`, { reason: 'x' })).toEqual(refused('not_found'))
})
