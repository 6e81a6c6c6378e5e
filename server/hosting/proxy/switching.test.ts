import { Agent } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { countBy, startTestService } from '../../test/harness.ts'
import { freePort } from '../../test/free-port.ts'
import {
  requestRouter,
  startNamedUpstream,
  putDeployment,
  startUpstream,
  switchTo,
  requestHost,
  loggedWith,
  startFrozenUpstream,
} from '../../test/router.ts'
import { waitUntil } from '../../test/wait.ts'
import { api_and_router } from '../../test/settings.ts'

const plaza = await startTestService({ ...api_and_router, ROUTER_HOLD: '1', ROUTER_CONNECT_TIMEOUT: '1' })

const no_answer = { error: 'no_answer', message: 'This site did not answer.' }
const lines = (id: string) => loggedWith(plaza, id)

test('injection 21: 100 concurrent clients see no failure while the generation is switched back and forth', async () => {
  const sites = [await startNamedUpstream('1'), await startNamedUpstream('2')] as const
  const { id, host } = await putDeployment(plaza, { endpoint_port: sites[0].port })
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  onTestFinished(() => agent.destroy())
  let switching = true
  const answers: string[] = []
  const clients = Array.from({ length: 100 }, async (_, at) => {
    const method = at % 2 ? 'POST' : 'GET'
    for (let times = 0; switching || times < 5; times++) {
      const { status, body } = await requestHost(plaza, host, { agent, method, ...(at % 2 && { body: 'x' }) })
      answers.push(status === 200 ? body : `${status} ${body}`)
    }
  })
  for (let generation = 2; generation <= 11; generation++) {
    const site = sites[(generation + 1) % 2] as (typeof sites)[number]
    await switchTo(plaza, id, generation, site.port)
    const seen = answers.length
    await waitUntil(() => answers.length > seen + 20)
  }
  switching = false
  await Promise.all(clients)
  const counts = countBy(answers, (answer) => answer)
  expect(Object.keys(counts).sort()).toEqual(['1', '2'])
  expect(lines(id)).toEqual([])
})

test('injection 21: after a switch the router closes its connections to the old generation, which can then stop without a failed request', async () => {
  let site = await startNamedUpstream('served')
  const { id, host } = await putDeployment(plaza, { endpoint_port: site.port })
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  onTestFinished(() => agent.destroy())
  let switching = true
  const answers: number[] = []
  const clients = Array.from({ length: 20 }, async (_, at) => {
    while (switching)
      answers.push(
        (await requestHost(plaza, host, { agent, method: at % 2 ? 'POST' : 'GET', ...(at % 2 && { body: 'x' }) }))
          .status,
      )
  })
  for (let generation = 2; generation <= 8; generation++) {
    const old = site
    site = await startNamedUpstream('served')
    await switchTo(plaza, id, generation, site.port)
    const seen = answers.length
    await waitUntil(() => site.sockets.size > 0 && answers.length > seen + 20 && old.sockets.size === 0)
    await old.stop()
  }
  switching = false
  await Promise.all(clients)
  expect(countBy(answers, (status) => status)).toEqual({ 200: answers.length })
})

test('a request in progress is finished by its generation, and the next one goes to the new generation', async () => {
  let finish = () => {}
  const old = await startUpstream((req, res) => {
    if (req.url !== '/slow') return void res.end('old')
    res.write('begun by the old')
    finish = () => void res.end(', ended by the old')
  })
  const { id, host } = await putDeployment(plaza, { endpoint_port: old.port })
  const under_way = requestHost(plaza, host, { path: '/slow' })
  await waitUntil(() => String(finish).includes('ended'))
  const fresh = await startNamedUpstream('new')
  await switchTo(plaza, id, 2, fresh.port)
  await waitUntil(async () => (await requestHost(plaza, host)).body === 'new')
  finish()
  expect((await under_way).body).toBe('begun by the old, ended by the old')
})

