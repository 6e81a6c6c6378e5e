import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { intents_channel, routes_channel } from '../server/hosting/channels.ts'
import { newId } from '../server/platform/ids.ts'
import { package_root } from '../server/platform/package.ts'
import { freePort } from '../server/test/free-port.ts'
import { sleep, waitUntil } from '../server/test/wait.ts'
import { nextMessage, startChild } from './lib/child.ts'
import { note, type Figure } from './lib/figure.ts'
import { createSome, insertRunning, removeSome, restartSome } from './lib/fleet-deployments.ts'
import type { Answers, FleetWorkerConfig } from './lib/fleet-worker.ts'
import { postmasterOf, processorSeconds } from './lib/processor-time.ts'
import { getThrough } from './lib/raw.ts'
import {
  bench_secret,
  createBenchDatabase,
  median,
  startBenchService,
  type BenchDatabase,
  type Closers,
  type World,
} from './lib/world.ts'

const sizes = {
  small: Number(process.env.BENCH_FLEET_SMALL ?? 1_000),
  large: Number(process.env.BENCH_FLEET ?? 10_000),
}
const hosts = 20
/** By then every deployment has been checked: a sweep reads 1,000 rows every 3 s. */
const settle_seconds = 40
/**
 * In this time each deployment is probed once and measured twice. Both sides run for the same time, so that each does the same amount of
 * this work.
 */
const period_seconds = 30
/** New deployments in each round, which are then restarted. */
const due = 500
const rounds = 3
const switches = 60

