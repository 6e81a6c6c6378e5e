import { expect, test } from 'vitest'
import {
  createDeployment,
  getDeployment,
  listDeploymentReleases,
  listDeployLog,
} from '../../../contract/deployments.ts'
import { countBy, race, sharedService } from '../../test/harness.ts'
import {
  any_image,
  freshName,
  someContainerHost,
  someHostingApp,
  withoutWaiting,
  type SomeHostingApp,
} from '../../test/hosting-world.ts'
import { latestFails, latestServes, sendChange, served_digest as digest, stateOfRelease } from '../../test/releases.ts'
import { refused } from '../../test/refusals.ts'
import { givePoints, pointsOf, raw } from '../../test/world.ts'
import { environmentKeys } from './service.ts'
import { openEnv } from './sealing.rules.ts'
import { chargeDueCycles, giveBackAllUnserved } from './billing.service.ts'
import { billing_settings } from '../../test/settings.ts'

const plaza = await sharedService(billing_settings)
await someContainerHost(plaza)
const { db } = plaza
const other_image = 'public.test/library/web:2'
const nowhere = '01890000-0000-7000-8000-000000000000'
const some_text = expect.any(String) as string
const keys = environmentKeys(['a-secret-of-the-tests-long-enough-for-the-rule'])

const someApp = (points = 100_000) => someHostingApp(plaza, { points })

async function someDeployment(app: SomeHostingApp, more: Record<string, unknown> = {}) {
  plaza.clock.advance(7)
  const body = { subdomain: freshName(), image: any_image, tier: 'starter', ...more }
  return (await app.api.result(createDeployment, { body: body as never })).id
}

const serves = (id: string, image?: string) => latestServes(plaza, id, image)
const fails = (id: string) => latestFails(plaza, id)

const change = (app: SomeHostingApp, id: string, body: unknown) => sendChange(plaza, app, id, { body })
const rollBack = (app: SomeHostingApp, id: string, body: unknown = {}) =>
  sendChange(plaza, app, id, { body, path: '/rollback', method: 'POST' })
const releasesOf = async (app: SomeHostingApp, id: string) => {
  plaza.clock.advance(7)
  return (await app.api.result(listDeploymentReleases, { params: { id } })).releases
}
const summary = async (app: SomeHostingApp, id: string) =>
  (await releasesOf(app, id)).map(({ number, status }) => `${number} ${status}`)
const intentOf = async (id: string) =>
  (
    await db.sql<{ generation: number; desired: string }>`select generation, desired from deployments where id = ${id}`
  )[0]!
const stateOf = (id: string) => stateOfRelease(plaza, id)

test('D-104: a create makes the first release; it shows names of the environment, never values', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { env_vars: { TOKEN: 'of the canary', COLOUR: 'red' }, port: 8080 })
  const reply = await app.api.call(listDeploymentReleases, { params: { id } })
  expect(reply.body).toEqual({
    releases: [
      {
        id: some_text,
        number: 1,
        status: 'pending',
        container_image: any_image,
        image_digest: null,
        deploy_tier_id: some_text,
        memory_limit_mb: 128,
        cpu_limit_millicores: 250,
        port: 8080,
        custom_domain: null,
        replicas: 1,
        health_path: null,
        env_names: ['COLOUR', 'TOKEN'],
        changed: [],
        env_changed: [],
        rolled_back_to: null,
        initiated_by: app.owner.id,
        failure: null,
        served_at: null,
        inserted_at: some_text,
      },
    ],
  })
  expect(JSON.stringify(reply.body)).not.toContain('canary')
  await serves(id)
  expect((await releasesOf(app, id))[0]).toMatchObject({
    status: 'current',
    image_digest: `public.test/library/web@${digest}`,
  })
})