test('a request that the old generation does not accept is sent to the new one with its body, before the notification arrives', async () => {
  const old = await startNamedUpstream('old')
  const { id, host } = await putDeployment(plaza, { endpoint_port: old.port })
  expect((await requestHost(plaza, host)).body).toBe('old')
  const fresh = await startUpstream((req, res) => void req.pipe(res))
  // No NOTIFY, as if it were delayed.
  await plaza.db.sql`
    with switched as (
      update deploy_instances set serving_generation = 2, endpoint_port = ${fresh.port} where deployment_id = ${id}::uuid
    )
    update deployments set generation = 2, serving_generation = 2 where id = ${id}::uuid`
  await old.stop()
  const body = 'x'.repeat(300_000)
  expect(await requestHost(plaza, host, { method: 'POST', body })).toMatchObject({ status: 200, body })
  expect(lines(id)).toEqual([])
})

test('a reused connection that is reset causes a retry instead of an error', async () => {
  let visits = 0
  const site = await startUpstream((req, res) => {
    visits++
    if (visits === 2) req.socket.resetAndDestroy()
    else res.end(`visit ${visits}`)
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  expect((await requestHost(plaza, host)).body).toBe('visit 1')
  expect((await requestHost(plaza, host)).body).toBe('visit 3')
})

test('a request with an unsafe method is not retried', async () => {
  let visits = 0
  const site = await startUpstream((req) => {
    visits++
    req.socket.resetAndDestroy()
  })
  const { id, host } = await putDeployment(plaza, { endpoint_port: site.port })
  const reply = await requestHost(plaza, host, { method: 'POST', body: 'pay' })
  expect([reply.status, JSON.parse(reply.body), visits]).toEqual([502, no_answer, 1])
  expect(lines(id)).toMatchObject([{ level: 'warn', why: 'ECONNRESET' }])
})

test('injection 22: an unreachable target is 502 after two attempts, and is served again when it is back', async () => {
  const port = await freePort()
  const { id, host } = await putDeployment(plaza, { endpoint_port: port })
  const page = await requestHost(plaza, host, { headers: { accept: 'text/html' } })
  expect(page).toMatchObject({ status: 502, headers: { 'content-type': 'text/html; charset=utf-8' } })
  const upload = await requestHost(plaza, host, { method: 'POST', body: 'x'.repeat(100_000) })
  expect([upload.status, JSON.parse(upload.body)]).toEqual([502, no_answer])
  expect(lines(id).map(({ why }) => why)).toEqual(['ECONNREFUSED', 'ECONNREFUSED'])
  const site = await startNamedUpstream('back')
  await switchTo(plaza, id, 2, site.port)
  await waitUntil(async () => (await requestHost(plaza, host)).body === 'back')
})

test('connecting to a target times out', async () => {
  // If its backlog is full, connections are neither accepted nor refused.
  const frozen = await startFrozenUpstream()
  await frozen.fill()
  const { id, host } = await putDeployment(plaza, { endpoint_port: frozen.port })
  const began = performance.now()
  expect((await requestHost(plaza, host)).status).toBe(502)
  // D-126: the address is not retried, which would take another second each time.
  expect(performance.now() - began).toBeLessThan(2_900)
  expect(lines(id).map(({ why }) => why)).toEqual(['ETIMEDOUT'])
})

test('a stop does not wait indefinitely for a response', async () => {
  const other = await plaza.startAnother({ SHUTDOWN_SECONDS: '1' })
  const site = await startUpstream((_req, res) => void res.write('begun'))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  await waitUntil(async () => (await requestRouter(other, `/ask?domain=${host}`)).status === 200)
  const endless = requestHost(other, host)
  await waitUntil(() => site.sockets.size === 1)
  await Promise.all([other.service.stop(), expect(endless).rejects.toMatchObject({ code: 'ECONNRESET' })])
})
