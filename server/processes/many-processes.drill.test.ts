import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { getAppBalance } from '../../contract/points.ts'
import { openEventReader } from '../test/event-reader.ts'
import { freePort } from '../test/free-port.ts'
import { runGuide } from '../test/guide.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { inParallel } from '../test/in-parallel.ts'
import { apiProcess } from '../test/processes.ts'
import { childrenOf, group_wait, signal, startGroup } from '../test/service-group.ts'
import { counted, spendingWith, type Outcome } from '../test/spend-load.ts'
import { isOk, sleep, waitUntil } from '../test/wait.ts'
import { theAdmin, world } from '../test/world.ts'

const plaza = await startTestService()
const name = await databaseNameOf(plaza)

/** A service with two processes. */
async function someGroup() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const group = startGroup({ ...apiProcess(name, { port, public_url: plaza.url }), PROCESSES: '2', LOG_LEVEL: 'info' })
  await group.ready(2)
  return { url, group }
}

/** The group of all tests except those of a stop. */
const { url, group } = await someGroup()

async function someSpender() {
  const { user, tokens } = await world(plaza, { points: 1_000_000, scopes: ['points:spend', 'app:balance:read'] })
  const spending = spendingWith(tokens.access_token)
  const earned = async () => (await tokens.api.result(getAppBalance)).points
  return { user, spending, earned }
}

/** The processes of the group that currently serve, newest last. */
async function servingNow() {
  const children = await childrenOf(group.pid)
  return group.servingPids().filter((pid) => children.includes(pid))
}

/** Calls readyz on new connections, like a balancer, until `stop`; returns all answers other than 200. */
function probing(url: string) {
  let on = true
  let asked = 0
  let failed = 0
  const done = (async () => {
    for (; on; asked++) {
      if (!(await isOk(`${url}/readyz`))) failed++
      await sleep(100)
    }
  })()
  return async () => {
    on = false
    await done
    return { asked, failed }
  }
}

test('SIGHUP replaces every process under load: no request fails, readyz stays 200, and event streams resume', async () => {
  const { user, spending, earned } = await someSpender()
  const old = group.servingPids()
  const reader = await openEventReader({ ...plaza, url }, user)
  const load = { on: true }
  const outcomes = spending.spendOn(url, 16, () => load.on)
  const stopProbing = probing(url)
  await waitUntil(() => spending.sent() > 200, 'load', group_wait)
  const reload = await runGuide('sizing.md', 'replace-processes', { PLAZA_PID: String(group.pid) })
  expect(reload).toMatchObject({ code: 0, stderr: '' })
  await waitUntil(() => group.messages().includes('every process was replaced'), 'the replacement', group_wait)
  const at_replacement = spending.sent()
  await waitUntil(() => spending.sent() > at_replacement + 200, 'more load', group_wait)
  load.on = false
  const all = await outcomes
  const probes = await stopProbing()

  expect(counted(all)).toEqual({ '200': all.length })
  expect(await earned()).toBe(all.length)
  expect(probes.failed).toBe(0)
  expect(probes.asked).toBeGreaterThan(10)
  const now = await childrenOf(group.pid)
  expect(now).toHaveLength(2)
  expect(now.filter((pid) => old.includes(pid))).toEqual([])
  // The new process was ready before the old one stopped.
  const steps = group.messages().filter((message) => ['a process is ready', 'stopped'].includes(message))
  expect(steps).toEqual([
    'a process is ready',
    'a process is ready',
    'a process is ready',
    'stopped',
    'a process is ready',
    'stopped',
  ])
  await reader.ended
  expect(reader.text()).toMatch(/: the service is stopping\n\n$/)
  const resumed = await openEventReader({ ...plaza, url }, user, { last_event_id: reader.lastEventId() })
  expect(resumed.status).toBe(200)
  await resumed.close()
  process.stdout.write(
    `SIGHUP: ${all.length} spends and ${probes.asked} probes during the replacement of 2 processes\n`,
  )
}, 300_000)