test('D-104: a change makes a release; the deployment shows the serving release, and the new one once it serves', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { env_vars: { A: '1', B: '2' } })
  await serves(id)
  const [status, body] = await change(app, id, {
    image: other_image,
    port: 8081,
    env_set: { B: '3', C: '4' },
    env_unset: ['A'],
  })
  expect([status, body]).toMatchObject([200, { id, container_image: any_image }])
  expect(await intentOf(id)).toEqual({ generation: 2, desired: 'running' })
  const [newest] = await releasesOf(app, id)
  expect(newest).toMatchObject({
    number: 2,
    status: 'pending',
    container_image: other_image,
    port: 8081,
    env_names: ['B', 'C'],
    changed: ['image', 'port', 'env_vars'],
    env_changed: ['A', 'B', 'C'],
    initiated_by: app.owner.id,
  })
  const [entry] = (await app.api.result(listDeployLog, { params: { id } })).logs
  expect(entry).toMatchObject({
    action: 'deploy',
    initiated_by: app.owner.id,
    details: {
      message: 'A change was asked for.',
      release: 2,
      changed: ['image', 'port', 'env_vars'],
      image: other_image,
    },
  })
  await serves(id)
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject({ container_image: other_image })
  expect(await summary(app, id)).toEqual(['2 current', '1 replaced'])
  const [row] = await db.sql<{
    sealed_env: Buffer
    port: number
  }>`select sealed_env, port from deployments where id = ${id}`
  expect([openEnv(keys, id, row!.sealed_env), row!.port]).toEqual([{ B: '3', C: '4' }, 8081])
  await change(app, id, { env_vars: { ONLY: 'one' } })
  expect((await releasesOf(app, id))[0]).toMatchObject({ env_names: ['ONLY'], env_changed: ['B', 'C', 'ONLY'] })
})

test('D-104: a change without a difference writes nothing', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { env_vars: { A: '1' } })
  await serves(id)
  const before = await stateOf(id)
  const nothing = [
    { image: any_image },
    { tier: 'starter', port: 3000 },
    { env_set: { A: '1' }, env_unset: ['B'] },
    { env_vars: { A: '1' } },
    { custom_domain: null },
  ]
  for (const body of nothing) expect([body, (await change(app, id, body))[0]]).toEqual([body, 200])
  expect(await stateOf(id)).toEqual(before)
})

test('D-104: of changes in quick succession the last one wins, and includes the earlier ones', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  await change(app, id, { image: other_image })
  await change(app, id, { port: 9000 })
  expect(await summary(app, id)).toEqual(['3 pending', '2 superseded', '1 current'])
  await serves(id)
  expect(await summary(app, id)).toEqual(['3 current', '2 superseded', '1 replaced'])
  expect((await releasesOf(app, id))[0]).toMatchObject({ container_image: other_image, port: 9000 })
})

test('D-104: a release that does not start leaves the previous one serving and shows why', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  await change(app, id, { image: other_image, port: 9000 })
  await fails(id)
  const [failed, good] = await releasesOf(app, id)
  expect([failed?.status, good?.status]).toEqual(['failed', 'current'])
  expect(failed?.failure).toEqual({
    message: 'It ended 5 times.',
    cause: 'crash_loop',
    exit_code: 1,
    tail: ['no such file'],
  })
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject({
    status: 'running',
    container_image: any_image,
  })
  // The next change starts from the serving release.
  await change(app, id, { env_set: { A: '1' } })
  expect((await releasesOf(app, id))[0]).toMatchObject({
    number: 3,
    container_image: any_image,
    port: 3000,
    changed: ['env_vars'],
  })
})

test('D-104: if nothing serves after a failed release, the one that served last is started by its digest', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  await change(app, id, { image: other_image })
  // Its host was lost meanwhile.
  await db.sql`update deployments set serving_generation = null where id = ${id}`
  await fails(id)
  expect(await summary(app, id)).toEqual(['2 failed', '1 current'])
  const [row] = await db.sql`
    select generation, failed_generation, image_generation, image_digest, status from deployments where id = ${id}`
  expect(row).toEqual({
    generation: 3,
    failed_generation: null,
    image_generation: 3,
    image_digest: `public.test/library/web@${digest}`,
    status: 'deploying',
  })
})

