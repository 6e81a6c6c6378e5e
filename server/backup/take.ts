import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { listNeededKeys } from '../keys.ts'
import { package_version } from '../platform/package.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import type { BackupHeader, BackupTotals } from '../platform/postgres/backup/file-format.ts'
import { openSession } from '../platform/postgres/backup/session.ts'
import { openBackup } from '../platform/postgres/backup/take.ts'
import { backup_policy } from './policy.ts'
import { readKnownSchema } from '../platform/postgres/backup/known-schema.ts'
import { schema_sources } from '../processes/database.ts'

export interface TakeOptions {
  connection: ConnectionConfig
  signal?: AbortSignal
  /** Yields to everything else on the machine once the snapshot has ended. Only for a process that does nothing else. */
  gives_way?: boolean
}

export interface TakenBackup<Written> extends BackupTotals {
  header: BackupHeader
  written: Written
}

/** Takes a backup of the database, which may be in use. `write` gets the uncompressed bytes and returns where it wrote them. */
export async function takeBackup<Written>(
  { connection, signal, gives_way }: TakeOptions,
  write: (frames: AsyncIterable<Buffer>) => Promise<Written>,
): Promise<TakenBackup<Written>> {
  const client = await openSession(connection, 'plaza-backup', signal)
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const backup = openBackup(client, {
      policy: backup_policy,
      known: await readKnownSchema(schema_sources),
      plaza_version: package_version,
      findKeys: listNeededKeys,
      ...(gives_way && {
        onSnapshotEnd: () => giveWay(isLocal(connection) ? rows[0]!.pid : undefined),
        onPart: (ms) => pause(Math.min(ms * pause_factor, pause_ms_max), undefined, { signal }),
      }),
    })
    const written = await write(backup.frames())
    const header = backup.header()
    return { header, ...backup.totals(), tables: header.tables.length, written }
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Between two parts of 32 MB, the backup pauses for this multiple of the reading time: a lower priority alone does not restore the caches
 * that reading displaces.
 */
const pause_factor = 3
const pause_ms_max = 2_000

/** True for a unix socket, that is, a server on the same machine. */
const isLocal = ({ host }: ConnectionConfig) => host?.startsWith('/') ?? false

const lowest_priority = 19

/** Lowers the priority of this process and of the embedded server's process that reads for it. */
function giveWay(server_pid: number | undefined) {
  for (const pid of [0, ...(server_pid === undefined ? [] : [server_pid])])
    try {
      setPriority(pid, lowest_priority)
    } catch {
      // The process belongs to another user, or does not exist in this container: it keeps its priority.
    }
  giveWayToSessions()
}

/**
 * Linux distributes the processors among sessions first (autogroups), and considers the priority of a process only within its session. A
 * session of this process alone gets the lowest priority. A shared session, of a shell or a service, is not changed.
 */
function giveWayToSessions() {
  try {
    const [, , , session] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    if (Number(session) === process.pid) writeFileSync('/proc/self/autogroup', String(lowest_priority))
  } catch {
    // Not Linux, or a Linux without autogroups.
  }
}
