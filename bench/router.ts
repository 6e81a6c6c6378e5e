import { fork, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inTurns, medianRatio, note, perSecond, type Figure, type Round } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { putWebSocketLoad } from './lib/websocket-load.ts'
import { median, startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'
import { isOk, waitUntil } from '../server/test/wait.ts'
import { freePort } from '../server/test/free-port.ts'

const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const host = 'bench.apps.localhost'

interface Proxy {
  port: number
  pid: number
}

/** Starts the upstream of both proxies, in place of a container. */
async function startUpstream(closers: Closers): Promise<number> {
  const child = fork(join(import.meta.dirname, 'rivals/upstream.mjs'), [], { execArgv: [] })
  const ended = new Promise((done) => child.once('exit', done))
  closers.add(async () => {
    child.kill()
    await ended
  })
  return new Promise((done) => child.once('message', (port) => done(Number(port))))
}

/** Starts Caddy as a reverse proxy for one upstream, without TLS and on one core, as Node has it. */
async function startCaddy(closers: Closers, upstream: number): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-caddy-'))
  const port = await freePort()
  const config = `{\n admin off\n auto_https off\n}\nhttp://:${port} {\n bind 127.0.0.1\n reverse_proxy 127.0.0.1:${upstream}\n}\n`
  await writeFile(join(folder, 'Caddyfile'), config)
  const child = spawn('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH, HOME: folder, GOMAXPROCS: '1' },
    stdio: 'ignore',
  })
  const ended = new Promise<void>((done, failed) => {
    child.once('exit', () => done())
    child.once('error', () => failed(new Error('the bench router needs caddy (Debian has a package)')))
  })
  closers.add(async () => {
    child.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await Promise.race([
    ended,
    waitUntil(() => isOk(`http://127.0.0.1:${port}/`), 'a response of Caddy', { interval_ms: 25 }),
  ])
  return { port, pid: child.pid ?? 0 }
}

async function putDeployment({ pool }: BenchDatabase, port: number) {
  await pool.query(
    `insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port, sealed_env,
                              memory_limit_mb, cpu_limit_millicores, status, serving_generation, endpoint_host, endpoint_port,
                              next_attempt_at, inserted_at)
     select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), t.id, 'bench', 'registry.test/library/bench:1', 'bench', 3000, '',
            128, 250, 'running', 1, '127.0.0.1', $1, now(), now()
       from deploy_tiers t where t.slug = 'starter'`,
    [port],
  )
}

async function requestsPerSecond(port: number) {
  const requests = [rawRequest('GET', '/some/path?q=1', { host, 'user-agent': 'bench', accept: '*/*' })]
  const result = await putLoad({ port, connections, seconds, requests })
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
  return result.per_second
}

const messagesPerSecond = (port: number) => putWebSocketLoad({ port, host, connections, seconds })

/** Loads both proxies in turns; the figure has the rates, and the processor time that one answer takes. */
async function compare(
  name: string,
  { ours, other }: { ours: Proxy; other: Proxy },
  ratePerSecond: (port: number) => Promise<number>,
): Promise<Figure> {
  const costs: Round[] = []
  const measure = async ({ port, pid }: Proxy, side: keyof Round) => {
    const before = await processorSeconds(pid)
    const per_second = await ratePerSecond(port)
    const used = (await processorSeconds(pid)) - before
    const round = costs.at(-1)
    const cost = (used * 1_000_000) / (per_second * seconds)
    if (!round || round[side] !== 0) costs.push({ ours: 0, other: 0, [side]: cost })
    else round[side] = cost
    return per_second
  }
  await ratePerSecond(ours.port)
  await ratePerSecond(other.port)
  const results = await inTurns(
    name,
    rounds,
    () => measure(ours, 'ours'),
    () => measure(other, 'other'),
  )
  for (const [at, cost] of costs.entries())
    note(`${name} ${at + 1}: ${cost.ours.toFixed(0)} µs against ${cost.other.toFixed(0)} µs of processor time`)
  const micros = (side: keyof Round) => `${median(costs.map((round) => round[side])).toFixed(0)} µs`
  return {
    name,
    ours: perSecond(results.map((round) => round.ours)),
    other: `Caddy on one core before the same program ${perSecond(results.map((round) => round.other))}`,
    ratio: medianRatio(results),
    must: 0.7,
    sense: 'at_least',
    note: `processor time of one ${micros('ours')}, Caddy ${micros('other')}`,
  }
}

/** Requests and messages through the router compared with those through Caddy, to the same upstream. */
export async function benchRouter(closers: Closers, database: BenchDatabase): Promise<Figure[]> {
  const upstream = await startUpstream(closers)
  await putDeployment(database, upstream)
  const port = await freePort()
  const service = await startBenchService(closers, database, {
    ROLES: 'api,router',
    ROUTER_HOST: '127.0.0.1',
    ROUTER_PORT: String(port),
  })
  const sides = { ours: { port, pid: service.pid }, other: await startCaddy(closers, upstream) }
  const figures = [
    await compare(`GET of 512 bytes through the router, ${connections} connections`, sides, requestsPerSecond),
    await compare(`short messages echoed through the router, ${connections} WebSockets`, sides, messagesPerSecond),
  ]
  await service.stop()
  return figures
}
