// A worker in its own process, for tests that kill it. It writes a line to its standard output when it has started. It runs the
// build, as other processes of the tests do.
const built = (module) => import(new URL(`../../../dist/server/${module}.js`, import.meta.url).href)
const { findInstallation } = await built('hosting/control/hosts.store')
const { openEngine } = await built('hosting/engine/open')
const { openEnv } = await built('hosting/api/sealing.rules')
const { environmentKeys } = await built('hosting/api/service')
const { startWorker } = await built('hosting/control/worker')
const { openDatabase } = await built('platform/postgres/database')
const { openLog } = await built('platform/log')

/** @type {import('./hosting.ts').WorkerProcessConfig} */
const { connectionString, specs, network_range, secret, timing } = JSON.parse(process.env.WORKER_CONFIG ?? '')
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
  timing,
})
process.stdout.write('started\n')
