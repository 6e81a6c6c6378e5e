import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { waitUntil } from '../server/test/wait.ts'
import type { TestHost } from '../server/test/engine/engines.ts'
import { inTurns, medianRatio, type Figure } from './lib/figure.ts'
import { count, fillFleet, openHostingWorld } from './lib/hosting.ts'
import { median, seeded, type BenchDatabase, type BenchService, type Closers } from './lib/world.ts'

const execute = promisify(execFile)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const fleet = Number(process.env.BENCH_FLEET ?? 200)
const idle_seconds = 60

/** Milliseconds from the POST until the deployment is `running`; all of one app, whose network exists from the first on. */
async function deploy(service: BenchService, { pool }: BenchDatabase, image: string, round: number) {
  const started_at = performance.now()
  const reply = await fetch(`${service.issuer}/api/deploy/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${seeded.accessToken(0)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subdomain: `bench-${round}`, image, tier: 'pro' }),
  })
  if (reply.status !== 201) throw new Error(`a deployment was refused: ${await reply.text()}`)
  const { id } = (await reply.json()) as { id: string }
  await waitUntil(
    async () => {
      const { rows } = await pool.query<{ status: string }>('select status from deployments where id = $1', [id])
      return rows[0]?.status === 'running'
    },
    'a running deployment',
    { timeout_ms: 60_000, interval_ms: 10 },
  )
  return performance.now() - started_at
}

/** Milliseconds from `docker run` until the published port responds. */
async function dockerRun({ socket_path, address }: TestHost, image: string) {
  const docker = async (...args: string[]) => (await execute('docker', ['-H', `unix://${socket_path}`, ...args])).stdout
  const started_at = performance.now()
  const id = (await docker('run', '-d', '-p', `${address}::3000`, image)).trim()
  const port = Number((await docker('port', id, '3000')).trim().split(':').at(-1))
  await waitUntil(() => answers(address, port), 'a response at the port', { timeout_ms: 60_000, interval_ms: 10 })
  const duration_ms = performance.now() - started_at
  await docker('rm', '-f', id)
  return duration_ms
}

/** Whether the program itself responds, not only the engine's proxy. */
const answers = (address: string, port: number) =>
  fetch(`http://${address}:${port}/`).then(
    () => true,
    () => false,
  )

/** The time from the call until the container runs, compared with `docker run`; then the cost of observing many containers. */
export async function benchHosting(closers: Closers, database: BenchDatabase): Promise<Figure[]> {
  const {
    service,
    host,
    images: [image = ''],
  } = await openHostingWorld(closers, database, ['small'])
  let round = 0
  // The first creates the app's network; the following ones run warm code.
  while (round < 3) await deploy(service, database, image, round++)
  const results = await inTurns(
    'ms until it runs',
    rounds,
    () => deploy(service, database, image, round++),
    () => dockerRun(host, image),
  )
  const started: Figure = {
    name: 'POST /api/deploy/apps until the deployment runs',
    ours: `${median(results.map(({ ours }) => ours)).toFixed(0)} ms`,
    other: `docker run until the port answers ${median(results.map(({ other }) => other)).toFixed(0)} ms`,
    ratio: medianRatio(results),
    must: 1.3,
    sense: 'at_most',
  }
  await fillFleet(database, image, fleet - (await count(database, 'deployments')))
  const cost = await idleCost(service, host)
  await service.stop()
  return [started, cost]
}

/** Milliseconds of processor time used by a process and its children. */
async function processorMs(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) * 10
}

async function pidOfDockerd(argument: string) {
  for (const pid of await readdir('/proc')) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.startsWith('dockerd') && line.includes(argument)) return Number(pid)
  }
  throw new Error(`no dockerd has the argument ${argument}`)
}

async function idleCost(service: BenchService, { socket_path }: TestHost): Promise<Figure> {
  await new Promise((settled) => setTimeout(settled, 10_000))
  const pids = [service.pid, await pidOfDockerd(socket_path)]
  const before = await Promise.all(pids.map(processorMs))
  const started_at = performance.now()
  await new Promise((done) => setTimeout(done, idle_seconds * 1000))
  const after = await Promise.all(pids.map(processorMs))
  const sweeps = (performance.now() - started_at) / 1000 / 3
  const [ours = 0, engine = 0] = after.map((ms, at) => ms - (before[at] ?? 0))
  return {
    name: `keeping ${fleet} idle deployments reconciled, a sweep every 3 s`,
    ours: `${(ours / sweeps).toFixed(0)} ms of the service a sweep`,
    other: `${(engine / sweeps).toFixed(0)} ms of the engine a sweep`,
    ratio: (ours + engine) / (idle_seconds * 1000),
    must: 0.25,
    sense: 'at_most',
    note: 'the ratio is the share of one core, both together',
  }
}