/** Starts a server that answers for all workloads of a host. It sends first, so that a probe ends immediately. */
async function startWorkloads(closers: Closers) {
  const server = createServer((socket) => socket.on('error', () => {}).end('hello'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.add(async () => void server.close())
  return (server.address() as AddressInfo).port
}

/** Starts the worker of the simulated hosts. */
async function startFleetWorker(closers: Closers, program: string, config: FleetWorkerConfig) {
  const { child } = await startChild(closers, program, [], {
    exec_args: ['--expose-gc'],
    env: { FLEET: JSON.stringify(config) },
  })
  return {
    async stop() {
      const ended = new Promise((done) => child.once('exit', done))
      child.send('stop')
      await ended
    },
    ask<Question extends keyof Answers>(question: Question) {
      const answer = nextMessage<Answers[Question]>(child)
      child.send(question)
      return answer
    },
  }
}

/** The cost of one fleet, in microseconds of processor time. */
interface Costs {
  /** For the worker and PostgreSQL, per deployment and second. */
  idle: Spent
  /** Per restarted deployment: rolled out, drained and cleaned up. */
  restarted: Spent
  /** Per new deployment, for which a host is chosen. */
  created: Spent
  live_bytes: number
  growth: number
  /** Milliseconds from a commit to the first response that shows it. */
  switch_ms: number
  intent_ms: number
}

interface Spent {
  worker: number
  postgres: number
}

/** The result of one round of changes. */
interface Round extends Pick<Costs, 'idle' | 'created' | 'restarted'> {
  /** For the whole fleet. */
  live_bytes: number
}

/** Measures a fleet of one size. */
async function measureFleet(
  closers: Closers,
  postgres: World['postgres'],
  program: string,
  count: number,
): Promise<Costs> {
  const ports = await Promise.all(Array.from({ length: hosts }, () => startWorkloads(closers)))
  const database = await createBenchDatabase(closers, postgres, `fleet_${count}`)
  // Each round adds the deployments that are left out here, and removes them.
  const ids = await insertRunning(database, count - due, ports)
  const connection = { connectionString: database.url }
  const worker = await startFleetWorker(closers, program, { connection, secret: bench_secret, hosts, ports })
  const postmaster = await postmasterOf(postgres.folder)
  await sleep(settle_seconds * 1_000)
  const found: Round[] = []
  for (let at = 0; at < rounds; at++)
    found.push(await measureRound(database, { worker, postmaster, count, ids: ids.slice(0, due) }))
  const [switch_ms, intent_ms] = await measureRouter(closers, database, ids.at(-1)!)
  await worker.stop()
  const medianOf = (of: (round: Round) => Spent) => ({
    worker: median(found.map((round) => of(round).worker)),
    postgres: median(found.map((round) => of(round).postgres)),
  })
  const costs: Costs = {
    idle: medianOf(({ idle }) => idle),
    restarted: medianOf(({ restarted }) => restarted),
    created: medianOf(({ created }) => created),
    live_bytes: found[0]!.live_bytes,
    growth: found.at(-1)!.live_bytes / found[0]!.live_bytes,
    switch_ms,
    intent_ms,
  }
  note(`${count} deployments on ${hosts} hosts: ${JSON.stringify(costs)}, of ${JSON.stringify(found)}`)
  return costs
}

interface Measured {
  worker: Awaited<ReturnType<typeof startFleetWorker>>
  postmaster: number
  count: number
  /** The deployments to restart. */
  ids: string[]
}

/**
 * New deployments, a time without changes, and restarts, each for whole periods. The cost of a change is the difference to a quiet period.
 */
async function measureRound(database: BenchDatabase, { worker, postmaster, count, ids }: Measured): Promise<Round> {
  const spendPeriods = async (work?: () => Promise<unknown>) => {
    const [before, postgres_before] = [await worker.ask('processor'), await processorSeconds(postmaster)]
    let is_working = work !== undefined
    const done = work?.().finally(() => (is_working = false))
    let periods = 0
    do {
      await sleep(period_seconds * 1_000)
      periods++
    } while (is_working)
    await done
    const [after, postgres_after] = [await worker.ask('processor'), await processorSeconds(postmaster)]
    return { periods, worker: after - before, postgres: (postgres_after - postgres_before) * 1e6 }
  }
  const new_ids = Array.from({ length: due }, () => newId())
  const creating = await spendPeriods(() => createSome(database, new_ids))
  const quiet = await spendPeriods()
  const restarting = await spendPeriods(() => restartSome(database, ids))
  const live_bytes = await worker.ask('memory')
  await removeSome(database, new_ids)
  const beyondQuiet = (spent: Spent & { periods: number }): Spent => ({
    worker: (spent.worker - quiet.worker * spent.periods) / due,
    postgres: (spent.postgres - quiet.postgres * spent.periods) / due,
  })
  return {
    idle: { worker: quiet.worker / period_seconds / count, postgres: quiet.postgres / period_seconds / count },
    created: beyondQuiet(creating),
    restarted: beyondQuiet(restarting),
    live_bytes,
  }
}

/** Median milliseconds until a router answers after a worker's switch, and after an owner's stop and start, with all those routes. */
async function measureRouter(closers: Closers, database: BenchDatabase, id: string) {
  const port = await freePort()
  const service = await startBenchService(closers, database, {
    ROLES: 'api,router',
    ROUTER_HOST: '127.0.0.1',
    ROUTER_PORT: String(port),
  })
  const sites = await Promise.all(['one', 'two'].map((name) => startSite(closers, name)))
  const { pool } = database
  const { rows } = await pool.query<{ subdomain: string }>('select subdomain from deployments where id = $1', [id])
  const host = `${rows[0]?.subdomain}.apps.localhost`
  // The worker ignores leased deployments.
  await pool.query(
    `update deployments set lease_owner = gen_random_uuid(), lease_until = now() + interval '1 hour' where id = $1`,
    [id],
  )
  await waitUntil(() => getThrough(port, host).then(Boolean, () => false), 'a router', { timeout_ms: 60_000 })
  const timed = async (change: string, values: unknown[], is: (answer: string) => boolean) => {
    await pool.query(`with changed as (${change} returning 1) select pg_notify($2, $1::uuid::text) from changed`, [
      id,
      ...values,
    ])
    const began = performance.now()
    await waitUntil(async () => is(await getThrough(port, host)), `a response by the change`, { interval_ms: 1 })
    return performance.now() - began
  }
  const to_switch: number[] = []
  const to_intend: number[] = []
  for (let at = 0; at < switches; at++) {
    const site = sites[at % 2]!
    to_switch.push(
      await timed(
        'update deploy_instances set endpoint_port = $3 where deployment_id = $1',
        [routes_channel, site.port],
        (answer) => answer === `200 ${site.name}`,
      ),
    )
    const desired = at % 2 === 0 ? 'stopped' : 'running'
    to_intend.push(
      await timed('update deployments set desired = $3 where id = $1', [intents_channel, desired], (answer) =>
        answer.startsWith(desired === 'stopped' ? '503' : '200'),
      ),
    )
    if (desired === 'stopped')
      await timed('update deployments set desired = $3 where id = $1', [intents_channel, 'running'], (answer) =>
        answer.startsWith('200'),
      )
    await sleep(50)
  }
  await service.stop()
  return [median(to_switch), median(to_intend)] as const
}

async function startSite(closers: Closers, name: string) {
  const server = createHttpServer((_request, response) => void response.end(name))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.add(async () => void server.close())
  return { name, port: (server.address() as AddressInfo).port }
}

/** Bundles the worker as the build does, in a folder below the packages that it needs. */
async function bundleWorker(closers: Closers) {
  const folder = await mkdtemp(join(package_root, 'dist/bench-fleet-'))
  closers.add(() => rm(folder, { recursive: true, force: true }))
  const script = `import { bundle } from './scripts/build.mjs'\nawait bundle(['bench/lib/fleet-worker.ts'], ${JSON.stringify(folder)})`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: package_root })
  return join(folder, 'fleet-worker.js')
}

