import { expect, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { apiProcess, startMain } from '../test/processes.ts'
import { childrenOf, group_wait, signal, startGroup } from '../test/service-group.ts'
import { scrape } from '../test/metrics.ts'
import { waitUntil } from '../test/wait.ts'

const plaza = await startTestService()
const name = await databaseNameOf(plaza)

/** The settings of a service with several processes on the database of this file. */
async function groupSettings(env: Record<string, string> = {}) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    env: { ...apiProcess(name, { port, public_url: plaza.url }), PROCESSES: '2', LOG_LEVEL: 'info', ...env },
  }
}

/** Waits until none of these processes exists. */
const gone = (pids: readonly number[]) =>
  waitUntil(
    () => pids.every((pid) => !isAlive(pid)),
    () => `the end of ${pids.filter(isAlive).join()}`,
    group_wait,
  )

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('PROCESSES: one port, several processes that share limits, with the sum of their metrics; a killed one is replaced; SIGTERM ends all with exit code 0', async () => {
  const METRICS_PORT = String(await freePort())
  const { url, env } = await groupSettings({ RATE_LIMIT_LOGIN: '6/600', METRICS_PORT })
  const group = startGroup(env)
  await group.ready(2)
  const pids = group.servingPids()
  expect((await childrenOf(group.pid)).sort()).toEqual([...pids].sort())
  const shown = () => scrape(`http://127.0.0.1:${METRICS_PORT}/metrics`)
  // The minimum over all processes is shown.
  await waitUntil(async () => (await shown()).get('plaza_ready') === 1, 'both processes', group_wait)
  const requests = 'plaza_http_requests_total{route="/livez",method="GET",status="200"}'
  const requests_before = (await shown()).get(requests) ?? 0
  // A request id begins with a text that identifies its process.
  const origins = new Set<string>()
  for (let at = 0; at < 8; at++) {
    const reply = await fetch(`${url}/livez`, { headers: { connection: 'close' } })
    origins.add(reply.headers.get('x-request-id')?.split('-')[0] ?? '')
  }
  expect(origins.size).toBe(2)
  const series = await shown()
  expect((series.get(requests) ?? 0) - requests_before).toBe(8)
  expect(series.get('plaza_listener_connected{listener="plaza-events"}')).toBe(1)

  const statuses: number[] = []
  for (let at = 0; at < 8; at++) {
    const reply = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ email: `nobody${at}@people.test`, password: 'not the password' }),
    })
    statuses.push(reply.status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429])

  signal(pids[0] ?? 0, 'SIGKILL')
  await group.ready(3)
  expect(group.messages().filter((message) => message === 'a process has ended: another is started')).toHaveLength(1)
  const children = await childrenOf(group.pid)
  expect(children).toHaveLength(2)
  expect(children).not.toContain(pids[0])

  group.child.kill('SIGTERM')
  expect(await group.ended).toMatchObject({ code: 0, stderr: '' })
  await gone(children)
  expect(group.messages().at(-1)).toBe('stopped')
}, 200_000)

test.each<[string, Record<string, string>, RegExp]>([
  [
    'its port is taken',
    { PORT: new URL(plaza.url).port },
    /^Plaza cannot start\. Port \d+ of 127\.0\.0\.1 is used by another program, perhaps another Plaza: .*\n$/,
  ],
  [
    'the server allows fewer connections',
    { PROCESSES: '20', DATABASE_CONNECTIONS: '40' },
    /^Plaza cannot start\. PROCESSES=20 with DATABASE_CONNECTIONS=40 may open 800 connections to the database, and it allows 497: raise max_connections of the server, or lower PROCESSES or DATABASE_CONNECTIONS\.\n$/,
  ],
])(
  'a process that cannot start, because %s, ends the whole with its message, and is not tried again',
  async (_, wrong, message) => {
    const { env } = await groupSettings(wrong)
    const { code, stdout, stderr } = await startMain([], env).ended
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
    expect(stdout).not.toContain('another is started')
  },
  200_000,
)

test('PROCESSES: the hosting roles run in one more process', async () => {
  const ROUTER_PORT = String(await freePort())
  const { url, env } = await groupSettings({ ROLES: 'api,worker,router', ROUTER_PORT })
  const group = startGroup(env)
  await group.ready(3)
  expect(await childrenOf(group.pid)).toHaveLength(3)
  // No app is hosted there: the router answers.
  const asked = await fetch(`http://localhost:${ROUTER_PORT}/`, { headers: { connection: 'close' } })
  expect(asked.status).toBe(404)
  expect((await fetch(`${url}/readyz`, { headers: { connection: 'close' } })).status).toBe(200)
  group.child.kill('SIGTERM')
  expect(await group.ended).toMatchObject({ code: 0, stderr: '' })
}, 200_000)

test('a signal while the processes start ends all of them with exit code 0', async () => {
  const { env } = await groupSettings()
  const group = startGroup(env)
  await waitUntil(async () => (await childrenOf(group.pid)).length > 0, 'the first child', group_wait)
  const children = await childrenOf(group.pid)
  group.child.kill('SIGTERM')
  expect(await group.ended).toMatchObject({ code: 0, stderr: '' })
  await gone(children)
  expect(group.messages()).not.toContain('Plaza is ready')
}, 200_000)
