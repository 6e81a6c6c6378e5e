// A worker in a separate process, for tests that kill it. Writes a line to its standard output when it has started.
import { environmentKeys } from '../../hosting/api/service.ts'
import { openEnv } from '../../hosting/api/sealing.rules.ts'
import { findInstallation } from '../../hosting/control/hosts/hosts.store.ts'
import { startWorker } from '../../hosting/control/worker.ts'
import { openEngine } from '../../hosting/engine/open.ts'
import { openLog } from '../../platform/log.ts'
import { openDatabase } from '../../platform/postgres/database.ts'
import type { WorkerProcessConfig } from './hosting.ts'

const { connectionString, specs, network_range, secret, timing } = JSON.parse(
  process.env.WORKER_CONFIG ?? '',
) as WorkerProcessConfig
const log = openLog(process.env.SHOW_WORKER ? 'debug' : 'silent', {
  write: (line) => void process.stderr.write(line),
})
const db = openDatabase({ connection: { connectionString }, log, pool_size: 4, pipelines: 1 })
const installation_id = await findInstallation(db)
await startWorker({
  db,
  connection: { connectionString },
  clock: () => new Date(),
  log,
  engines: specs.map((spec) => openEngine(spec, { installation_id, network_range })),
  environmentOf: ({ id, sealed_env }) => openEnv(environmentKeys([secret]), id, sealed_env),
  registryAuthOf: () => undefined,
  isolation: 'trusted',
  timing,
})
process.stdout.write('started\n')
