// A worker on simulated hosts, in a process of its own: `bench/fleet.ts` measures it. It answers each message with what it used so far.
import { environmentKeys } from '../../server/hosting/api/service.ts'
import { openEnv } from '../../server/hosting/api/sealing.rules.ts'
import { startWorker } from '../../server/hosting/control/worker.ts'
import { openLog } from '../../server/platform/log.ts'
import { openDatabase } from '../../server/platform/postgres/database.ts'
import { simulatedEngine, type Running } from './simulated-engine.ts'

export interface FleetWorkerConfig {
  connection: { connectionString: string }
  secret: string
  hosts: number
  /** The port at which the workloads of each host answer. */
  ports: number[]
}

/** What the process has used so far. */
export interface Used {
  processor_us: number
  memory_bytes: number
  /** What the garbage collector leaves of that. */
  live_bytes: number
}

const { connection, secret, hosts, ports } = JSON.parse(process.env.FLEET ?? '') as FleetWorkerConfig
const log = openLog('warn', { write: (line) => void process.stderr.write(line) })
const db = openDatabase({ connection, log, pool_size: 10, pipelines: 1 })
const rows = await db.sql<Running & { host_server: string }>`
  select id, app_id, generation, host_server from deployments where status = 'running'`
const keys = environmentKeys([secret])
const names = Array.from({ length: hosts }, (_, at) => `host${at + 1}`)
const worker = await startWorker({
  db,
  connection,
  clock: () => new Date(),
  log,
  engines: names.map((name, at) => ({
    name,
    kind: 'docker',
    engine: simulatedEngine({
      name,
      running: rows.filter(({ host_server }) => host_server === name),
      endpoint: { host: '127.0.0.1', port: ports[at % ports.length]! },
      memory_mb: 1_000_000,
    }),
    close: () => Promise.resolve(),
  })),
  environmentOf: ({ id, sealed_env }) => openEnv(keys, id, sealed_env),
  registryAuthOf: () => undefined,
  isolation: 'trusted',
})
rows.length = 0

process.on('message', (what) => {
  if (what === 'stop') void worker.stop().then(() => process.exit(0))
  else {
    const { user, system } = process.cpuUsage()
    globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    const used: Used = { processor_us: user + system, memory_bytes: rss, live_bytes: heapUsed + external }
    process.send?.(used)
  }
})
process.send?.('started')
