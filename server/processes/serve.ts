import cluster from 'node:cluster'
import { readConfig } from '../config.ts'
import type { Env } from '../platform/env-reader.ts'
import { openLog } from '../platform/log.ts'
import { refuseTakenPort } from './listen-error.ts'
import { openPeople } from './people.ts'

/**
 * Runs the service until `stop` aborts, then ends the process. With PROCESSES, this process starts others that serve. Throws if it cannot
 * start. `for_people`: writes a summary to the standard error when it is ready, and a sentence when it stops.
 */
export async function serve(env: Env, stop: AbortSignal, { for_people = false } = {}): Promise<never> {
  const config = readConfig(env)
  const log = openLog(config.log_level)
  const { processes } = config
  if (!cluster.isWorker) await refuseTakenPort(config)
  const people = openPeople(config, for_people)
  if (processes !== undefined && cluster.isPrimary) {
    for (const note of config.ignored) log.warn(note)
    // Imported here, so that the process that starts the others stays small.
    const { runProcesses } = await import('./many-processes.ts')
    return runProcesses({ config, log, stop, processes, people })
  }
  const { runProcess } = await import('./one-process.ts')
  return runProcess({ config, log, stop, people })
}
