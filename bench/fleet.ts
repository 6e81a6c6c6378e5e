import { execFile, fork } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { environmentKeys } from '../server/hosting/api/service.ts'
import { sealEnv } from '../server/hosting/api/sealing.rules.ts'
import { intents_channel, routes_channel } from '../server/hosting/channels.ts'
import { newId } from '../server/platform/ids.ts'
import { package_root } from '../server/platform/package.ts'
import { freePort } from '../server/test/free-port.ts'
import { waitUntil } from '../server/test/wait.ts'
import { note, type Figure } from './lib/figure.ts'
import type { FleetWorkerConfig, Used } from './lib/fleet-worker.ts'
import { postmasterOf, processorSeconds } from './lib/processor-time.ts'
import { getThrough } from './lib/raw.ts'
import {
  bench_secret,
  createBenchDatabase,
  median,
  startBenchService,
  type BenchDatabase,
  type Closers,
} from './lib/world.ts'

const sizes = {
  small: Number(process.env.BENCH_FLEET_SMALL ?? 1_000),
  large: Number(process.env.BENCH_FLEET ?? 10_000),
}
const hosts = 20
const idle_seconds = Number(process.env.BENCH_SECONDS ?? 60)
/** Then every deployment has been looked at: a sweep reads 1,000 rows each 3 s. */
const settle_seconds = 40
const due = 500
const rounds = 3
const switches = 60

/** Starts what answers in place of all workloads of a host. It greets, so that a probe ends at once. */
async function startWorkloads(closers: Closers) {
  const server = createServer((socket) => socket.on('error', () => {}).end('hello'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.add(async () => void server.close())
  return (server.address() as AddressInfo).port
}

/** Inserts deployments of ten for each app that run on the hosts, a twentieth on each. */
async function insertRunning({ pool }: BenchDatabase, count: number, ports: readonly number[]) {
  const keys = environmentKeys([bench_secret])
  const ids = Array.from({ length: count }, () => newId())
  for (let from = 0; from < count; from += 1_000) {
    const some = ids.slice(from, from + 1_000)
    await pool.query(
      `insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                                sealed_env, memory_limit_mb, cpu_limit_millicores, status, health_status, host_server, generation,
                                serving_generation, endpoint_host, endpoint_port, next_attempt_at, inserted_at)
       select d.id, md5('app' || (d.n / 10))::uuid, md5('owner' || (d.n / 10))::uuid, t.id, 'plaza-' || d.id,
              'registry.test/fleet/web:1', 'fleet-' || d.n, 3000, d.env, 64, 50, 'running', 'healthy', 'host' || (d.n % $4 + 1), 1, 1,
              '127.0.0.1', ($5::integer[])[d.n % $4 + 1], 'infinity', now()
         from unnest($1::uuid[], $2::bytea[]) with ordinality as given(id, env, place),
              lateral (select given.id, given.env, given.place::integer - 1 + $3::integer as n) d, deploy_tiers t
        where t.slug = 'starter'`,
      [some, some.map((id) => sealEnv(keys, id, {})), from, hosts, ports],
    )
  }
  // The release that each was made of, as the API writes it.
  await pool.query(`
    insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, deploy_tier_id, memory_limit_mb,
                                 cpu_limit_millicores, port, sealed_env, served_at, inserted_at)
    select gen_random_uuid(), id, 1, 'current', true, container_image, deploy_tier_id, memory_limit_mb, cpu_limit_millicores,
           port, sealed_env, now(), now()
      from deployments`)
  await pool.query('vacuum analyze')
  return ids
}

/** Starts the worker of the simulated hosts. */
async function startFleetWorker(closers: Closers, program: string, config: FleetWorkerConfig) {
  const child = fork(program, [], { execArgv: ['--expose-gc'], env: { ...process.env, FLEET: JSON.stringify(config) } })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = async () => {
    if (child.connected) child.send('stop')
    await ended
  }
  closers.add(stop)
  const next = <Message>() =>
    new Promise<Message>((done) => child.once('message', (message) => done(message as Message)))
  await next()
  return {
    stop,
    used() {
      const answer = next<Used>()
      child.send('used')
      return answer
    },
  }
}

const sleep = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000))

/** What one fleet cost, in microseconds of processor time. */
interface Costs {
  /** Of the worker and of PostgreSQL, for each deployment and second. */
  idle: Spent
  /** For each deployment that is restarted: rolled out, drained and cleaned up. */
  restarted: Spent
  /** For each new deployment, which a host is chosen for. */
  created: Spent
  live_bytes: number
  growth: number
  /** Milliseconds from a commit to the first response by it. */
  switch_ms: number
  intent_ms: number
}

interface Spent {
  worker: number
  postgres: number
}

