import { expect, test } from 'vitest'
import { updateDeployTier } from '../../../contract/admin-deployments.ts'
import {
  createDeployment,
  getDeployment,
  getDeploymentStatus,
  listDeploymentReleases,
  listDeployments,
} from '../../../contract/deployments.ts'
import { sharedService } from '../../test/harness.ts'
import {
  any_image,
  freshName,
  sendAs,
  someContainerHost,
  someHostingApp,
  withoutWaiting,
  type SomeHostingApp,
} from '../../test/hosting-world.ts'
import { latestFails, latestServes } from '../../test/releases.ts'
import { outcome, refused, refusedInState } from '../../test/refusals.ts'
import { pointsOf, theAdmin } from '../../test/world.ts'
import { billing_settings } from '../../test/settings.ts'

const plaza = await sharedService(billing_settings)
await someContainerHost(plaza)
const { db } = plaza
const admin = await theAdmin(plaza)
const [starter] = await db.sql<{ id: string }>`select id from deploy_tiers where slug = 'starter'`
await admin.api.result(updateDeployTier, { params: { id: starter!.id }, body: { replicas_max: 5 } })
const other_image = 'public.test/library/web:2'
const some_id = expect.any(String) as string

const someApp = () => someHostingApp(plaza, { points: 100_000 })
const create = (app: SomeHostingApp, more: Record<string, unknown> = {}) => {
  plaza.clock.advance(7)
  return app.api.call(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'starter', ...more } as never,
  })
}
async function served(app: SomeHostingApp) {
  const { id } = (await create(app)).body as { id: string }
  await latestServes(plaza, id)
  return id
}

const send = (app: SomeHostingApp, path: string, body: unknown, method = 'PATCH') =>
  sendAs(plaza, app, method, `/${path}`, body)

/** Sends a change or a rollback while a worker produces its outcome. */
async function sendUntil(app: SomeHostingApp, id: string, path: string, body: unknown, work: () => Promise<unknown>) {
  const generation = async () =>
    (await db.sql<{ generation: number }>`select generation from deployments where id = ${id}`)[0]!.generation
  const before = await generation()
  const answer = send(app, `${id}${path}`, body, path.startsWith('/rollback') ? 'POST' : 'PATCH')
  await expect.poll(generation).toBeGreaterThan(before)
  await work()
  return answer
}

test('D-126: a change returns its release, with its status and the reason of a failure', async () => {
  const app = await someApp()
  const id = await served(app)
  const failed = await sendUntil(app, id, '?wait=60', { image: other_image }, () => latestFails(plaza, id))
  const failure = { message: 'It ended 5 times.', cause: 'crash_loop', exit_code: 1, tail: ['no such file'] }
  expect(failed).toMatchObject([
    200,
    { id, status: 'running', container_image: any_image, release: { id: some_id, status: 'failed', failure } },
  ])
  const good = await sendUntil(app, id, '?wait=60', { port: 8080 }, () => latestServes(plaza, id))
  const [newest] = (await app.api.result(listDeploymentReleases, { params: { id } })).releases
  expect(good).toMatchObject([200, { id, release: { id: newest!.id, status: 'current', failure: null } }])
  const back = await sendUntil(app, id, '/rollback?wait=60', {}, () => latestServes(plaza, id))
  expect(back).toMatchObject([200, { release: { status: 'current', failure: null } }])
})

test('D-126: a change that takes longer than `wait` returns a pending release; sent again, it waits for that release, however many calls wait', async () => {
  const app = await someApp()
  const id = await served(app)
  const change = (wait: number) => send(app, `${id}?wait=${wait}`, { port: 8081 })
  const began = performance.now()
  const late = await change(1)
  expect(late).toMatchObject([200, { status: 'running', release: { status: 'pending', failure: null } }])
  expect(performance.now() - began).toBeLessThan(4_000)
  const [, { release }] = late as [number, { release: { id: string } }]
  const began_again = performance.now()
  expect(await change(1)).toMatchObject([200, { release: { id: release.id, status: 'pending' } }])
  expect(performance.now() - began_again).toBeGreaterThan(950)
  const answers = [change(60), change(60)]
  await latestServes(plaza, id)
  expect(await Promise.all(answers)).toMatchObject(
    answers.map(() => [200, { release: { status: 'current', failure: null } }]),
  )
})