test('H20: a release that served and then crashed is retried with growing delays until a change', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  const retryOf = async () =>
    (
      await db.sql`
        select round(extract(epoch from retry_at - now()))::integer as seconds, failed_generation, attempts
          from deployments where id = ${id}`
    )[0]
  /** Writes what a worker writes when the next retry is due. */
  const tryAgain = () => db.sql`update deployments set failed_generation = null, retry_at = null where id = ${id}`
  await serves(id)
  for (const [at, seconds] of [10, 20, 40, 80, 160, 300, 300].entries()) {
    await fails(id)
    expect(await retryOf()).toEqual({ seconds, failed_generation: 1, attempts: at + 1 })
    expect(await summary(app, id)).toEqual(['1 failed'])
    await tryAgain()
    await serves(id)
    expect(await summary(app, id)).toEqual(['1 current'])
  }
  // A release that served long enough starts with a new series of retries.
  await db.sql`update deployments set deployed_at = now() - interval '11 minutes' where id = ${id}`
  await fails(id)
  expect(await retryOf()).toMatchObject({ seconds: 10, attempts: 1 })
  await change(app, id, { image: other_image })
  expect(await retryOf()).toMatchObject({ attempts: 0 })
  // A release that fails at its first rollout is not retried.
  await fails(id)
  expect(await retryOf()).toMatchObject({ seconds: null, failed_generation: 2 })
  expect(await summary(app, id)).toEqual(['2 failed', '1 failed'])
})

test('D-104: a failed first release is the base of changes and can be restarted', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await fails(id)
  expect(await summary(app, id)).toEqual(['1 failed'])
  await change(app, id, { image: other_image })
  await serves(id)
  expect(await summary(app, id)).toEqual(['2 current', '1 failed'])
})

test('D-104: a rollback returns to the previous release that served, by its digest, and a second one to the one before', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { env_vars: { A: '1' } })
  expect(await rollBack(app, id)).toEqual(refused('no_release_before'))
  await serves(id)
  await change(app, id, { image: other_image, env_set: { A: '2' } })
  await serves(id, `public.test/library/web@sha256:${'b'.repeat(64)}`)
  await change(app, id, { image: 'public.test/library/web:3' })
  await fails(id)
  expect((await rollBack(app, id))[0]).toBe(200)
  const [back] = await releasesOf(app, id)
  expect(back).toMatchObject({
    number: 4,
    container_image: `public.test/library/web@${digest}`,
    rolled_back_to: 1,
    changed: ['image', 'env_vars'],
    env_changed: ['A'],
  })
  await serves(id)
  expect(await summary(app, id)).toEqual(['4 current', '3 failed', '2 replaced', '1 replaced'])
  expect(await rollBack(app, id)).toEqual(refused('no_release_before'))
  const second = (await releasesOf(app, id)).find(({ number }) => number === 2)!
  await rollBack(app, id, { release_id: second.id })
  expect((await releasesOf(app, id))[0]).toMatchObject({
    rolled_back_to: 2,
    container_image: `public.test/library/web@sha256:${'b'.repeat(64)}`,
  })
  await serves(id)
  // The last release that served before release 2 is release 1, regardless of later repetitions.
  await rollBack(app, id)
  expect((await releasesOf(app, id))[0]).toMatchObject({ number: 6, rolled_back_to: 1 })
})

test('D-104: a stopped deployment stays stopped and applies the change when it starts', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  await db.sql`
    update deployments set desired = 'stopped', status = 'stopped', serving_generation = null, endpoint_host = null, endpoint_port = null
     where id = ${id}`
  expect(await change(app, id, { image: other_image })).toMatchObject([200, { status: 'stopped' }])
  expect(await intentOf(id)).toMatchObject({ desired: 'stopped' })
  expect(await summary(app, id)).toEqual(['2 pending', '1 current'])
})

