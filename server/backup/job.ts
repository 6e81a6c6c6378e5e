import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { BackupConfig } from '../config.ts'
import type { Job } from '../jobs/runner.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { main_file } from '../platform/package.ts'
import type { Database } from '../platform/postgres/database.ts'
import { readBackupState } from './runs.store.ts'
import { isDue } from './scheduled.ts'

const output_max = 2_000
const hour_ms = 3_600_000
/** A process that ignores SIGTERM, for example because its folder is on a server that does not answer, is killed after this time. */
const kill_ms = 60_000

export interface BackupJob {
  job: Job
  /** Ends a running backup, which leaves nothing behind. */
  stop(): Promise<void>
}

/**
 * The job that takes scheduled backups, in a separate process with the lowest priority: compression and checksums would delay requests in
 * this one. The job queue runs it in only one process. A backup that takes longer than its interval is ended.
 */
export function createBackupJob({
  config,
  db,
  clock,
  log,
  limit_ms = config.every_hours * hour_ms,
}: {
  config: BackupConfig
  db: Database
  clock: Clock
  log: Logger
  limit_ms?: number
}): BackupJob {
  let running: ChildProcess | undefined
  async function run() {
    if (running || !isDue(await readBackupState(db, clock()), config, clock())) return
    const child = spawn(process.execPath, [...process.execArgv, main_file, 'admin', 'backup', '--scheduled'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate session, which can have a lower priority than the service's session (take.ts).
      detached: true,
    })
    running = child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-output_max)))
    const limit = endAfter(child, limit_ms)
    const [code] = (await once(child, 'close').finally(() => {
      running = undefined
      limit.clear()
    })) as [number | null]
    if (limit.isOver())
      log.error({ output: output.trim(), limit_ms }, 'the scheduled backup took too long and was ended')
    else if (code === 0) log.info({ output: output.trim() }, 'the scheduled backup is done')
    else log.error({ output: output.trim(), code }, 'the scheduled backup failed')
  }
  return {
    job: { name: 'backup.take_if_due', cron: '*/10 * * * *', run },
    async stop() {
      const child = running
      if (!child) return
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Kills a process that has not ended after this time. */
function endAfter(child: ChildProcess, limit_ms: number) {
  let is_over = false
  let kill: NodeJS.Timeout | undefined
  const end = setTimeout(() => {
    is_over = true
    child.kill('SIGTERM')
    kill = setTimeout(() => child.kill('SIGKILL'), kill_ms)
  }, limit_ms)
  return {
    isOver: () => is_over,
    clear() {
      clearTimeout(end)
      clearTimeout(kill)
    },
  }
}
