import { expect, test } from 'vitest'
import { decisions } from '../../../contract/decisions.ts'
import {
  createDeployment,
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeployments,
  listDeployTiers,
} from '../../../contract/deployments.ts'
import { operations } from '../../../contract/operations.ts'
import { countBy, race, startTestService } from '../../test/harness.ts'
import {
  any_image,
  freshName,
  sendAs,
  someContainerHost,
  someDeploymentOf,
  someHostingApp,
} from '../../test/hosting-world.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { raw, someTokens, someUser } from '../../test/world.ts'
import { hosting_settings } from '../../test/settings.ts'
import { isReserved } from './rules.ts'

const plaza = await startTestService(hosting_settings)
await someContainerHost(plaza)
const some_text = expect.any(String) as string
const nowhere = '01890000-0000-7000-8000-000000000000'
const day_seconds = 86_400

const request = (more: Record<string, unknown> = {}) => ({ image: any_image, tier: 'starter', ...more })
type HostingApp = Awaited<ReturnType<typeof someHostingApp>>
const send = (app: HostingApp, body: unknown) => sendAs(plaza, app, 'POST', '', body)
const ask = (
  token: string,
  method: string,
  path: string,
  { process = plaza, body = request({ name: freshName() }) } = {},
) =>
  raw(process, method, path, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  })
const counts = async () =>
  (
    await plaza.db.sql<{ rows: number; entries: number; transfers: number }>`
      select (select count(*) from deployments) as rows, (select count(*) from deploy_logs) as entries,
             (select count(*) from transfers) as transfers`
  )[0]
const tierOf = async (slug: string) =>
  (await plaza.db.sql<{ id: string }>`select id from deploy_tiers where slug = ${slug}`)[0]!.id

test('spec POST deploy/apps: 201 with the pending deployment; its first log entry names the user and the settings', async () => {
  const app = await someHostingApp(plaza)
  const subdomain = freshName()
  const now = plaza.clock.now().toISOString()
  const reply = await app.api.call(createDeployment, { body: { subdomain, image: any_image, tier: 'standard' } })
  const id = (reply.body as { id: string }).id
  const expected = {
    id: some_text,
    app_id: app.id,
    deploy_tier_id: await tierOf('standard'),
    container_name: `plaza-${id}`,
    container_image: any_image,
    subdomain,
    status: 'pending',
    memory_limit_mb: 512,
    cpu_limit_millicores: 500,
    custom_domain: null,
    billing_status: null,
    health_status: null,
    host_server: null,
    host_servers: [],
    deployed_at: null,
    stopped_at: null,
    last_health_check: null,
    replicas: 1,
    ready_replicas: 0,
    health_path: null,
    is_being_removed: false,
    is_stopping: false,
    inserted_at: now,
  }
  expect(outcome(reply)).toEqual([201, expected])
  const params = { id }
  expect(await app.api.result(getDeployment, { params })).toEqual(expected)
  expect(await app.api.result(listDeployments)).toEqual({ deployments: [expected] })
  expect(await app.api.result(getDeploymentStatus, { params })).toEqual({
    id,
    status: 'pending',
    subdomain,
    health_status: null,
    last_health_check: null,
    is_stopping: false,
  })
  expect(await app.api.result(listDeployLog, { params })).toEqual({
    logs: [
      {
        id: some_text,
        action: 'create',
        status: 'pending',
        initiated_by: app.owner.id,
        details: {
          message: some_text,
          image: any_image,
          tier: 'standard',
          memory_limit_mb: 512,
          cpu_limit_millicores: 500,
        },
        inserted_at: now,
      },
    ],
  })
  const [stored] = await plaza.db.sql`
    select desired, suspended_by, generation, port, owner_id from deployments where id = ${id}`
  expect(stored).toEqual({
    desired: 'running',
    suspended_by: null,
    generation: 1,
    port: 3000,
    owner_id: app.owner.id,
  })
})

test('D-55 name and subdomain: either, or both with the same value; the same rule for both', async () => {
  const app = await someHostingApp(plaza)
  const [one, two] = [freshName(), freshName()]
  expect(await send(app, request({ name: one }))).toMatchObject([201, { subdomain: one }])
  expect(await send(app, request({ name: two, subdomain: two }))).toMatchObject([201, { subdomain: two }])
  expect(await send(app, request({ subdomain: 'a'.repeat(32) }))).toMatchObject([201, {}])
  const before = await counts()
  expect(await send(app, request())).toEqual(
    refused('validation_failed', [{ path: 'subdomain', message: 'is required' }]),
  )
  expect(await send(app, request({ name: freshName(), subdomain: freshName() }))).toEqual(
    refused('validation_failed', [{ path: 'name', message: 'must be the same as subdomain' }]),
  )
  const bad = ['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a b', 'ü', 'a\n', 'a'.repeat(33), 1, [], {}]
  for (const field of ['name', 'subdomain'])
    for (const word of bad)
      expect([word, ...(await send(app, request({ [field]: word })))]).toEqual([
        word,
        ...refused('validation_failed', [{ path: field, message: some_text }]),
      ])
  expect(await counts()).toEqual(before)
})

