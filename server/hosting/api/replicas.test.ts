import { expect, test } from 'vitest'
import { createDeployTier, updateDeployTier } from '../../../contract/admin-deployments.ts'
import { getDeployment, listDeploymentReleases, listDeployTiers } from '../../../contract/deployments.ts'
import { sharedService } from '../../test/harness.ts'
import { someContainerHost, someDeploymentOf, someHostingApp, type SomeHostingApp } from '../../test/hosting-world.ts'
import { latestFails, latestServes, sendChange, stateOfRelease } from '../../test/releases.ts'
import { refused } from '../../test/refusals.ts'
import { pointsOf, theAdmin } from '../../test/world.ts'
import { chargeDueCycles, giveBackAllUnserved } from './billing.service.ts'
import { billing_settings } from '../../test/settings.ts'

const plaza = await sharedService(billing_settings)
await someContainerHost(plaza)
const { db } = plaza
const billing = { db, clock: plaza.clock.now, billing: true }
const admin = await theAdmin(plaza)
const tierId = async (slug: string) =>
  (await db.sql<{ id: string }>`select id from deploy_tiers where slug = ${slug}`)[0]!.id
const allow = async (slug: string, replicas_max: number) =>
  admin.api.result(updateDeployTier, { params: { id: await tierId(slug) }, body: { replicas_max } })
const starter = await allow('starter', 5)
await allow('standard', 3)

const someDeployment = (app: SomeHostingApp) => someDeploymentOf(plaza, app, { status: 'pending' })
const change = (app: SomeHostingApp, id: string, body: unknown) => sendChange(plaza, app, id, { body })
const viewOf = (app: SomeHostingApp, id: string) => app.api.result(getDeployment, { params: { id } })
const releasesOf = async (app: SomeHostingApp, id: string) =>
  (await app.api.result(listDeploymentReleases, { params: { id } })).releases
const stateOf = (id: string) => stateOfRelease(plaza, id)

test('D-105: a tier allows one replica unless an admin sets more; the catalogue shows it', async () => {
  expect(starter).toMatchObject({ slug: 'starter', replicas_max: 5, memory_limit_mb: 128 })
  const settings = { name: 'Wide', slug: 'wide', payment_method: 'service_points' as const }
  const limits = { memory_limit_mb: 64, cpu_limit_millicores: 100 }
  const body = { ...settings, ...limits }
  expect(await admin.api.result(createDeployTier, { body })).toMatchObject({ replicas_max: 1 })
  expect(await admin.api.result(createDeployTier, { body: { ...body, slug: 'wider', replicas_max: 7 } })).toMatchObject(
    { replicas_max: 7 },
  )
  const app = await someHostingApp(plaza)
  const { tiers } = await app.api.result(listDeployTiers)
  expect(Object.fromEntries(tiers.map(({ slug, replicas_max }) => [slug, replicas_max]))).toMatchObject({
    starter: 5,
    standard: 3,
    pro: 1,
    sovereign: 1,
    wide: 1,
    wider: 7,
  })
})

test('D-105: more replicas than the tier allows, and a tier that allows fewer are refused, and write nothing', async () => {
  const app = await someHostingApp(plaza, { points: 100_000 })
  const id = await someDeployment(app)
  await latestServes(plaza, id)
  const before = await stateOf(id)
  expect(await change(app, id, { replicas: 6 })).toEqual(
    refused('validation_failed', [{ path: 'replicas', message: 'must be at most 5 on this tier' }]),
  )
  expect(await stateOf(id)).toEqual(before)
  await change(app, id, { replicas: 4 })
  const scaled = await stateOf(id)
  expect(await change(app, id, { tier: 'standard' })).toEqual(
    refused('validation_failed', [{ path: 'tier', message: 'allows 3 replicas: send replicas with it' }]),
  )
  expect(await stateOf(id)).toEqual(scaled)
})

test('D-105: a change of only their number is a release that serves at once; no container is restarted', async () => {
  const app = await someHostingApp(plaza, { points: 100_000 })
  const id = await someDeployment(app)
  await latestServes(plaza, id)
  const [status, body] = await change(app, id, { replicas: 3 })
  expect([status, body]).toMatchObject([200, { replicas: 3, ready_replicas: 1, status: 'running' }])
  const [scaled, first] = await releasesOf(app, id)
  expect(scaled).toMatchObject({ number: 2, status: 'current', changed: ['replicas'], replicas: 3 })
  expect(scaled?.image_digest).toBe(first?.image_digest)
  expect(first).toMatchObject({ number: 1, status: 'replaced', replicas: 1 })
  const [row] = await db.sql`select generation, next_attempt_at <= now() as is_due from deployments where id = ${id}`
  expect(row).toEqual({ generation: 1, is_due: true })
  // Other changes keep the number; a rollback to the first release restores one replica.
  await change(app, id, { port: 9000 })
  await latestServes(plaza, id)
  expect(await viewOf(app, id)).toMatchObject({ replicas: 3 })
  const [, , { id: release_id } = { id: '' }] = await releasesOf(app, id)
  await sendChange(plaza, app, id, { body: { release_id }, path: '/rollback', method: 'POST' })
  await latestServes(plaza, id)
  expect(await viewOf(app, id)).toMatchObject({ replicas: 1 })
})