test('H11: the path of the health check belongs to a release: set, kept, removed and rolled back', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { health_path: '/healthz' })
  await serves(id)
  expect(await change(app, id, { health_path: '/ready?deep=1' })).toMatchObject([200, { health_path: '/healthz' }])
  await serves(id)
  await change(app, id, { port: 4000, health_path: null })
  await serves(id)
  await rollBack(app, id)
  await serves(id)
  const releases = await releasesOf(app, id)
  expect(releases.map(({ health_path, changed }) => [health_path, changed])).toEqual([
    ['/ready?deep=1', ['image', 'port', 'health_path']],
    [null, ['port', 'health_path']],
    ['/ready?deep=1', ['health_path']],
    ['/healthz', []],
  ])
  expect((await app.api.result(getDeployment, { params: { id } })).health_path).toBe('/ready?deep=1')
})

test('D-104: invalid changes are refused with an error for each field, and write nothing', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { env_vars: { A: '1' } })
  await serves(id)
  const before = await stateOf(id)
  const field = (path: string, message: string) => refused('validation_failed', [{ path, message }])
  const refusedPlace = (code: 'image_not_allowed' | 'image_malformed') => {
    const [status, body] = refused(code)
    return [status, { ...(body as object), allowed: expect.arrayContaining(['public.test/library/']) as unknown }]
  }
  const cases: [unknown, unknown][] = [
    [{ tier: 'nowhere' }, field('tier', 'is not the slug of a tier')],
    [{ custom_domain: 'www.example.org' }, field('custom_domain', 'is not part of this tier')],
    [{ custom_domain: 'not a domain', tier: 'standard' }, field('custom_domain', some_text)],
    [
      { env_vars: {}, env_set: {} },
      field('env_vars', 'is the whole environment: send either it, or env_set and env_unset'),
    ],
    [{ env_set: { A: '2' }, env_unset: ['A'] }, field('env_set.A', 'is in env_unset too')],
    [{ env_set: { A: 'x'.repeat(32_769) } }, field('env_set.A', some_text)],
    ...['healthz', '/two words', '/\n', ''].map((health_path): [unknown, unknown] => [
      { health_path },
      field('health_path', 'must be a path that begins with /, of printable ASCII characters without spaces'),
    ]),
    [{ env_unset: ['not a name'] }, field('env_unset.0', 'must be the name of a variable')],
    [
      { env_set: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`N${at}`, ''])) },
      field('env_set', 'must not make more than 50 variables in all'),
    ],
    [{ image: 'evil.test/web:1' }, refusedPlace('image_not_allowed')],
    [{ image: 'web:1' }, refusedPlace('image_malformed')],
    [{ tier: 'sovereign' }, field('tier', 'is paid in another way: make a new deployment for it')],
  ]
  for (const [body, expected] of cases) expect([body, await change(app, id, body)]).toEqual([body, expected])
  expect(await rollBack(app, id, { release_id: nowhere })).toEqual(refused('not_found'))
  expect(await stateOf(id)).toEqual(before)
})

test('D-104: destroyed deployments are 404, suspended ones 409', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  await db.sql`update deployments set suspended_by = 'admin' where id = ${id}`
  const before = await stateOf(id)
  for (const reply of [await change(app, id, { port: 1 }), await rollBack(app, id)])
    expect(reply).toEqual(refused('suspended'))
  expect(await stateOf(id)).toEqual(before)
  await db.sql`update deployments set suspended_by = null, desired = 'destroyed', status = 'destroyed' where id = ${id}`
  expect(await change(app, id, { port: 1 })).toEqual(refused('not_found'))
})

