import { Connection, type ConnectionConfig } from './connection.ts'
import { isDatabaseUnavailable, isOutOfSpace, neverSent, sqlState } from './errors.ts'
import { singleFlight } from '../single-flight.ts'
import type { CheckResult } from '../readiness.ts'

export interface DatabaseCheck extends CheckResult {
  /** True if a server answered, even if it takes no writes. */
  is_reachable: boolean
}

/**
 * Checks over a separate connection if the database takes writes, so the check never queues behind other work. Once a write has failed
 * because the disk is full, the check itself writes a page. When the database takes writes, connections that cannot write are retired.
 */
export interface DatabaseProbe {
  /** Answers within `answer_ms`; concurrent calls share one check. */
  check(): Promise<DatabaseCheck>
  close(): Promise<void>
}

const answer_ms = 2_500
const close_ms = 1_000

export function openDatabaseProbe(connection: ConnectionConfig): DatabaseProbe {
  let client: Connection | undefined
  let is_checking = false

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

  async function checkServer(): Promise<DatabaseCheck> {
    const { servers } = connection
    const connection_to_check = await connected()
    const { is_standby, is_read_only } = await connection_to_check.state()
    if (is_standby) return cannotWrite('the database is a standby')
    if (is_read_only) return cannotWrite('the database is read-only')
    if (servers?.is_disk_full) {
      await tryWrite(connection_to_check)
      servers.is_disk_full = false
    }
    servers?.retireOthers(connection_to_check)
    return { status: 'ok', is_reachable: true }
  }

  return {
    check: singleFlight(async () => {
      is_checking = true
      const timeout = setTimeout(() => drop(client, noAnswer()), answer_ms)
      const result = await checkServer().catch(failureOf)
      clearTimeout(timeout)
      is_checking = false
      // Only a new session gets changed settings of the database, or another server.
      if (result.status !== 'ok') drop(client)
      return result
    }),
    close: async () => (is_checking ? drop(client) : client?.close(close_ms)),
  }
}

const noAnswer = () => Object.assign(new Error('no answer to the probe'), { code: 'ETIMEDOUT' })

/** Writes a page that needs new disk space. The commit frees it. */
async function tryWrite(client: Connection) {
  await client.query(
    'create temporary table if not exists plaza_probe (filler text storage plain) on commit delete rows',
  )
  await client.query("insert into plaza_probe values (repeat('x', 4000))")
}

const cannotWrite = (reason: string): DatabaseCheck => ({ status: 'failed', reason, is_reachable: true })
const unavailable = (reason: string): DatabaseCheck => ({ status: 'failed', reason, is_reachable: false })

function failureOf(error: unknown): DatabaseCheck {
  const state = sqlState(error)
  if (isOutOfSpace(error)) return cannotWrite('the disk of the database is full')
  if (state === '53300') return cannotWrite('the database has no free connection')
  if (state === '57P03') return cannotWrite('the database is starting or stopping')
  if (state === 'ETIMEDOUT') return unavailable(`no answer within ${answer_ms / 1_000} s`)
  return unavailable(
    isDatabaseUnavailable(error) ? 'the database cannot be reached' : 'the database refuses the question',
  )
}
