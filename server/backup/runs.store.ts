import { clocks_apart_seconds, secondsAfter } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'

/** A scheduled backup. */
export interface BackupRun {
  host: string
  file: string
  started_at: Date
  ended_at: Date | null
  rows: number | null
  bytes: number | null
  error: string | null
}

export interface BackupState {
  /** The newest backup that was verified. */
  last_success: BackupRun | undefined
  /** The newest backup that ended, successfully or not. */
  last_ended: BackupRun | undefined
}

/** Ignores runs that began in the future: they were taken while a clock was wrong. */
export async function readBackupState(db: Sql, now: Date): Promise<BackupState> {
  const latest = secondsAfter(now, clocks_apart_seconds)
  const [last_success] = await db.sql<BackupRun>`
    select host, file, started_at, ended_at, rows, bytes, error from backup_runs
     where ended_at is not null and error is null and started_at <= ${latest} order by started_at desc limit 1`
  const [last_ended] = await db.sql<BackupRun>`
    select host, file, started_at, ended_at, rows, bytes, error from backup_runs
     where ended_at is not null and started_at <= ${latest} order by started_at desc limit 1`
  return { last_success, last_ended }
}

interface NewRun {
  id: string
  host: string
  file: string
  started_at: Date
}

const kept_runs = 100

/**
 * Records a run that begins, and deletes those that began later, because their time is wrong. The caller holds the lock of scheduled
 * backups, so other runs without an end were killed.
 */
export async function beginRun(db: Sql, { id, host, file, started_at }: NewRun) {
  await db.sql`
    update backup_runs set ended_at = ${started_at}, error = 'The process ended before the backup was complete.'
     where ended_at is null`
  await db.sql`delete from backup_runs where started_at > ${secondsAfter(started_at, clocks_apart_seconds)}`
  await db.sql`
    delete from backup_runs
     where id in (select id from backup_runs order by started_at desc offset ${kept_runs})
       and id <> (select id from backup_runs where ended_at is not null and error is null order by started_at desc limit 1)`
  await db.sql`
    insert into backup_runs (id, host, file, started_at) values (${id}, ${host}, ${file}, ${started_at})`
}

interface EndedRun {
  id: string
  ended_at: Date
  rows?: number
  bytes?: number
  error?: string
}

export const endRun = (db: Sql, { id, ended_at, rows, bytes, error }: EndedRun) =>
  db.sql`
    update backup_runs
       set ended_at = ${ended_at}, rows = ${rows ?? null}, bytes = ${bytes ?? null}, error = ${error ?? null}
     where id = ${id}`
