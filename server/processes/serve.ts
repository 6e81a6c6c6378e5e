import cluster from 'node:cluster'
import { readConfig } from '../config.ts'
import type { Env } from '../platform/env-reader.ts'
import { openLog } from '../platform/log.ts'

/**
 * Runs the service until `stop` is given, then ends the process. With PROCESSES, this process starts others, which serve.
 * Throws when it cannot start.
 */
export async function serve(env: Env, stop: AbortSignal): Promise<never> {
  const config = readConfig(env)
  const log = openLog(config.log_level)
  const { processes } = config
  if (processes !== undefined && cluster.isPrimary) {
    for (const note of config.ignored) log.warn(note)
    // Imported here, so that the process that starts the others stays small.
    const { runProcesses } = await import('./many-processes.ts')
    return runProcesses({ config, log, stop, processes })
  }
  const { runProcess } = await import('./one-process.ts')
  return runProcess({ config, log, stop })
}
