import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { decisions } from '../../contract/decisions.ts'
import { getAppBalance } from '../../contract/points.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { openEventReader } from './event-reader.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, startTestService } from './harness.ts'
import { apiProcess, startMain, startProcess, type Started } from './processes.ts'
import { counted, spendingWith } from './spend-load.ts'
import { isOk, sleep, waitUntil } from './wait.ts'
import { world } from './world.ts'

const plaza = await startTestService()
const { user, tokens } = await world(plaza, { points: 1_000_000, scopes: ['points:spend', 'app:balance:read'] })
const name = await databaseNameOf(plaza)

/** Starts a process of the service on the database of this file, and waits until it is ready. */
async function startService(port: number, env: Record<string, string> = {}): Promise<Started> {
  const started = startMain([], {
    ...apiProcess(name, { port, public_url: plaza.url }),
    DRAIN_SECONDS_API: '2',
    ...env,
  })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  await ready(port)
  return started
}

const isReady = (port: number) => isOk(`http://127.0.0.1:${port}/readyz`)

/** Waits long: a process starts slowly on a machine that is busy with other tests. */
const ready = (port: number) => waitUntil(() => isReady(port), 'a process that is ready', { interval_ms: 50 })

const { spend, spendOn, sent } = spendingWith(tokens.access_token)

const caddy = spawnSync('caddy', ['version']).status === 0
if (!caddy && process.env.CI === 'true') throw new Error('The test of a rolling restart needs caddy.')
if (!caddy) process.stderr.write('Left out: a rolling restart behind caddy needs caddy.\n')

const served_by = 'x-served-by'

/**
 * Starts Caddy as a load balancer with a health check of `/readyz` and a header that names the upstream. The policy is not
 * round robin: with that, Caddy 2.6 responds 503 when concurrent requests make it select an unavailable upstream twice.
 */
async function startCaddy(ports: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-caddy-'))
  const port = await freePort()
  const to = ports.map((upstream) => `127.0.0.1:${upstream}`).join(' ')
  await writeFile(
    join(folder, 'Caddyfile'),
    `{\n admin off\n auto_https off\n}\nhttp://127.0.0.1:${port} {\n bind 127.0.0.1\n reverse_proxy ${to} {\n` +
      '  lb_policy least_conn\n  health_uri /readyz\n  health_interval 200ms\n  health_timeout 10s\n' +
      `  header_down ${served_by} {http.reverse_proxy.upstream.hostport}\n }\n}\n`,
  )
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const started = startProcess('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], home)
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.ended
    await rm(folder, { recursive: true, force: true })
  })
  await ready(port)
  return `http://127.0.0.1:${port}`
}

const servedBy = async (url: string) => (await fetch(`${url}/livez`)).headers.get(served_by) ?? ''

test('D-93: a rolling restart of two processes behind load balancers loses no request', async () => {
  expect(decisions['D-93'].value.drain_seconds).toBe(5)
  const ports = [await freePort(), await freePort()]
  const services = await Promise.all(ports.map((port) => startService(port)))
  const balancer = await startLoadBalancer(ports)
  onTestFinished(() => balancer.close())
  const caddy_url = caddy ? await startCaddy(ports) : undefined
  const urls = [balancer.url, ...(caddy_url === undefined ? [] : [caddy_url])]
  await waitUntil(() => ports.every(balancer.isReady), 'readiness of both')

  const before = (await tokens.api.result(getAppBalance)).points
  const load = { on: true }
  const spending = urls.map((url) => spendOn(url, 8, () => load.on))
  for (const [at, port] of [...ports, ...ports].entries()) {
    const service = services[at % 2] as Started
    service.child.kill('SIGTERM')
    const { code, stderr } = await service.ended
    expect([code, stderr]).toEqual([0, ''])
    services[at % 2] = await startService(port)
    await waitUntil(() => balancer.isReady(port), 'use of the new process')
    // A rolling restart waits until the load balancer uses the new process.
    if (caddy_url !== undefined)
      await waitUntil(async () => (await servedBy(caddy_url)).endsWith(`:${port}`), 'use of the new process by caddy')
  }
  load.on = false
  const outcomes = await Promise.all(spending)
  for (const some of outcomes) {
    expect(counted(some)).toEqual({ '200': some.length })
    expect(some.length).toBeGreaterThan(100)
  }
  expect((await tokens.api.result(getAppBalance)).points - before).toBe(outcomes.flat().length)
}, 400_000)

test('D-93: keep-alive connections to a stopping process are served with Connection: close, and none is reset', async () => {
  const port = await freePort()
  const service = await startService(port)
  const url = `http://127.0.0.1:${port}`
  const reader = await openEventReader({ ...plaza, url }, user)
  const idle = new Agent({ keepAlive: true })
  expect(await spend(url, idle, 'before')).toMatchObject({ outcome: '200', connection: 'keep-alive' })

  const before = sent()
  let asked = false
  const spending = spendOn(url, 64, (last) => !(asked && last?.outcome === 'ECONNREFUSED'))
  await waitUntil(() => sent() > before + 64, 'load')
  service.child.kill('SIGTERM')
  await waitUntil(async () => !(await isReady(port)), '503 from readyz')
  asked = true
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
    status: 'not_ready',
    checks: expect.arrayContaining([{ name: 'process', status: 'failed', reason: 'stopping' }]),
  })
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  // A connection that was idle until now still works, and gets `Connection: close`.
  expect(await spend(url, idle, 'during')).toMatchObject({ outcome: '200', connection: 'close' })
  expect(reader.text()).not.toContain('stopping')

  const outcomes = await spending
  const { '200': served = 0, ...others } = counted(outcomes)
  expect(others.ECONNREFUSED).toBe(64)
  // At most one connection that the kernel had accepted and the process had not yet taken when it exited.
  const { ECONNREFUSED: _, ECONNRESET: not_taken = 0, ...lost } = others
  expect(lost).toEqual({})
  expect(not_taken).toBeLessThanOrEqual(1)
  expect(outcomes.filter(({ connection }) => connection === 'close').length).toBeGreaterThan(64)
  expect(served).toBeGreaterThan(64)
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' })

  // The stream ended properly, with an id to resume from on another process.
  await reader.ended
  expect(reader.text()).toMatch(/: the service is stopping\n\n$/)
  const resumed = await openEventReader(plaza, user, { last_event_id: reader.lastEventId() })
  await resumed.close()
})

test('a second signal ends the process at once', async () => {
  const port = await freePort()
  const service = await startService(port, { DRAIN_SECONDS_API: '60' })
  service.child.kill('SIGTERM')
  // npm forwards the same signal immediately after the first.
  service.child.kill('SIGTERM')
  await waitUntil(async () => !(await isReady(port)), '503 from readyz')
  expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
  await sleep(1_100)
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({
    code: 1,
    stderr: 'Plaza was asked to stop a second time: it ends at once.\n',
  })
})
