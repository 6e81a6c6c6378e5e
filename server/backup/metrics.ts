import type { Clock } from '../platform/clock.ts'
import { gauge } from '../platform/metrics/metrics.ts'
import type { Database } from '../platform/postgres/database.ts'
import { readBackupState } from './runs.store.ts'

const age_seconds = gauge({
  name: 'plaza_backup_age_seconds',
  help: 'Time since the beginning of the last scheduled backup that was verified. Absent before the first, and where none is scheduled.',
  across: 'max',
})

const last_success = gauge({
  name: 'plaza_backup_last_success',
  help: '1 if the last scheduled backup was verified, otherwise 0. Absent before the first backup.',
  across: 'min',
})

/** Publishes metrics of the installation's scheduled backups; returns a function that stops this. */
export function startBackupGauges({ db, clock }: { db: Database; clock: Clock }) {
  const ended = [
    age_seconds.read(async () => {
      const state = await readBackupState(db.adHoc, clock())
      return state.last_success && (clock().getTime() - state.last_success.started_at.getTime()) / 1_000
    }),
    last_success.read(async () => {
      const { last_ended } = await readBackupState(db.adHoc, clock())
      return last_ended && Number(last_ended.error === null)
    }),
  ]
  return async () => ended.forEach((end) => end())
}