/** Measures a fleet of one size. */
async function measureFleet(
  closers: Closers,
  { folder, ...server }: Postgres,
  program: string,
  count: number,
): Promise<Costs> {
  const ports = await Promise.all(Array.from({ length: hosts }, () => startWorkloads(closers)))
  const database = await createBenchDatabase(closers, server, `fleet_${count}`)
  const ids = await insertRunning(database, count, ports)
  const worker = await startFleetWorker(closers, program, {
    connection: { connectionString: database.url },
    secret: bench_secret,
    hosts,
    ports,
  })
  const postmaster = await postmasterOf(folder)
  const spend = async (work: () => Promise<unknown>) => {
    const [before, postgres_before] = [await worker.used(), await processorSeconds(postmaster)]
    const began = performance.now()
    await work()
    const [after, postgres_after] = [await worker.used(), await processorSeconds(postmaster)]
    return {
      seconds: (performance.now() - began) / 1000,
      worker: after.processor_us - before.processor_us,
      postgres: (postgres_after - postgres_before) * 1e6,
    }
  }
  await sleep(settle_seconds)
  const { live_bytes } = await worker.used()
  const idle = await spend(() => sleep(idle_seconds))
  const grown = (await worker.used()).live_bytes
  /** What some work cost beyond what the fleet costs while it does nothing, for each of so many. */
  const beyondIdle = async (each: number, work: () => Promise<unknown>): Promise<Spent> => {
    const spent = await spend(work)
    const over = (side: 'worker' | 'postgres') => (spent[side] - (idle[side] / idle.seconds) * spent.seconds) / each
    return { worker: over('worker'), postgres: over('postgres') }
  }
  // What the fleet costs while it does nothing varies by as much as some restarts cost.
  const restarts: Spent[] = []
  for (let round = 0; round < rounds; round++)
    restarts.push(await beyondIdle(due, () => restartSome(database, ids.slice(0, due))))
  const restarted = {
    worker: median(restarts.map((each) => each.worker)),
    postgres: median(restarts.map((each) => each.postgres)),
  }
  const created = await beyondIdle(due, () => createSome(database))
  const [switch_ms, intent_ms] = await measureRouter(closers, database, ids.at(-1)!)
  await worker.stop()
  const perDeployment = (spent: number) => spent / idle.seconds / count
  const costs: Costs = {
    idle: { worker: perDeployment(idle.worker), postgres: perDeployment(idle.postgres) },
    restarted,
    created,
    live_bytes,
    growth: grown / live_bytes,
    switch_ms,
    intent_ms,
  }
  note(`${count} deployments on ${hosts} hosts: ${JSON.stringify(costs)}`)
  return costs
}

/** Waits until nothing is due or worked on. */
const untilSettled = ({ pool }: BenchDatabase) =>
  waitUntil(
    async () => {
      const { rows } = await pool.query(`
        select 1 from deployments
         where status <> 'destroyed' and (next_attempt_at < 'infinity' or lease_owner is not null) limit 1`)
      return rows.length === 0
    },
    'a fleet without work',
    { timeout_ms: 300_000, interval_ms: 250 },
  )

async function restartSome(database: BenchDatabase, ids: string[]) {
  await database.pool.query(
    `with changed as (
       update deployments set generation = generation + 1, next_attempt_at = now() where id = any($1) returning id
     )
     select pg_notify('${intents_channel}', id::text) from changed`,
    [ids],
  )
  await untilSettled(database)
}

async function createSome(database: BenchDatabase) {
  const keys = environmentKeys([bench_secret])
  const ids = Array.from({ length: due }, () => newId())
  await database.pool.query(
    `with made as (
       insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                                sealed_env, memory_limit_mb, cpu_limit_millicores, next_attempt_at, inserted_at)
       select n.id, md5('new' || n.id)::uuid, md5('new' || n.id)::uuid, t.id, 'plaza-' || n.id, 'registry.test/fleet/web:1',
              'new-' || n.id, 3000, n.env, 64, 50, now(), now()
         from unnest($1::uuid[], $2::bytea[]) as n(id, env), deploy_tiers t where t.slug = 'starter'
       returning *
     ), released as (
       insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, deploy_tier_id,
                                    memory_limit_mb, cpu_limit_millicores, port, sealed_env, inserted_at)
       select gen_random_uuid(), id, 1, 'pending', true, container_image, deploy_tier_id, memory_limit_mb, cpu_limit_millicores,
              port, sealed_env, now()
         from made
     )
     select pg_notify('${intents_channel}', id::text) from made`,
    [ids, ids.map((id) => sealEnv(keys, id, {}))],
  )
  await untilSettled(database)
}

/** Median milliseconds until a router answers by a worker's switch, and by an owner's stop and start, with all those routes. */
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
  // The worker leaves alone what is leased.
  await pool.query(
    `update deployments set lease_owner = gen_random_uuid(), lease_until = now() + interval '1 hour' where id = $1`,
    [id],
  )
  await waitUntil(() => getThrough(port, host).then(Boolean, () => false), 'a router', { timeout_ms: 60_000 })
  const timed = async (change: string, values: unknown[], is: (answer: string) => boolean) => {
    await pool.query(`with changed as (${change} returning id) select pg_notify($2, id::text) from changed`, [
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
        'update deployments set endpoint_port = $3 where id = $1',
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
    await sleep(0.05)
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

type Postgres = { host: string; user: string; folder: string }

/** Bundles the worker as the build does, beside the packages that it needs. */
async function bundleWorker(closers: Closers) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-fleet-'))
  closers.add(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(package_root, 'node_modules'), join(folder, 'node_modules'))
  const script = `import { bundle } from './scripts/build.mjs'\nawait bundle(['bench/lib/fleet-worker.ts'], ${JSON.stringify(folder)})`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: package_root })
  return join(folder, 'fleet-worker.js')
}

/** What a deployment costs a worker that has ten thousand, compared with one that has a thousand. */
export async function benchFleet(closers: Closers, postgres: Postgres): Promise<Figure[]> {
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
      note: `after a further minute ${large.growth.toFixed(2)} × of it`,
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