test('SIGKILL of one process under load: only its open connections fail, and the ledger is exact', async () => {
  const { user, spending, earned } = await someSpender()
  const served = group.servingPids().length
  const connections = 32
  const load = { on: true }
  const spent = spending.spendOn(url, connections, () => load.on)
  await waitUntil(() => spending.sent() > 200, 'load', group_wait)
  const [victim = 0] = await servingNow()
  // Requests of every connection wait for this row, so both processes have some at the kill.
  const holder = await plaza.db.pool.connect()
  await holder.query('begin')
  await holder.query('update point_accounts set credited = credited where id = $1', [user.id])
  await waitUntil(() => spending.open() === connections, 'requests that wait', group_wait)
  signal(victim, 'SIGKILL')
  await holder.query('rollback')
  holder.release()
  await group.ready(served + 1)
  const at_restart = spending.sent()
  await waitUntil(() => spending.sent() > at_restart + 200, 'more load', group_wait)
  load.on = false
  const all = await spent

  const { '200': acknowledged = 0, ...failed } = counted(all)
  const failures = all.filter(({ outcome }) => outcome !== '200')
  // At most one request was open on each connection.
  expect(failures.length).toBeGreaterThan(0)
  expect(failures.length).toBeLessThanOrEqual(connections)
  expect(Object.keys(failed).filter((outcome) => !/ECONNRESET|EPIPE/.test(outcome))).toEqual([])
  const booked = await earned()
  expect(booked).toBeGreaterThanOrEqual(acknowledged)
  expect(booked).toBeLessThanOrEqual(all.length)
  // A repetition with the same key books what was not booked, and nothing twice.
  const repeated: Outcome[] = []
  const agent = new Agent({ keepAlive: true })
  await inParallel(8, failures, async ({ key }) => void repeated.push(await spending.spend(url, agent, key)))
  agent.destroy()
  expect(counted(repeated)).toEqual({ '200': failures.length })
  expect(await earned()).toBe(all.length)
  const admin = await theAdmin(plaza)
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
  process.stdout.write(`SIGKILL of one of 2: ${all.length} spends, failed ${JSON.stringify(failed)}\n`)
}, 300_000)

test('a connection that was passed to a process which dies before accepting it ends instead of hanging', async () => {
  const served = group.servingPids().length
  const [frozen = 0] = await servingNow()
  signal(frozen, 'SIGSTOP')
  const { hostname, port } = new URL(url)
  const open = Array.from({ length: 4 }, () => {
    const socket = connect(Number(port), hostname)
    const seen = { text: '', has_ended: false }
    socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => (seen.has_ended = true))
    socket.write('GET /livez HTTP/1.1\r\nHost: plaza\r\nConnection: close\r\n\r\n')
    return seen
  })
  const waiting = () => open.filter(({ has_ended }) => !has_ended)
  // The frozen process gets one connection, and no other until it has accepted that.
  await waitUntil(() => waiting().length === 1, 'the answers of the other process', group_wait)
  signal(frozen, 'SIGKILL')
  await waitUntil(() => waiting().length === 0, 'the end of the connection', group_wait)
  expect(open.filter(({ text }) => text.startsWith('HTTP/1.1 200'))).toHaveLength(3)
  await group.ready(served + 1)
}, 200_000)

test('when the process that started the others is killed, none remains', async () => {
  const children = await childrenOf(group.pid)
  expect(children).toHaveLength(2)
  group.child.kill('SIGKILL')
  await group.ended
  await waitUntil(async () => !(await isOk(`${url}/livez`)), 'a free port', group_wait)
  const left = async () => (await Promise.all(children.map(nameOf))).filter((command) => command.includes('main.js'))
  await waitUntil(async () => (await left()).length === 0, 'the end of the children', group_wait)
}, 200_000)

test.each([{ forked: 'just' }, { forked: 'and has loaded' }])(
  'O11: SIGTERM while a successor $forked starts stops both generations within the time for a drain',
  async ({ forked }) => {
    const stopped = await someGroup()
    const { pid, ended } = stopped.group
    const old = await childrenOf(pid)
    signal(pid, 'SIGHUP')
    await waitUntil(async () => (await childrenOf(pid)).length > old.length, 'a successor', { interval_ms: 5 })
    if (forked !== 'just') await sleep(200)
    signal(pid, 'SIGHUP')
    signal(pid, 'SIGTERM')
    const stopped_at = performance.now()
    const all = await childrenOf(pid)
    expect(await ended).toMatchObject({ code: 0 })
    // DRAIN_SECONDS_API is 1. A process that does not stop is killed after 36 s.
    expect(performance.now() - stopped_at).toBeLessThan(15_000)
    expect(await isOk(`${stopped.url}/livez`)).toBe(false)
    for (const child of all) expect(() => process.kill(child, 0)).toThrow('ESRCH')
  },
  300_000,
)

const nameOf = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
