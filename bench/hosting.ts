import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { TestHost } from '../server/test/engine/engines.ts'
import { sleep, waitUntil } from '../server/test/wait.ts'
import { compare, milliseconds, type Figure } from './lib/figure.ts'
import { count, fillFleet, openHostingWorld } from './lib/hosting.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { tokenOf, type BenchDatabase, type BenchService, type World } from './lib/world.ts'

const execute = promisify(execFile)
const fleet = Number(process.env.BENCH_FLEET ?? 200)
const idle_seconds = Number(process.env.BENCH_IDLE_SECONDS ?? 60)

/** Milliseconds from the POST until the deployment is `running`. All belong to one app, whose network exists after the first. */
async function deploy(service: BenchService, { pool }: BenchDatabase, image: string, round: number) {
  const started_at = performance.now()
  const reply = await fetch(`${service.issuer}/api/deploy/apps`, {
    method: 'POST',
    headers: { ...tokenOf(0), 'content-type': 'application/json' },
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

/** True if the program itself responds, not only the engine's proxy. */
const answers = (address: string, port: number) =>
  fetch(`http://${address}:${port}/`).then(
    () => true,
    () => false,
  )

/** The time from the call until the container runs, compared with `docker run`; then the cost of observing many containers. */
export async function benchHosting({ closers, database }: World): Promise<Figure[]> {
  const { service, host, images } = await openHostingWorld(closers, database, ['small'])
  const image = images[0]!
  let round = 0
  // The first one creates the app's network; the following ones run warm code.
  while (round < 3) await deploy(service, database, image, round++)
  const started = await compare(
    {
      name: 'POST /api/deploy/apps until the deployment runs',
      other: 'docker run until the port answers',
      must: 1.3,
      sense: 'at_most',
      text: milliseconds(0),
    },
    () => deploy(service, database, image, round++),
    () => dockerRun(host, image),
  )
  await fillFleet(database, image, fleet - (await count(database, 'deployments')))
  return [started, await idleCost(service, host)]
}

async function pidOfDockerd(argument: string) {
  for (const pid of await readdir('/proc')) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.startsWith('dockerd') && line.includes(argument)) return Number(pid)
  }
  throw new Error(`no dockerd has the argument ${argument}`)
}

async function idleCost(service: BenchService, { socket_path }: TestHost): Promise<Figure> {
  await sleep(10_000)
  const pids = [service.pid, await pidOfDockerd(socket_path)]
  const used = () => Promise.all(pids.map(processorSeconds))
  const before = await used()
  await sleep(idle_seconds * 1_000)
  const [ours = 0, engine = 0] = (await used()).map((seconds, at) => seconds - before[at]!)
  const aSweep = (seconds: number) => milliseconds(0)((seconds * 1_000) / (idle_seconds / 3))
  return {
    name: `keeping ${fleet} idle deployments reconciled, a sweep every 3 s`,
    ours: `${aSweep(ours)} of the service a sweep`,
    other: `${aSweep(engine)} of the engine a sweep`,
    ratio: (ours + engine) / idle_seconds,
    must: 0.25,
    sense: 'at_most',
    note: 'the ratio is the share of one core, both together',
  }
}