test('D-126: a change without a known field gets 422 nothing_to_change, and writes nothing', async () => {
  const app = await someApp()
  const id = await served(app)
  const releases = async () => (await app.api.result(listDeploymentReleases, { params: { id } })).releases.length
  for (const body of [{}, { replica: 2 }, { Image: other_image }, { env: { A: '1' }, subdomain: 'other' }])
    expect([body, ...(await send(app, id, body))]).toEqual([body, ...refused('nothing_to_change')])
  expect(await releases()).toBe(1)
  expect(await send(app, id, { replica: 2, port: 3000 })).toMatchObject([200, { replicas: 1 }])
})

test('D-126: `env_set` of a name that the platform sets is refused by its name, and writes nothing', async () => {
  const app = await someApp()
  const id = await served(app)
  expect(await send(app, id, { env_set: { PORT: '80', HOST: '::' }, env_unset: ['PORT'] })).toEqual(
    refused('validation_failed', [
      { path: 'env_set.PORT', message: 'is in env_unset too' },
      { path: 'env_set.PORT', message: 'is set by the platform' },
    ]),
  )
  expect((await app.api.result(listDeploymentReleases, { params: { id } })).releases).toHaveLength(1)
  expect((await send(app, `${id}?wait=1`, { env_set: { port: '80', PORTS: '80' } }))[0]).toBe(200)
})

test('D-126: `replicas` applies at creation: each is charged, and the tier limits their number', async () => {
  const app = await someApp()
  const before = await pointsOf(app.owner)
  const made = await create(app, { replicas: 3 })
  expect(outcome(made)).toMatchObject([201, { replicas: 3, ready_replicas: 0, status: 'pending' }])
  const { id } = made.body as { id: string }
  const one = await someApp()
  const paid_for_one = (await pointsOf(one.owner)) - (await served(one).then(() => pointsOf(one.owner)))
  const [tier] = await db.sql<{ stipend: number }>`
    select monthly_stipend_points as stipend from deploy_tiers where slug = 'starter'`
  expect(before - (await pointsOf(app.owner))).toBe(3 * paid_for_one + 2 * tier!.stipend)
  await latestServes(plaza, id)
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject({ replicas: 3, ready_replicas: 1 })
  const [release] = (await app.api.result(listDeploymentReleases, { params: { id } })).releases
  expect(release).toMatchObject({ number: 1, status: 'current', replicas: 3 })
  const count = async () => (await db.sql`select 1 from deployments where app_id = ${app.id}`).length
  const rows = await count()
  expect(outcome(await create(app, { replicas: 6 }))).toEqual(
    refused('validation_failed', [{ path: 'replicas', message: 'must be at most 5 on this tier' }]),
  )
  expect(await count()).toBe(rows)
  expect(outcome(await create(app, { replicas: null }))).toMatchObject([201, { replicas: 1 }])
})

test('D-126: a stopping deployment shows that until it has stopped, and an error names the state', async () => {
  const app = await someApp()
  const id = await served(app)
  const params = { id }
  expect(await app.api.result(getDeployment, { params })).toMatchObject({ is_stopping: false })
  const [status, shown] = await withoutWaiting(plaza, id, () => send(app, `${id}/stop`, {}, 'POST'))
  expect([status, shown]).toMatchObject([200, { status: 'running', is_stopping: true }])
  expect(await app.api.result(getDeploymentStatus, { params })).toMatchObject({ status: 'running', is_stopping: true })
  const { deployments } = await app.api.result(listDeployments)
  expect(deployments).toMatchObject([{ id, is_stopping: true }])
  await db.sql`update deployments set status = 'stopped' where id = ${id}`
  expect(await app.api.result(getDeployment, { params })).toMatchObject({ status: 'stopped', is_stopping: false })
  expect(await send(app, `${id}/stop`, {}, 'POST')).toEqual(refusedInState('stopped'))
})

test('D-126: times of deployments, stops and checks are those of the database’s clock', async () => {
  const app = await someApp()
  plaza.clock.advance(3_600)
  const id = await served(app)
  const [row] = await db.sql<{ seconds: number }>`
    select greatest(abs(extract(epoch from d.deployed_at - now())), abs(extract(epoch from d.last_health_check - now())),
                    abs(extract(epoch from r.served_at - now())))::float8 as seconds
      from deployments d join deploy_releases r on r.deployment_id = d.id where d.id = ${id}`
  expect(row!.seconds).toBeLessThan(60)
})
