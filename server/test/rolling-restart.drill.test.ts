import { Agent, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { decisions } from '../../contract/decisions.ts'
import { getAppBalance } from '../../contract/points.ts'
import { missing_balancers, served_by, startCaddy, startHaproxy, type Backend, type Balancer } from './balancers.ts'
import { openEventReader, type EventReader } from './event-reader.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, startTestService } from './harness.ts'
import { apiProcess, startMain, untilAnswers, type Started } from './processes.ts'
import { putDeployment, startNamedUpstream } from './router.ts'
import { messageTexts, sendText, someChannel } from './social-world.ts'
import { counted, spendingWith } from './spend-load.ts'
import { sleep, waitUntil } from './wait.ts'
import { someUser, world } from './world.ts'

if (missing_balancers.length > 0 && process.env.CI === 'true')
  throw new Error(`The drill of rolling restarts needs ${missing_balancers.join(', ')}.`)
if (missing_balancers.length > 0)
  process.stderr.write(`Left out: rolling restarts need ${missing_balancers.join(', ')}.\n`)

const spenders = 2
const visitors = 2
const readers = 3

const plaza = await startTestService({ ROLES: 'api,router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' })
const { tokens } = await world(plaza, { points: 10_000_000, scopes: ['points:spend', 'app:balance:read'] })
const anna = await someUser(plaza)
const database = await databaseNameOf(plaza)

async function startService({ api_port, router_port }: Backend): Promise<Started> {
  const started = startMain([], {
    ...apiProcess(database, { port: api_port, public_url: plaza.url }),
    ROLES: 'api,router',
    ROUTER_HOST: '127.0.0.1',
    ROUTER_PORT: String(router_port),
    DRAIN_SECONDS_API: '2',
  })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  await untilAnswers(started, `http://127.0.0.1:${api_port}/readyz`)
  return started
}

interface Visit {
  /** A status, or the code of a connection error. */
  outcome: string
  /** The port of the process that responded. */
  served_by: string
}

/** Sends a request with these headers on a connection of the agent. */
const visit = (url: string, headers: Record<string, string>, agent?: Agent) =>
  new Promise<Visit>((done) => {
    const outgoing = request(url, { agent: agent ?? false, headers }, (answer) => {
      const finish = (outcome: string) => done({ outcome, served_by: String(answer.headers[served_by]) })
      answer.on('error', (error: NodeJS.ErrnoException) => finish(`answer cut off: ${error.code}`))
      answer.resume().on('end', () => finish(String(answer.statusCode)))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      done({ outcome: error.code ?? error.message, served_by: '' }),
    )
    outgoing.end()
  })

/** Visits a site repeatedly on one keep-alive connection. Without a pause, visitors would take the processors from the code under test. */
async function visitWhile(isOn: () => boolean, url: string, host: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const outcomes: Visit[] = []
  for (; isOn(); await sleep(60)) outcomes.push(await visit(url, { host }, agent))
  agent.destroy()
  return outcomes
}

/** Waits until a balancer sends requests to both ports of a process. */
async function untilUsed({ api_url, router_url }: Balancer, { api_port, router_port }: Backend, host: string) {
  const servedBy = async (url: string, headers: Record<string, string>) =>
    (await visit(`${url}/livez`, headers)).served_by
  await waitUntil(async () => (await servedBy(api_url, {})) === String(api_port), 'use of the new process')
  await waitUntil(async () => (await servedBy(router_url, { host })) === String(router_port), 'use of the new router')
}

/** Follows a channel through a balancer. A stream that ends is resumed immediately. */
function followChannel(url: string, channel_id: string) {
  const texts: unknown[] = []
  const refusals: string[] = []
  let streams = 0
  let current: EventReader | undefined
  let on = true
  const done = (async () => {
    let last_event_id = ''
    while (on) {
      const options = { channels: [channel_id], ...(last_event_id !== '' && { last_event_id }) }
      try {
        current = await openEventReader({ ...plaza, url }, anna, options)
      } catch (error) {
        refusals.push(String(error))
        continue
      }
      streams++
      if (current.status !== 200) refusals.push(String(current.status))
      await current.ended
      texts.push(...messageTexts(current.events))
      last_event_id = current.lastEventId() || last_event_id
    }
  })()
  return {
    hasSeen: (text: string) => texts.includes(text) || (current ? messageTexts(current.events).includes(text) : false),
    async stop() {
      on = false
      await current?.close()
      await done
      return { texts, refusals, streams }
    },
  }
}

/** Everything that must not fail during a restart, through one balancer. */
function startLoad({ api_url, router_url }: Balancer, channel_id: string, host: string) {
  const state = { on: true }
  const isOn = () => state.on
  const spending = spendingWith(tokens.access_token).spendOn(api_url, spenders, isOn)
  const visiting = Promise.all(Array.from({ length: visitors }, () => visitWhile(isOn, router_url, host)))
  const following = Array.from({ length: readers }, () => followChannel(api_url, channel_id))
  return {
    following,
    async stop() {
      state.on = false
      const [spends, visits] = await Promise.all([spending, visiting])
      return { spends, visits: visits.flat(), streams: await Promise.all(following.map((reader) => reader.stop())) }
    },
  }
}

const failed = (outcomes: readonly { outcome: string }[]) => outcomes.filter(({ outcome }) => outcome !== '200').length

test.runIf(missing_balancers.length === 0)(
  'D-93: two processes are restarted in turn behind Caddy and behind HAProxy: no spend, no visitor and no event is lost',
  async () => {
    expect(decisions.draining.drain_seconds).toBe(5)
    const site = await startNamedUpstream('site')
    const { host } = await putDeployment(plaza, { endpoint_port: site.port })
    const channel_id = await someChannel(anna)
    const backends: Backend[] = []
    for (let at = 0; at < 2; at++) backends.push({ api_port: await freePort(), router_port: await freePort() })
    const services = await Promise.all(backends.map(startService))
    const balancers = [await startCaddy(backends), await startHaproxy(backends)]
    for (const balancer of balancers) for (const backend of backends) await untilUsed(balancer, backend, host)

    const before = (await tokens.api.result(getAppBalance)).points
    const loads = balancers.map((balancer) => startLoad(balancer, channel_id, host))
    const messages: string[] = []
    const writing = { on: true }
    const written = (async () => {
      for (; writing.on; await sleep(50)) {
        messages.push(`message ${messages.length}`)
        await sendText(anna, channel_id, messages.at(-1)!)
      }
    })()
    for (const [at, service] of services.entries()) {
      service.child.kill('SIGTERM')
      const { code } = await service.ended
      expect([at, code]).toEqual([at, 0])
      const backend = backends[at]!
      await startService(backend)
      // As an operator does: restarts the next process when this one is in use again.
      for (const balancer of balancers) await untilUsed(balancer, backend, host)
    }
    writing.on = false
    await written
    const last = messages.at(-1)!
    await waitUntil(
      () => loads.every(({ following }) => following.every(({ hasSeen }) => hasSeen(last))),
      'the last event',
    )
    const results = await Promise.all(loads.map((load) => load.stop()))

    for (const [at, { spends, visits, streams }] of results.entries()) {
      const { name } = balancers[at]!
      const opened = streams.reduce((sum, stream) => sum + stream.streams, 0)
      process.stdout.write(
        `rolling restart behind ${name}: ${services.length} restarts, ${spends.length} spends (${failed(spends)} failed), ` +
          `${visits.length} visits (${failed(visits)} failed), ${opened} streams resumed by ${readers} readers, ` +
          `${messages.length} events to each (${streams.flatMap(({ refusals }) => refusals).length} refusals)\n`,
      )
    }
    for (const { spends, visits, streams } of results) {
      expect(counted(spends)).toEqual({ '200': spends.length })
      expect(failed(visits)).toBe(0)
      expect(Math.min(spends.length, visits.length)).toBeGreaterThan(100)
      for (const { texts, refusals, streams: opened } of streams) {
        expect(refusals).toEqual([])
        expect(opened).toBeGreaterThan(1)
        expect(texts).toEqual(messages.slice(messages.indexOf(texts[0] as string)))
      }
    }
    const spent = results.flatMap(({ spends }) => spends).length
    expect((await tokens.api.result(getAppBalance)).points - before).toBe(spent)
  },
  900_000,
)
