import { Agent } from 'node:http'
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { openEventReader } from './event-reader.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, startTestService } from './harness.ts'
import { apiProcess, startServing } from './processes.ts'
import { counted, spendingWith } from './spend-load.ts'
import { isOk, sleep, waitUntil } from './wait.ts'
import { world } from './world.ts'

const plaza = await startTestService()
const { user, tokens } = await world(plaza, { points: 1_000_000, scopes: ['points:spend'] })
const name = await databaseNameOf(plaza)

/** Starts a service process on the database of this file, with this drain time in seconds. */
const startService = async (DRAIN_SECONDS_API: string) =>
  startServing({ ...apiProcess(name, { port: await freePort(), public_url: plaza.url }), DRAIN_SECONDS_API })

const isReady = (url: string) => isOk(`${url}/readyz`)

const { spend, spendOn, sent } = spendingWith(tokens.access_token)

test('D-93: keep-alive connections to a stopping process are served with Connection: close, and none is reset', async () => {
  // Long enough for all requests during the drain, even on a busy machine.
  const service = await startService('10')
  const { url } = service
  const reader = await openEventReader({ ...plaza, url }, user)
  const idle = new Agent({ keepAlive: true })
  expect(await spend(url, idle, 'before')).toMatchObject({ outcome: '200', connection: 'keep-alive' })

  const before = sent()
  let asked = false
  const spending = spendOn(
    url,
    64,
    (last) => !(asked && last?.outcome === 'ECONNREFUSED'),
    () => 100,
  )
  await waitUntil(() => sent() > before + 64, 'load')
  service.child.kill('SIGTERM')
  await waitUntil(async () => !(await isReady(service.url)), '503 from readyz')
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
  // The process had not accepted these connections when it exited: one in the backlog, and those whose handshakes completed meanwhile.
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

test('a second signal ends the process immediately', async () => {
  const service = await startService('60')
  service.child.kill('SIGTERM')
  // npm forwards the same signal immediately after the first.
  service.child.kill('SIGTERM')
  await waitUntil(async () => !(await isReady(service.url)), '503 from readyz')
  expect((await fetch(`${service.url}/livez`)).status).toBe(200)
  await sleep(1_100)
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({
    code: 1,
    stderr: 'Plaza was asked to stop a second time: it ends at once.\n',
  })
})
