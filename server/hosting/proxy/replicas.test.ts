import { expect, test } from 'vitest'
import { countBy, startTestService } from '../../test/harness.ts'
import { freePort } from '../../test/free-port.ts'
import {
  addReplicas,
  putDeployment,
  requestHost,
  startNamedUpstream,
  startUpstream,
  startFrozenUpstream,
} from '../../test/router.ts'
import { waitUntil } from '../../test/wait.ts'
import { routes_channel } from '../channels.ts'
import { api_and_router } from '../../test/settings.ts'

const plaza = await startTestService({ ...api_and_router, ROUTER_HOLD: '1', ROUTER_CONNECT_TIMEOUT: '1' })
const { db } = plaza

const ask = (host: string, method = 'GET') =>
  requestHost(plaza, host, { method }).then(({ status, body }) => (status === 200 ? body : `${status} ${body}`))

test('D-105: requests are spread over all replicas, and go to the one with the fewest open', async () => {
  const held: (() => void)[] = []
  const slow = await startUpstream((req, res) => {
    if (req.url === '/slow') held.push(() => res.end('slow'))
    else res.end('a')
  })
  const others = [await startNamedUpstream('b'), await startNamedUpstream('c')]
  const site = await putDeployment(plaza, { endpoint_port: slow.port })
  await addReplicas(
    plaza,
    site,
    others.map(({ port }) => port),
  )
  const seen = new Set<string>()
  await waitUntil(async () => seen.add(await ask(site.host)).size === 3)
  const counts = countBy(await Promise.all(Array.from({ length: 30 }, () => ask(site.host))), (name) => name)
  expect(Object.keys(counts).sort()).toEqual(['a', 'b', 'c'])
  // The first replica holds every third request open, and then gets none of the others.
  const open = Array.from({ length: 9 }, () => requestHost(plaza, site.host, { path: '/slow' }))
  await waitUntil(() => held.length > 0)
  const quick = []
  for (let at = 0; at < 12; at++) quick.push(await ask(site.host))
  expect(new Set(quick)).toEqual(new Set(['b', 'c']))
  for (const end of held.splice(0)) end()
  await Promise.all(open)
})

test('D-105: a replica that refuses connections is left out; no request fails, sent once or twice', async () => {
  const works = await startNamedUpstream('works')
  const site = await putDeployment(plaza, { endpoint_port: works.port })
  await addReplicas(plaza, site, [await freePort(), await freePort()])
  await waitUntil(
    async () => (await db.sql`select 1 from deploy_instances where deployment_id = ${site.id}`).length === 3,
  )
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => ask(site.host, at % 2 === 0 ? 'GET' : 'POST')),
  )
  expect(countBy(answers, (answer) => answer)).toEqual({ works: 40 })
})

test('D-105: an unhealthy replica gets requests only if no other is left; the others serve meanwhile', async () => {
  const [one, two] = [await startNamedUpstream('one'), await startNamedUpstream('two')]
  const site = await putDeployment(plaza, { endpoint_port: one.port })
  await addReplicas(plaza, site, [two.port])
  await waitUntil(async () => (await ask(site.host)) === 'two')
  await db.sql`
    with written as (
      update deploy_instances set health_status = 'unhealthy' where deployment_id = ${site.id} and number = 2 returning 1
    )
    select pg_notify(${routes_channel}, ${site.id}) from written`
  let in_a_row = 0
  await waitUntil(async () => (in_a_row = (await ask(site.host)) === 'one' ? in_a_row + 1 : 0) === 10)
  await db.sql`
    with written as (
      update deploy_instances set endpoint_host = null, endpoint_port = null where deployment_id = ${site.id} and number = 1
      returning 1
    )
    select pg_notify(${routes_channel}, ${site.id}) from written`
  await waitUntil(async () => (await ask(site.host)) === 'two')
})

test('D-105: requests to a replica whose host is gone are sent to another one; those to a slow replica are not', async () => {
  const busy = await startFrozenUpstream()
  const busy_site = await putDeployment(plaza, { endpoint_port: busy.port })
  const busy_answers = Promise.all([ask(busy_site.host), ask(busy_site.host, 'POST')])
  const frozen = await startFrozenUpstream()
  const works = await startNamedUpstream('works')
  const site = await putDeployment(plaza, { endpoint_port: frozen.port })
  const on_its_way = ask(site.host)
  await addReplicas(plaza, site, [works.port])
  await waitUntil(async () => (await ask(site.host)) === 'works')
  const slow = await startFrozenUpstream()
  const slow_site = await putDeployment(plaza, { endpoint_port: slow.port })
  const slow_answer = ask(slow_site.host)
  await addReplicas(plaza, slow_site, [works.port])
  await busy.fill()
  await frozen.fill()
  expect(await on_its_way).toBe('works')
  // It accepted connections all the time.
  slow.resume()
  expect(await slow_answer).toBe('frozen')
  // No other replica can answer, and its host still refuses connections to other ports.
  busy.resume()
  expect(await busy_answers).toEqual(['frozen', 'frozen'])
})
