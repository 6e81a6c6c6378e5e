import { mkdir, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { BackupConfig } from '../config.ts'
import { newId } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import { removeUnfinished, writeUnfinished } from '../platform/postgres/backup/file.ts'
import { openSession, sqlOn } from '../platform/postgres/backup/session.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { beginRun, endRun, readBackupState, type BackupState } from './runs.store.ts'
import { takeBackup } from './take.ts'
import { verifyBackup } from './verify.ts'

const hour_ms = 3_600_000
/** Backups of a day are due at three in the night, UTC. */
const night_ms = 3 * hour_ms
/** A failed backup is retried after this time. */
const retry_ms = hour_ms

/** True if a backup is due: none has succeeded since the last multiple of `every_hours`, and none has just failed. */
export function isDue({ last_success, last_ended }: BackupState, { every_hours }: BackupConfig, now: Date) {
  const every_ms = every_hours * hour_ms
  const since = Math.floor((now.getTime() - night_ms) / every_ms) * every_ms + night_ms
  if (last_success && last_success.started_at.getTime() >= since) return false
  return !last_ended?.error || now.getTime() - last_ended.started_at.getTime() >= retry_ms
}

export interface ScheduledOptions {
  connection: ConnectionConfig
  config: BackupConfig
  /** The folder in which a copy is restored for verification. */
  scratch_folder: string
  log: Logger
  now(): Date
  signal?: AbortSignal
  /** See `TakeOptions`. */
  gives_way?: boolean
}

export type ScheduledOutcome =
  | { outcome: 'not_due' }
  | { outcome: 'running' }
  | { outcome: 'taken'; path: string; rows: number }
  | { outcome: 'failed'; error: string }

const scheduled_lock = 7_205_461_351

/**
 * Takes a backup into BACKUP_DIR if one is due, verifies it, gives it its final name, and then deletes the oldest beyond BACKUP_KEEP. If
 * several processes call this, only one does it. A failure is recorded and leaves no file; older backups stay.
 */
export async function runScheduledBackup(options: ScheduledOptions): Promise<ScheduledOutcome> {
  const { connection, config, now, signal } = options
  const client = await openSession(connection, 'plaza-backup', signal)
  try {
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [scheduled_lock])
    if (!rows[0]?.free) return { outcome: 'running' }
    const db = sqlOn(client)
    if (!isDue(await readBackupState(db, now()), config, now())) return { outcome: 'not_due' }
    return await runNow(db, options)
  } finally {
    await client.end().catch(() => {})
  }
}

async function runNow(db: Sql, options: ScheduledOptions): Promise<ScheduledOutcome> {
  const { config, now } = options
  const started_at = now()
  const dir = resolve(config.dir)
  const path = join(dir, `plaza-${started_at.toISOString().replaceAll(/[:.]/g, '-')}.backup`)
  const id = newId()
  await beginRun(db, { id, host: hostname(), file: path, started_at })
  try {
    const { rows, bytes } = await takeVerified(path, dir, options)
    await endRun(db, { id, ended_at: now(), rows, bytes })
    await deleteOld(dir, config.keep, basename(path))
    return { outcome: 'taken', path, rows }
  } catch (error) {
    const { message } = explainFolder(error, dir)
    await endRun(db, { id, ended_at: now(), error: message }).catch(() => {})
    return { outcome: 'failed', error: message }
  }
}

async function takeVerified(path: string, dir: string, options: ScheduledOptions) {
  const { connection, scratch_folder, log, signal, gives_way = false } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await removeUnfinished(dir)
  const cancelled = { ...(signal && { signal }) }
  const { rows, written } = await takeBackup({ connection, gives_way, ...cancelled }, (frames) =>
    writeUnfinished(path, frames, signal),
  )
  try {
    await verifyBackup({ file: written.path, scratch: { folder: scratch_folder }, log, ...cancelled })
    await written.publish()
  } catch (error) {
    await written.discard()
    throw error
  }
  return { rows, bytes: written.bytes }
}

async function deleteOld(dir: string, keep: number, made: string) {
  for (const name of outdated(await readdir(dir), keep, made)) await rm(join(dir, name), { force: true })
}

/**
 * The oldest backups beyond `keep`, never the one that was just taken. Names sort by time, and only verified backups have such a name. A
 * name later than `made` comes from a wrong clock and counts as the oldest.
 */
export function outdated(files: readonly string[], keep: number, made: string) {
  const names = files.filter((name) => name !== made && /^plaza-[\dTZ-]+\.backup$/.test(name)).sort()
  const oldest_first = [...names.filter((name) => name > made), ...names.filter((name) => name < made)]
  return oldest_first.slice(0, Math.max(0, names.length - (keep - 1)))
}

/** An error that names the setting of a folder that cannot be used. */
function explainFolder(error: unknown, dir: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  return code !== undefined && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code)
    ? new Error(`BACKUP_DIR (${dir}) cannot be written to: ${message}`, { cause: error })
    : (error as Error)
}
