import type { Config } from '../config.ts'
import { parseImage } from '../hosting/api/image.rules.ts'
import { openEnv } from '../hosting/api/sealing.rules.ts'
import { environmentKeys } from '../hosting/api/service.ts'
import { openEngines } from '../hosting/control/hosts/hosts.ts'
import { startWorker } from '../hosting/control/worker.ts'
import type { OpenedEngine } from '../hosting/engine/open.ts'
import type { Secrets } from '../keys.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import type { Database } from '../platform/postgres/database.ts'
import { isolationSettings } from './isolation.ts'
import type { Shutdown } from './shutdown.ts'

/** Opens the container engines that this process can reach. */
export async function openHosts({ containers: { hosts, network_range } }: Config, db: Database, shutdown: Shutdown) {
  const engines = await openEngines(db, hosts, network_range)
  shutdown.add(async () => void (await Promise.all(engines.map(({ close }) => close()))))
  return engines
}

interface WorkerOptions {
  config: Config
  db: Database
  connection: ConnectionConfig
  clock: Clock
  log: Logger
  secrets: Secrets
  engines: readonly OpenedEngine[]
}

/** Starts the worker, which brings containers to their desired state. Returns a function that stops it. */
export async function startWorkerRole({ config, secrets, ...parts }: WorkerOptions) {
  const { registry_credentials, start_seconds, drain_seconds, replace_lost_seconds } = config.containers
  const env_keys = environmentKeys(secrets)
  if (config.containers.isolation === 'trusted')
    parts.log.info('the isolation of container hosts is not checked: apps are trusted (ISOLATION)')
  const worker = await startWorker({
    ...parts,
    environmentOf: ({ id, sealed_env }) => openEnv(env_keys, id, sealed_env),
    registryAuthOf: (image) => {
      const registry = config.registries.private
      if (registry === undefined || !registry_credentials || parseImage(image)?.host !== registry) return undefined
      return { serveraddress: registry, ...registry_credentials }
    },
    isolation: isolationSettings(config),
    timing: { start_seconds, drain_seconds, replace_lost_seconds },
  })
  return worker.stop
}
