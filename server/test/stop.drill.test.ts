import { Agent } from 'node:http'
import { availableParallelism } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { openEventReader } from './event-reader.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, startTestService } from './harness.ts'
import { apiProcess, startMain, type Started } from './processes.ts'
import { counted, spendingWith } from './spend-load.ts'
import { isOk, sleep, waitUntil } from './wait.ts'
import { world } from './world.ts'

const plaza = await startTestService()
const { user, tokens } = await world(plaza, { points: 1_000_000, scopes: ['points:spend'] })
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

test('D-93: keep-alive connections to a stopping process are served with Connection: close, and none is reset', async () => {
  const port = await freePort()
  // Long enough for all that is asked during the drain, on a busy machine too.
  const service = await startService(port, { DRAIN_SECONDS_API: '10' })
  const url = `http://127.0.0.1:${port}`
  const reader = await openEventReader({ ...plaza, url }, user)
  const idle = new Agent({ keepAlive: true })
  expect(await spend(url, idle, 'before')).toMatchObject({ outcome: '200', connection: 'keep-alive' })

  const before = sent()
  let asked = false
  const spending = spendOn(url, 64, (last) => !(asked && last?.outcome === 'ECONNREFUSED'), 100)
  await waitUntil(() => sent() > before + 64, 'load')
  service.child.kill('SIGTERM')
  await waitUntil(async () => !(await isReady(port)), '503 from readyz')
  asked = true
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
    status: 'not_ready',
    checks: expect.arrayContaining([{ name: 'process', status: 'failed', reason: null }]),
  })
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  // A connection that was idle until now still works, and gets `Connection: close`.
  expect(await spend(url, idle, 'during')).toMatchObject({ outcome: '200', connection: 'close' })
  expect(reader.text()).not.toContain('stopping')

  const outcomes = await spending
  const { '200': served = 0, ...others } = counted(outcomes)
  expect(others.ECONNREFUSED).toBe(64)
  // The process had not taken these connections when it exited: one in the backlog, and those whose handshakes the processors did meanwhile.
  const { ECONNREFUSED: _, ECONNRESET: not_taken = 0, ...lost } = others
  expect(lost).toEqual({})
  expect(not_taken).toBeLessThanOrEqual(1 + availableParallelism())
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
