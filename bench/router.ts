import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { isOk, waitUntil } from '../server/test/wait.ts'
import { startChild } from './lib/child.ts'
import { compare, type Figure, type Round } from './lib/figure.ts'
import { connections, rateOf, seconds } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { putWebSocketLoad } from './lib/websocket-load.ts'
import { median, startBenchService, type BenchDatabase, type Closers, type World } from './lib/world.ts'

const host = 'bench.apps.localhost'

interface Proxy {
  port: number
  pid: number
}

/** Starts Caddy as a reverse proxy for one upstream, without TLS and on one core, like Node. */
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
    `with made as (
       insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port, sealed_env,
                              memory_limit_mb, cpu_limit_millicores, status, serving_generation,
                              next_attempt_at, inserted_at)
     select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), t.id, 'bench', 'registry.test/library/bench:1', 'bench', 3000, '',
            128, 250, 'running', 1, now(), now()
         from deploy_tiers t where t.slug = 'starter'
       returning id
     )
     insert into deploy_instances (deployment_id, number, serving_generation, endpoint_host, endpoint_port)
     select id, 1, 1, '127.0.0.1', $1 from made`,
    [port],
  )
}

const requests = [rawRequest('GET', '/some/path?q=1', { host, 'user-agent': 'bench', accept: '*/*' })]
const loads = {
  [`GET of 512 bytes through the router, ${connections} connections`]: (port: number) => rateOf({ port, requests }),
  [`short messages echoed through the router, ${connections} WebSockets`]: (port: number) =>
    putWebSocketLoad({ port, host, connections, seconds }),
}

/**
 * Requests and messages through the router compared with those through Caddy, to the same upstream: rates, and processor time per request.
 */
export async function benchRouter({ closers, database }: World): Promise<Figure[]> {
  // Replaces a container.
  const program = join(import.meta.dirname, 'rivals/upstream.mjs')
  const { first: upstream } = await startChild<number>(closers, program, [], { exec_args: [] })
  await putDeployment(database, upstream)
  const port = await freePort()
  const service = await startBenchService(closers, database, {
    ROLES: 'api,router',
    ROUTER_HOST: '127.0.0.1',
    ROUTER_PORT: String(port),
  })
  const caddy = await startCaddy(closers, upstream)
  const figures: Figure[] = []
  for (const [name, ratePerSecond] of Object.entries(loads)) {
    const costs: Record<keyof Round, number[]> = { ours: [], other: [] }
    const measure = (side: keyof Round, proxy: Proxy) => async () => {
      const before = await processorSeconds(proxy.pid)
      const per_second = await ratePerSecond(proxy.port)
      costs[side].push((((await processorSeconds(proxy.pid)) - before) * 1_000_000) / (per_second * seconds))
      return per_second
    }
    const note = () =>
      `processor time of one ${median(costs.ours).toFixed(0)} µs, Caddy ${median(costs.other).toFixed(0)} µs`
    const other = 'Caddy on one core before the same program'
    figures.push(
      await compare(
        { name, other, must: 0.7, note },
        measure('ours', { port, pid: service.pid }),
        measure('other', caddy),
      ),
    )
  }
  return figures
}
