import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sharedService } from '../../test/harness.ts'
import { intents_channel, routes_channel } from '../channels.ts'
import {
  requestRouter,
  startNamedUpstream,
  putDeployment,
  routerHealth,
  sendRaw,
  startUpstream,
  switchTo,
  requestHost,
} from '../../test/router.ts'
import { router_settings } from '../../test/settings.ts'
import { waitUntil } from '../../test/wait.ts'

const plaza = await sharedService(router_settings)

test('a deployment is served at its subdomain, for every form of the host', async () => {
  const site = await startUpstream((req, res) => void res.end(`${req.method} ${req.url}`))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  for (const spelling of [host, host.toUpperCase(), `${host}.`, `${host}:80`, `${host}.:8443`, `${host}:`])
    expect(await requestHost(plaza, spelling, { path: '/a%20b?c=1&c=2' })).toMatchObject({
      status: 200,
      body: 'GET /a%20b?c=1&c=2',
    })
})

test('an absolute URI in the request line must match the Host header', async () => {
  const site = await startUpstream((req, res) => void res.end(`at ${req.url}`))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const ask = (url: string, name: string) =>
    sendRaw(plaza, `GET ${url} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
  expect(await ask(`http://${host}/x?y`, host)).toMatch(/^HTTP\/1\.1 200 [^]*at \/x\?y/)
  expect(await ask(`http://${host}`, host)).toMatch(/^HTTP\/1\.1 200 [^]*at \//)
  expect(await ask(`http://127.0.0.1:${site.port}/x`, host)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await ask(`http://${host}@127.0.0.1:${site.port}/x`, host)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await ask('*', host)).toMatch(/^HTTP\/1\.1 400 /)
})

test('a request with a missing, repeated or invalid Host header is refused and not forwarded', async () => {
  let visits = 0
  const site = await startUpstream((_req, res) => {
    visits++
    res.end()
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const heads = [
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.0\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\nhost: other.test\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}/x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}@x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}, x\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: [::1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: [1::2::3]\r\n\r\n',
    'GET / HTTP/1.1\r\nHost:\r\n\r\n',
    'nonsense\r\n\r\n',
  ]
  for (const head of heads) expect([head, (await sendRaw(plaza, head)).slice(0, 12)]).toEqual([head, 'HTTP/1.1 400'])
  expect(visits).toBe(0)
})

test('an unknown host is 404', async () => {
  const unknown = { error: 'unknown_host', message: 'There is no site at this address.' }
  for (const host of ['nobody.apps.localhost', 'apps.localhost', 'x.y.apps.localhost', 'plaza.example']) {
    const { status, body } = await requestHost(plaza, host)
    expect([host, status, JSON.parse(body)]).toEqual([host, 404, unknown])
  }
})

test('D-126: the router searches for a deployment that it does not know yet: the first visit is held, not 404', async () => {
  const subdomain = `new${randomUUID().slice(0, 8)}`
  // Written as the API does, but without the notification.
  await plaza.db.sql`
    insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port, sealed_env,
                             memory_limit_mb, cpu_limit_millicores, next_attempt_at, inserted_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), id, 'plaza-test', 'registry.test/library/web:1', ${subdomain},
           3000, '', 128, 250, now(), now()
      from deploy_tiers where slug = 'starter'`
  const reply = await requestHost(plaza, `${subdomain}.apps.localhost`)
  expect([reply.status, JSON.parse(reply.body)]).toMatchObject([503, { error: 'starting' }])
  await plaza.db.sql`update deployments set desired = 'destroyed', status = 'destroyed' where subdomain = ${subdomain}`
})

test('a request for a starting deployment waits until it is served', async () => {
  const site = await startNamedUpstream('there')
  const { id, host } = await putDeployment(plaza, { status: 'deploying' })
  const waiting = Array.from({ length: 5 }, () => requestHost(plaza, host))
  await waitUntil(async () => (await routerHealth(plaza)).visitors === 5)
  await switchTo(plaza, id, 1, site.port)
  expect((await Promise.all(waiting)).map(({ status, body }) => [status, body])).toEqual(Array(5).fill([200, 'there']))
})

test('D-61: a custom domain is routed once it is verified, and an unverified claim has no effect', async () => {
  const [mine, thief] = [await startNamedUpstream('mine'), await startNamedUpstream('thief')]
  const proved = { custom_domain: 'shop.example', domain_verified_at: new Date() }
  await putDeployment(plaza, { endpoint_port: thief.port, custom_domain: 'claimed.example' })
  expect((await requestHost(plaza, 'claimed.example')).status).toBe(404)
  const { id } = await putDeployment(plaza, { endpoint_port: mine.port, ...proved })
  await putDeployment(plaza, { endpoint_port: thief.port, custom_domain: 'shop.example' })
  expect((await requestHost(plaza, 'Shop.Example:443')).body).toBe('mine')
  await plaza.db.sql`update deployments set domain_verified_at = null where id = ${id}::uuid`
  await plaza.db.sql`select pg_notify(${intents_channel}, ${id})`
  await waitUntil(async () => (await requestHost(plaza, 'shop.example')).status === 404)
})

test('a destroyed deployment is an unknown host, and its name is free for the next one', async () => {
  const [old, next] = [await startNamedUpstream('old'), await startNamedUpstream('next')]
  const { id, host } = await putDeployment(plaza, { subdomain: 'again', endpoint_port: old.port })
  await plaza.db.sql`update deployments set desired = 'destroyed' where id = ${id}::uuid`
  await plaza.db.sql`select pg_notify(${intents_channel}, ${id})`
  await waitUntil(async () => (await requestHost(plaza, host)).status === 404)
  await plaza.db.sql`update deployments set status = 'destroyed' where id = ${id}::uuid`
  await putDeployment(plaza, { subdomain: 'again', endpoint_port: next.port })
  await plaza.db.sql`select pg_notify(${routes_channel}, ${id})`
  await waitUntil(async () => (await requestHost(plaza, host)).body === 'next')
})

test('/ask answers for the hostnames of deployments, to local clients and under the router’s own hostnames only', async () => {
  const site = await startUpstream((req, res) => void res.end(`site ${req.url}`))
  const { host } = await putDeployment(plaza, {
    endpoint_port: site.port,
    custom_domain: 'proved.example',
    domain_verified_at: new Date(),
  })
  const { host: stopped } = await putDeployment(plaza, { desired: 'stopped', custom_domain: 'claim.example' })
  const { host: destroyed } = await putDeployment(plaza, { desired: 'destroyed' })
  const answers = async (names: string[]) =>
    Promise.all(
      names.map(async (name) => (await requestRouter(plaza, `/ask?domain=${encodeURIComponent(name)}`)).status),
    )
  expect(await answers([host, host.toUpperCase(), 'proved.example', stopped])).toEqual([200, 200, 200, 200])
  expect(
    await answers([destroyed, 'claim.example', 'apps.localhost', '', 'x y', '127.0.0.1', `${'a'.repeat(300)}.test`]),
  ).toEqual(Array(7).fill(404))
  // Deployments use these paths themselves.
  expect((await requestHost(plaza, host, { path: '/ask?domain=x' })).body).toBe('site /ask?domain=x')
  expect((await requestHost(plaza, host, { path: '/health' })).body).toBe('site /health')
  // Requests that an edge proxy forwards do not count as its own.
  for (const name of ['x-forwarded-for', 'forwarded', 'via'])
    expect((await requestRouter(plaza, `/ask?domain=${host}`, { [name]: '6.6.6.6' })).status).toBe(404)
  expect((await requestHost(plaza, 'localhost', { method: 'POST', path: `/ask?domain=${host}` })).status).toBe(404)
  expect((await requestRouter(plaza, '/api/openapi.json')).status).toBe(404)
  for (const path of ['//', '//x:y', `//h/ask?domain=${host}`])
    expect([path, (await requestRouter(plaza, path)).status]).toEqual([path, 404])
  for (const name of ['127.0.0.1', '[::1]', '10.0.0.1:3080'])
    expect((await requestHost(plaza, name, { path: `/ask?domain=${host}` })).status).toBe(200)
})

test('the router’s /health has its metrics for local clients', async () => {
  const { status, body } = await requestRouter(plaza, '/health')
  expect([status, JSON.parse(body)]).toEqual([
    200,
    { routes: expect.any(Number), listening: true, visitors: 0, websockets: 0 },
  ])
})
