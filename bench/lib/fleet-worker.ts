// A worker on simulated hosts in a separate process, which `bench/fleet.ts` measures. It answers messages with its processor time and memory.
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

/** The requests to the process, and its answers. */
export interface Answers {
  /** Microseconds of processor time so far. */
  processor: number
  /** Bytes in use after a garbage collection, which takes longer the more there are. */
  memory: number
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

const answers: { [Question in keyof Answers]: () => Answers[Question] } = {
  processor() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  memory() {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
}
process.on('message', (what: keyof Answers | 'stop') => {
  if (what === 'stop') void worker.stop().then(() => process.exit(0))
  else process.send?.(answers[what]())
})
process.send?.('started')