test('D-104: a more expensive tier costs the difference for the rest of the cycle, once; it is refunded if it never serves', async () => {
  const app = await someApp(10_000)
  const id = await someDeployment(app)
  await serves(id)
  const points = await pointsOf(app.owner)
  const half =
    await db.sql`update deployments set paid_until = ${plaza.clock.now()}::timestamptz + interval '15 days 7 seconds' where id = ${id}`
  expect(half).toBeDefined()
  // Starter 500, Standard 2000: half of the difference.
  await change(app, id, { tier: 'standard' })
  expect(await pointsOf(app.owner)).toBe(points - 750)
  // Superseded: it is refunded, and Pro costs half of 4500.
  await change(app, id, { tier: 'pro' })
  expect(await pointsOf(app.owner)).toBe(points - 2250)
  await fails(id)
  await giveBackAllUnserved({ db, clock: plaza.clock.now, billing: true })
  await giveBackAllUnserved({ db, clock: plaza.clock.now, billing: true })
  expect(await pointsOf(app.owner)).toBe(points)
  await change(app, id, { tier: 'standard' })
  await serves(id)
  const paid = await pointsOf(app.owner)
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject({ memory_limit_mb: 512 })
  // Cheaper: from the next cycle on.
  await change(app, id, { tier: 'starter' })
  await serves(id)
  await giveBackAllUnserved({ db, clock: plaza.clock.now, billing: true })
  expect(await pointsOf(app.owner)).toBe(paid)
})

/** Stops a deployment of the starter tier, changes it to a more expensive tier while it is stopped, and lets its paid cycle end. */
async function someStoppedChange(app: SomeHostingApp, tier: string) {
  const id = await someDeployment(app)
  await serves(id)
  await db.sql`update deployments set desired = 'stopped', status = 'stopped', serving_generation = null where id = ${id}`
  await change(app, id, { tier })
  const points = await pointsOf(app.owner)
  await db.sql`update deployments set paid_until = ${plaza.clock.now()} where id = ${id}`
  return { id, points }
}
const renew = () => chargeDueCycles({ db, clock: plaza.clock.now, billing: true })

test('D-104: a more expensive tier that does not serve yet is charged in the next cycle too; it is refunded if it never serves', async () => {
  const app = await someApp(10_000)
  const { id, points } = await someStoppedChange(app, 'standard')
  await renew()
  // Starter 500, and 1500 more for Standard.
  expect(await pointsOf(app.owner)).toBe(points - 2_000)
  await renew()
  expect(await pointsOf(app.owner)).toBe(points - 2_000)
  await fails(id)
  await giveBackAllUnserved({ db, clock: plaza.clock.now, billing: true })
  // Together with the surcharge for the rest of the previous cycle, only a second cycle of Starter was paid.
  expect(await pointsOf(app.owner)).toBe(10_000 - 2 * 500)
})

test('D-104: once a more expensive tier serves, its charge is not refunded, and the next cycle costs its price', async () => {
  const app = await someApp(10_000)
  const { id, points } = await someStoppedChange(app, 'standard')
  await renew()
  await serves(id)
  await giveBackAllUnserved({ db, clock: plaza.clock.now, billing: true })
  expect(await pointsOf(app.owner)).toBe(points - 2_000)
  await db.sql`update deployments set paid_until = ${plaza.clock.now()} where id = ${id}`
  await renew()
  expect(await pointsOf(app.owner)).toBe(points - 4_000)
})

test('D-104: with too few points for a pending tier, nothing is charged, and the deployment is suspended until they suffice', async () => {
  const app = await someApp(3_500)
  const { id, points } = await someStoppedChange(app, 'standard')
  expect(points).toBeGreaterThan(500)
  await renew()
  expect(await pointsOf(app.owner)).toBe(points)
  const suspension = () => db.sql`select suspended_by, billing_status from deployments where id = ${id}`
  expect(await suspension()).toEqual([{ suspended_by: 'billing', billing_status: 'suspended' }])
  await givePoints(plaza, app.owner, 2_000 - points - 1)
  await renew()
  expect(await pointsOf(app.owner)).toBe(1_999)
  await givePoints(plaza, app.owner, 1)
  await renew()
  expect(await pointsOf(app.owner)).toBe(0)
  expect(await suspension()).toEqual([{ suspended_by: null, billing_status: 'active' }])
})