test('D-105: a rollback restores no more replicas than the tier currently allows', async () => {
  const app = await someHostingApp(plaza, { points: 100_000 })
  const id = await someDeployment(app)
  await latestServes(plaza, id)
  await change(app, id, { replicas: 4 })
  await change(app, id, { replicas: 1, port: 9000 })
  await latestServes(plaza, id)
  await allow('starter', 2)
  const points = await pointsOf(app.owner)
  const release_id = (await releasesOf(app, id)).find(({ number }) => number === 2)!.id
  await sendChange(plaza, app, id, { body: { release_id }, path: '/rollback', method: 'POST' })
  await allow('starter', 5)
  const [back] = await releasesOf(app, id)
  expect(back).toMatchObject({ number: 4, rolled_back_to: 2, port: 3000, replicas: 2 })
  expect(points - (await pointsOf(app.owner))).toBe(500)
})

test('D-105: a rollback without a release skips a scaling and keeps the number of replicas', async () => {
  const app = await someHostingApp(plaza, { points: 100_000 })
  const id = await someDeployment(app)
  await latestServes(plaza, id)
  const rollBack = () => sendChange(plaza, app, id, { body: {}, path: '/rollback', method: 'POST' })
  await change(app, id, { replicas: 2 })
  const before = await stateOf(id)
  expect(await rollBack()).toEqual(refused('no_release_before'))
  expect(await stateOf(id)).toEqual(before)
  await change(app, id, { port: 9000 })
  await latestServes(plaza, id)
  await change(app, id, { replicas: 3 })
  await rollBack()
  const [back] = await releasesOf(app, id)
  expect(back).toMatchObject({ number: 5, rolled_back_to: 2, changed: ['image', 'port'], port: 3000, replicas: 3 })
})

test('D-105: before a release serves, the number is part of the pending release', async () => {
  const app = await someHostingApp(plaza, { points: 100_000 })
  const id = await someDeployment(app)
  await change(app, id, { replicas: 2 })
  expect(await viewOf(app, id)).toMatchObject({ replicas: 1, status: 'pending' })
  await latestServes(plaza, id)
  expect(await viewOf(app, id)).toMatchObject({ replicas: 2 })
})

test('D-105: each replica costs the price of the tier: the rest of the cycle immediately, then every cycle', async () => {
  const app = await someHostingApp(plaza, { points: 10_000 })
  const id = await someDeployment(app)
  await latestServes(plaza, id)
  const points = await pointsOf(app.owner)
  await db.sql`
    update deployments set paid_until = ${plaza.clock.now()}::timestamptz + interval '15 days 7 seconds' where id = ${id}`
  // Starter costs 500: two more for half a cycle.
  await change(app, id, { replicas: 3 })
  expect(await pointsOf(app.owner)).toBe(points - 500)
  // Standard costs 2000: half of 2 × 2000 − 3 × 500, refunded as it never serves.
  await db.sql`
    update deployments set paid_until = ${plaza.clock.now()}::timestamptz + interval '15 days 7 seconds' where id = ${id}`
  await change(app, id, { tier: 'standard', replicas: 2 })
  expect(await pointsOf(app.owner)).toBe(points - 500 - 1250)
  await latestFails(plaza, id)
  await giveBackAllUnserved(billing)
  expect(await pointsOf(app.owner)).toBe(points - 500)
  expect(await viewOf(app, id)).toMatchObject({ replicas: 3 })
  await db.sql`update deployments set paid_until = ${plaza.clock.now()} where id = ${id}`
  await chargeDueCycles(billing)
  expect(await pointsOf(app.owner)).toBe(points - 500 - 1500)
})

test('D-105: without the points for more replicas nothing is written', async () => {
  const app = await someHostingApp(plaza, { points: 600 })
  const id = await someDeployment(app)
  await latestServes(plaza, id)
  const before = await stateOf(id)
  expect(await change(app, id, { replicas: 5 })).toEqual(refused('insufficient_points'))
  expect(await stateOf(id)).toEqual(before)
})