test('D-55 reserved names are 409 subdomain_taken, xn-- names too', async () => {
  const { reserved } = decisions.subdomains
  expect([...reserved, 'xn--80ak6aa92e', 'ab--c'].filter((name) => !isReserved(name))).toEqual([])
  const app = await someHostingApp(plaza)
  const before = await counts()
  for (const subdomain of [reserved[0], 'xn--80ak6aa92e'])
    expect([subdomain, ...(await send(app, request({ subdomain })))]).toEqual([
      subdomain,
      ...refused('subdomain_taken'),
    ])
  expect(await counts()).toEqual(before)
})

test('D-59 the canonical form of an image is returned; images that are not allowed are 422, and nothing is stored', async () => {
  const app = await someHostingApp(plaza)
  const { REGISTRY_PRIVATE: own, REGISTRY_PUBLIC: hub, REGISTRY_CODE_HOST: code } = hosting_settings
  expect(await send(app, request({ subdomain: freshName(), image: `${hub}/library/nginx` }))).toMatchObject([
    201,
    { container_image: `${hub}/library/nginx:latest` },
  ])
  const allowed = [`${own}/${app.client_id}/`, `${own}/shared/`, `${hub}/library/`, `${code}/`]
  const before = await counts()
  for (const [image, code_of] of [
    [`${own}/other-tenant/app:1`, 'image_not_allowed'],
    ['nginx', 'image_malformed'],
  ] as const) {
    const [status, body] = refused(code_of)
    expect(await send(app, request({ subdomain: freshName(), image }))).toEqual([
      status,
      { ...(body as object), allowed },
    ])
  }
  expect(await counts()).toEqual(before)
})

test('D-55 of 20 concurrent creates of one name, by ten apps on two processes, exactly one succeeds', async () => {
  const other = await plaza.startAnother()
  const apps = await Promise.all(Array.from({ length: 10 }, () => someHostingApp(plaza)))
  const before = await counts()
  const subdomain = freshName()
  const replies = await race(plaza, 20, (at) =>
    ask(apps[at >> 1]!.tokens.access_token, 'POST', '/api/deploy/apps', {
      process: at % 2 ? plaza : other,
      body: request({ subdomain }),
    }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 1, 409: 19 })
  for (const reply of replies) if (reply.status === 409) expect(outcome(reply)).toEqual(refused('subdomain_taken'))
  const after = await counts()
  expect([after!.rows, after!.entries]).toEqual([before!.rows + 1, before!.entries + 1])
})

test('D-55 after a destruction the name is reserved for its owner for 30 days, and then free', async () => {
  const [app, stranger] = [await someHostingApp(plaza), await someHostingApp(plaza)]
  const subdomain = freshName()
  const [, made] = await send(app, request({ subdomain }))
  const { id } = made as { id: string }
  expect(await send(app, request({ subdomain }))).toEqual(refused('subdomain_taken'))
  const goneSince = (destroyed_at: Date, gone: string) => plaza.db.sql`
    update deployments set desired = 'destroyed', status = 'destroyed', destroyed_at = ${destroyed_at} where id = ${gone}`
  const ago = (seconds: number) => new Date(plaza.clock.now().getTime() - seconds * 1000)
  await goneSince(ago(30 * day_seconds - 60), id)
  expect(await send(stranger, request({ subdomain }))).toEqual(refused('subdomain_taken'))
  const [status, again] = await send(app, request({ subdomain }))
  expect(status).toBe(201)
  await goneSince(ago(30 * day_seconds + 60), id)
  await goneSince(ago(30 * day_seconds + 60), (again as { id: string }).id)
  expect((await send(stranger, request({ subdomain })))[0]).toBe(201)
})

