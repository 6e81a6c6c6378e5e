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

export interface BackupJob {
  job: Job
  /** Ends a backup that is under way, which leaves nothing behind. */
  stop(): Promise<void>
}

/**
 * The job that takes scheduled backups, in a process of its own with the lowest priority: compression and checksums would hold up
 * requests in this one. The job queue runs it in one process of all.
 */
export function createBackupJob({
  config,
  db,
  clock,
  log,
}: {
  config: BackupConfig
  db: Database
  clock: Clock
  log: Logger
}): BackupJob {
  let running: ChildProcess | undefined
  async function run() {
    if (running || !isDue(await readBackupState(db), config, clock())) return
    const child = spawn(process.execPath, [...process.execArgv, main_file, 'admin', 'backup', '--scheduled'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own, which can give way to that of the service (take.ts).
      detached: true,
    })
    running = child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-output_max)))
    const [code] = (await once(child, 'close').finally(() => (running = undefined))) as [number | null]
    if (code === 0) log.info({ output: output.trim() }, 'the scheduled backup is done')
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