/** The cost per deployment for a worker with ten thousand deployments, compared with one with a thousand. */
export async function benchFleet({ closers, postgres }: World): Promise<Figure[]> {
  const program = await bundleWorker(closers)
  const small = await measureFleet(closers, postgres, program, sizes.small)
  const large = await measureFleet(closers, postgres, program, sizes.large)
  const [many, few] = [sizes.large.toLocaleString('en'), sizes.small.toLocaleString('en')]
  const figure = (what: string, unit: string, of: (costs: Costs) => number, more: Partial<Figure> = {}): Figure => ({
    name: `${what} with ${many} deployments on ${hosts} hosts`,
    ours: `${of(large).toFixed(1)} ${unit}`,
    other: `with ${few} ${of(small).toFixed(1)} ${unit}`,
    ratio: of(large) / of(small),
    must: 1.25,
    sense: 'at_most',
    ...more,
  })
  const postgresOf = (spent: (costs: Costs) => Spent) =>
    `PostgreSQL ${spent(large).postgres.toFixed(1)} µs, with ${few} ${spent(small).postgres.toFixed(1)} µs`
  return [
    figure('worker, processor time of an idle deployment a second,', 'µs', ({ idle }) => idle.worker, {
      note: postgresOf(({ idle }) => idle),
    }),
    figure('worker, processor time of a restart,', 'µs', ({ restarted }) => restarted.worker, {
      note: postgresOf(({ restarted }) => restarted),
    }),
    figure('worker, processor time of a new deployment,', 'µs', ({ created }) => created.worker),
    figure('PostgreSQL, processor time of a new deployment,', 'µs', ({ created }) => created.postgres, { must: 1.3 }),
    figure('worker, live memory', 'MB', ({ live_bytes }) => live_bytes / 1e6, {
      must: sizes.large / sizes.small,
      note: `after ${rounds} rounds of changes ${large.growth.toFixed(2)} × of it`,
    }),
    {
      name: `a switch by a worker answers at the router, with ${many} routes`,
      ours: `${large.switch_ms.toFixed(1)} ms, an owner's stop or start ${large.intent_ms.toFixed(1)} ms`,
      other: 'allowed 100 ms',
      ratio: Math.max(large.switch_ms, large.intent_ms) / 100,
      must: 1,
      sense: 'at_most',
      note: `medians of ${switches}; with ${few} routes ${small.switch_ms.toFixed(1)} and ${small.intent_ms.toFixed(1)} ms`,
    },
  ]
}