test('D-63 an unknown or retired tier is 422; the catalogue shows what is offered', async () => {
  const app = await someHostingApp(plaza)
  await plaza.db.sql`
    insert into deploy_tiers select gen_random_uuid(), 'Old', 'old', payment_method, memory_limit_mb, cpu_limit_millicores,
           custom_domain_allowed, monthly_stipend_points, ad_reach_multiplier, monthly_cost_points, monthly_cost_sats, true,
           now(), now() from deploy_tiers where slug = 'starter'`
  const before = await counts()
  const refusal = refused('validation_failed', [{ path: 'tier', message: 'is not the slug of a tier' }])
  for (const tier of ['old', 'nothing', 'Starter', 'starter ', '%'])
    expect([tier, ...(await send(app, request({ name: freshName(), tier })))]).toEqual([tier, ...refusal])
  expect(await counts()).toEqual(before)
  const { tiers } = await app.api.result(listDeployTiers)
  expect(tiers.map(({ slug }) => slug)).toEqual(['starter', 'standard', 'pro', 'sovereign'])
  expect(tiers[1]).toEqual({
    id: await tierOf('standard'),
    name: 'Standard',
    slug: 'standard',
    payment_method: 'service_points',
    memory_limit_mb: 512,
    cpu_limit_millicores: 500,
    custom_domain_allowed: true,
    replicas_max: 1,
    monthly_stipend_points: 0,
    ad_reach_multiplier: '1.25',
    monthly_cost_points: 2000,
    monthly_cost_sats: null,
  })
})

test('D-07 undeclared fields are not stored', async () => {
  const app = await someHostingApp(plaza)
  const smuggled = {
    status: 'running',
    desired: 'stopped',
    owner_id: nowhere,
    memory_limit_mb: 99_999,
    host_server: 'x',
  }
  expect(await send(app, request({ name: freshName(), ...smuggled }))).toMatchObject([
    201,
    { status: 'pending', memory_limit_mb: 128, host_server: null },
  ])
})

test('D-65 without a reachable container host: 503, and nothing is stored', async () => {
  const app = await someHostingApp(plaza)
  const before = await counts()
  const name = freshName()
  const states = [{ reachable: false }, { seen_seconds_ago: 31 }]
  for (const state of states) {
    await someContainerHost(plaza, state)
    expect(await send(app, request({ name }))).toEqual(refused('container_engine_unavailable'))
  }
  await plaza.db.sql`delete from container_hosts`
  expect(await send(app, request({ name }))).toEqual(refused('container_engine_unavailable'))
  expect(await counts()).toEqual(before)
  // Validation errors are reported first, and all other endpoints work.
  expect(await send(app, request({ name, tier: 'nothing' }))).toMatchObject([422, {}])
  expect((await app.api.call(listDeployTiers)).status).toBe(200)
  await someContainerHost(plaza, { seen_seconds_ago: 20 })
  expect((await send(app, request({ name })))[0]).toBe(201)
  await someContainerHost(plaza)
})

/** Every operation of an app on its deployments. */
const of_apps = Object.values(operations).filter(
  ({ auth, path }) => path.startsWith('/api/deploy/') && typeof auth === 'object' && !auth.or_user,
)
const endpoints = (id: string) => of_apps.map(({ method, path }) => [method, path.replace('{id}', id)] as const)

test('D-33 a user of the app who is not its owner is 403 not_app_owner everywhere', async () => {
  const app = await someHostingApp(plaza)
  const id = await someDeploymentOf(plaza, app)
  const visitor = await someTokens(plaza, app, await someUser(plaza), ['deploy:manage'])
  const before = await counts()
  for (const [method, path] of endpoints(id))
    expect([path, ...outcome(await ask(visitor.access_token, method, path))]).toEqual([
      path,
      ...refused('not_app_owner'),
    ])
  expect(await counts()).toEqual(before)
})

test('D-33 the deployments of another app are 404 and not listed', async () => {
  const [app, other] = [await someHostingApp(plaza), await someHostingApp(plaza)]
  const id = await someDeploymentOf(plaza, other)
  for (const [method, path] of endpoints(id).filter(([, where]) => where.includes(id)))
    expect([path, ...outcome(await ask(app.tokens.access_token, method, path))]).toEqual([
      path,
      ...refused('not_found'),
    ])
  expect(await app.api.result(listDeployments)).toEqual({ deployments: [] })
  const [row] = await plaza.db.sql`select desired, generation from deployments where id = ${id}`
  expect(row).toEqual({ desired: 'running', generation: 1 })
})

test('spec Limits: 10 writes and 30 reads a minute for each endpoint, then 429', async () => {
  expect(of_apps.length).toBeGreaterThan(15)
  for (const { method, path, limit } of of_apps)
    expect([method, path, limit]).toEqual([method, path, { requests: method === 'GET' ? 30 : 10, seconds: 60 }])
  const [app, other] = [await someHostingApp(plaza), await someHostingApp(plaza)]
  const path = `/api/deploy/apps/${nowhere}`
  const replies = await race(plaza, 15, () => ask(app.tokens.access_token, 'DELETE', path))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 404: 10, 429: 5 })
  expect((await ask(other.tokens.access_token, 'DELETE', path)).status).toBe(404)
})