test('D-104: with too few points for a more expensive tier nothing is written', async () => {
  const app = await someApp(600)
  const id = await someDeployment(app)
  await serves(id)
  const before = await stateOf(id)
  expect(await change(app, id, { tier: 'pro', image: other_image })).toEqual(refused('insufficient_points'))
  expect(await stateOf(id)).toEqual(before)
})

test('D-104: a change to a tier without domains must remove the domain; a changed domain must be verified again', async () => {
  const app = await someApp()
  const id = await someDeployment(app, { tier: 'standard', custom_domain: 'www.plaza-one.org' })
  await serves(id)
  await db.sql`update deployments set domain_verified_at = now() where id = ${id}`
  expect(await change(app, id, { tier: 'starter' })).toEqual(
    refused('validation_failed', [
      { path: 'tier', message: 'allows no custom domain: send custom_domain null with it' },
    ]),
  )
  const domainOf = async () =>
    (
      await db.sql<{ custom_domain: string | null; is_verified: boolean }>`
        select custom_domain, domain_verified_at is not null as is_verified from deployments where id = ${id}`
    )[0]
  await change(app, id, { port: 9000 })
  await serves(id)
  expect(await domainOf()).toEqual({ custom_domain: 'www.plaza-one.org', is_verified: true })
  const { generation } = await intentOf(id)
  await change(app, id, { custom_domain: 'www.plaza-two.org' })
  expect(await domainOf()).toEqual({ custom_domain: 'www.plaza-two.org', is_verified: false })
  expect(await intentOf(id)).toMatchObject({ generation })
  expect(await summary(app, id)).toEqual(['3 current', '2 replaced', '1 replaced'])
  await change(app, id, { custom_domain: null, tier: 'starter' })
  await serves(id)
  expect(await domainOf()).toEqual({ custom_domain: null, is_verified: false })
})

test('D-104: of 10 concurrent changes by two processes each is a release, numbered without a gap, and one is the target', async () => {
  const other = await plaza.startAnother()
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  plaza.clock.advance(60)
  const headers = { authorization: `Bearer ${app.tokens.access_token}`, 'content-type': 'application/json' }
  const send = (at: number) =>
    raw(at % 2 ? plaza : other, 'PATCH', `/api/deploy/apps/${id}`, {
      headers,
      body: JSON.stringify({ port: 9000 + at }),
    })
  const replies = await withoutWaiting(plaza, id, () => race(plaza, 10, send))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 10 })
  const rows = await db.sql<{ number: number; status: string; is_target: boolean }>`
    select number, status, is_target from deploy_releases where deployment_id = ${id} order by number`
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 11 }, (_, at) => at + 1))
  expect(countBy(rows, ({ status }) => status)).toEqual({ current: 1, superseded: 9, pending: 1 })
  expect(rows.filter(({ is_target }) => is_target)).toEqual([{ number: 11, status: 'pending', is_target: true }])
})

test('D-104: the newest 50 releases and the serving one are kept', async () => {
  const app = await someApp()
  const id = await someDeployment(app)
  await serves(id)
  await db.sql`
    insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, deploy_tier_id, memory_limit_mb,
                                 cpu_limit_millicores, port, replicas, sealed_env, env_names, changed, env_changed, charged_points, inserted_at)
    select gen_random_uuid(), deployment_id, n, 'superseded', false, container_image, deploy_tier_id, memory_limit_mb,
           cpu_limit_millicores, port, replicas, sealed_env, env_names, changed, env_changed, 0, inserted_at
      from deploy_releases, generate_series(2, 54) n where deployment_id = ${id}`
  for (const port of [4000, 4001]) await change(app, id, { port })
  const numbers = (
    await db.sql<{ number: number }>`
    select number from deploy_releases where deployment_id = ${id} order by number`
  ).map(({ number }) => number)
  expect(numbers).toEqual([1, ...Array.from({ length: 50 }, (_, at) => at + 7)])
})
