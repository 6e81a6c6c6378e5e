import pg from 'pg'
import { refuseMissingKeys, type Secrets } from '../keys.ts'
import { joinWithAnd } from '../platform/text.ts'
import { keyFingerprint } from '../platform/secrets.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { Connection } from '../platform/postgres/connection.ts'
import { checkBackupFile, openBackupFile, type CheckedFile } from '../platform/postgres/backup/file.ts'
import { BackupFileError, type BackupHeader } from '../platform/postgres/backup/file-format.ts'
import { restoreBackup, type Restored } from '../platform/postgres/backup/restore.ts'

import { backup_policy } from './policy.ts'
import { readKnownSchema, refuseUnknownSchema } from '../platform/postgres/backup/known-schema.ts'
import { prepareQueue, schema_sources } from '../processes/database.ts'
import { refuseBackupOfOtherSpace } from '../processes/space.ts'

/** The available keys. Undefined if a copy is only inspected, or if values that cannot be decrypted are accepted. */
export type Keys = { secrets: Secrets | undefined } | undefined

/** Reads a whole file before anything is written. Fails if it is damaged or of a newer version, or if a key that it needs is missing. */
export async function checkFile(path: string, keys: Keys): Promise<CheckedFile> {
  const checked = await checkBackupFile(path)
  refuseUnknownSchema(await readKnownSchema(schema_sources), checked.header, path)
  if (keys) refuseWithoutKeys(checked.header, path, keys.secrets)
  return checked
}

export interface RestoreFileOptions {
  connection: ConnectionConfig
  /** A path, or a stream, which cannot be checked before it is restored. */
  file: string | NodeJS.ReadableStream
  /** The names of the file and the database in messages. */
  names: { file: string; database: string }
  keys: Keys
  /** The space of the database; undefined if a copy is only inspected. */
  space?: { is_sandbox: boolean }
  signal?: AbortSignal | undefined
}

/**
 * Restores a backup into an empty database, all or nothing. Fails if a key that the backup needs is missing, if the file is damaged, of a
 * newer version or of the other space (D-102), or if the database is in use.
 */
export async function restoreFile(options: RestoreFileOptions): Promise<Restored> {
  const { connection, file, names, keys, space, signal } = options
  return restoreBackup({
    connection,
    source: openBackupFile(file),
    name: names.file,
    database: names.database,
    policy: backup_policy,
    known: await readKnownSchema(schema_sources),
    prepareQueue: () => withPool(connection, prepareQueue),
    ...(keys && {
      checkHeader: (header: BackupHeader) => refuseWithoutKeys(header, names.file, keys.secrets),
    }),
    async checkRows(db) {
      if (space) await refuseBackupOfOtherSpace(db, space, names.file)
      // Without a secret nothing can be sealed; otherwise the header would have named its key.
      if (keys) await refuseMissingKeys(db, keys.secrets ?? [''])
    },
    signal,
  })
}

/** Describes each key as `the key 3f9a12cd (2 two-factor secrets)`. */
export const describeKeys = (keys: NonNullable<BackupHeader['keys']>) =>
  joinWithAnd(keys.map(({ fingerprint, needed_by }) => `the key ${fingerprint} (${joinWithAnd(needed_by)})`))

/** The keys of a backup that are missing here. */
export function missingOf({ keys }: BackupHeader, secrets: readonly string[]) {
  const known = new Set(secrets.map((secret) => keyFingerprint(secret).toString('hex')))
  return (keys ?? []).filter(({ fingerprint }) => !known.has(fingerprint))
}

function refuseWithoutKeys(header: BackupHeader, name: string, secrets: readonly string[] = []) {
  const missing = missingOf(header, secrets)
  if (missing.length > 0)
    throw new BackupFileError(
      `${name} needs ${describeKeys(missing)}: set SECRET_KEYS as it was when the backup was taken. ` +
        'If a key is permanently lost, MISSING_KEYS=allow restores without it (docs/keys.md describes the losses).',
    )
}

/** A pool for the migrations of the job queue. Its sessions count as part of the restore. */
async function withPool(connection: ConnectionConfig, work: (pool: pg.Pool) => Promise<void>) {
  const pool = new pg.Pool({ ...connection, application_name: 'plaza-restore', Client: Connection } as pg.PoolConfig)
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}
