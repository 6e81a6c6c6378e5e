import type pg from 'pg'
import { Connection } from './connection.ts'
import { isDatabaseAway, neverSent, sqlState } from './database-errors.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { CheckResult } from './readiness.ts'

/** Asks whether the database takes writes, over a connection of its own: it never waits behind the work it judges. */
export interface DatabaseProbe {
  /** Answers within `answer_ms`; callers that ask at the same time share one question. */
  check(): Promise<CheckResult>
  /** Notes that a write failed on a full disk: until a write of the probe's own succeeds, the database is not writable. */
  noteFullDisk(): void
  close(): Promise<void>
}

const answer_ms = 2_500
const goodbye_ms = 1_000

export function openDatabaseProbe(connection: pg.ClientConfig): DatabaseProbe {
  let client: Connection | undefined
  let is_disk_full = false

  function drop(dropped: Connection | undefined, error?: Error) {
    if (client === dropped) client = undefined
    dropped?.abandon(error)
  }

  async function connected() {
    if (client) return client
    const opened = new Connection({ ...connection, application_name: 'plaza-probe' })
    client = opened
    opened.on('error', () => drop(opened)).on('end', () => drop(opened))
    await opened.connect().catch((error: Error) => {
      throw neverSent(error)
    })
    return opened
  }

  async function ask(): Promise<CheckResult> {
    const { rows } = await (
      await connected()
    ).query<{ standby: boolean; read_only: boolean }>(
      "select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only",
    )
    if (rows[0]?.standby) return { status: 'failed', reason: 'the database is a standby' }
    if (rows[0]?.read_only) return { status: 'failed', reason: 'the database is read-only' }
    if (is_disk_full) await tryWrite(await connected())
    is_disk_full = false
    return { status: 'ok' }
  }

  return {
    check: oneAtATime(async () => {
      const late = setTimeout(() => drop(client, noAnswer()), answer_ms)
      const result = await ask()
        .catch((error: unknown): CheckResult => ({ status: 'failed', reason: reasonOf(error) }))
        .finally(() => clearTimeout(late))
      // A new session sees what has changed since: the settings of the database, or another server.
      if (result.status !== 'ok') drop(client)
      return result
    }),
    noteFullDisk: () => {
      is_disk_full = true
    },
    close: async () => client?.close(goodbye_ms),
  }
}

const noAnswer = () => Object.assign(new Error('no answer to the probe'), { code: 'ETIMEDOUT' })

/** Writes a page that needs new space on the disk; it is given back at the commit. */
async function tryWrite(client: Connection) {
  await client.query(
    'create temporary table if not exists plaza_probe (filler text storage plain) on commit delete rows',
  )
  await client.query("insert into plaza_probe values (repeat('x', 4000))")
}

function reasonOf(error: unknown) {
  const state = sqlState(error) ?? ''
  if (state.startsWith('53100')) return 'the disk of the database is full'
  if (state === '53300') return 'the database has no free connection'
  if (state === 'ETIMEDOUT') return `no answer within ${answer_ms / 1_000} s`
  if (state === '57P03') return 'the database is starting or stopping'
  return isDatabaseAway(error) ? 'the database cannot be reached' : 'the database refuses the question'
}
