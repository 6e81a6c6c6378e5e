import pg from 'pg'
import { Connection, kept_alive, type ConnectionConfig } from './connection.ts'
import {
  hasDoneNothing,
  isDatabaseUnavailable,
  isLockTimeout,
  isRepeatable,
  neverSent,
  sqlState,
  wasNeverSent,
} from './errors.ts'
import { openDatabaseProbe, type DatabaseCheck } from './probe.ts'
import { DatabaseServers } from './servers.ts'
import { Failure } from '../failure.ts'
import type { Logger } from '../log.ts'
import { PipelinedConnectionGroup } from './pipelined-connection.ts'
import { send, statementOf, type Sql } from './statements.ts'

export { hasDoneNothing, isDatabaseUnavailable, isRepeatable, sqlState, violates, wasNeverSent } from './errors.ts'
export { allValues, countRows, firstRow, firstValue, hasRows, theRow, theValue } from './rows.ts'
export type { Sql } from './statements.ts'

/** A transaction in progress. A `Database` is not a `Tx`, so functions that need a transaction cannot be called without one. */
export interface Tx extends Sql {
  readonly in_transaction: true
  /** Calls `effect` once the transaction has committed, before its caller continues; never if it is rolled back. */
  afterCommit(effect: () => void): void
}

/**
 * Statements of `sql` are planned once for all values: planning a page of history for each user cost as much as reading
 * it. Each condition must therefore be one that an index can serve without knowing the value: a cursor is `seq <
 * coalesce($1, 9223372036854775807)`, not `$1 is null or seq < $1`.
 */
export interface Database extends Sql {
  /**
   * Runs `work` in a transaction. Repeats it after a deadlock or serialization failure, and once after a lock timeout. Fails with
   * `overloaded` if a lock cannot be taken within about a second, and with `outcome_unknown` if the connection was lost during the commit.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Plans statements for each execution. For statements whose best plan depends on their values, such as optional filters. */
  adHoc: Sql
  /** For statements that read very many rows, alone or over very many pages: a separate connection with a limit of one hour. */
  lengthy: Sql
  /**
   * Opens a connection that executes statements one after the other in the order of the calls. Each is sent before the previous one is
   * answered. A statement that is blocked by a lock fails soon (`isLockTimeout`), because those behind it would wait too.
   */
  pipelinedConnection(): Sql
  /** For queries about rows that other transactions may have locked (`batching/row-locks.ts`): a connection for this purpose only. */
  locks: Sql
  /** Reports if the database takes writes. Checked over a separate connection, within 3 s. */
  check(): Promise<DatabaseCheck>
  /** Sends a statement on each idle pipelined connection, so that a lost one is found before work is sent on it. */
  ping(): void
  /** The open connections, and the calls that wait for one, by pool and state. */
  connections(): { labels: { pool: string; state: string }; value: number }[]
  /** The pool itself, for libraries that need one. */
  pool: pg.Pool
  close(): Promise<void>
}

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint does not fit a number: cast it to text in the query')
  return value
})

/** Encodes a value for a jsonb parameter. Without it, pg would convert a list to an array. */
export const json = (value: unknown) => JSON.stringify(value)

export interface DatabaseOptions {
  connection: ConnectionConfig
  log: Logger
  pipelines?: number
  pool_size?: number
  /** The size of the pool for calls that a lock blocked. */
  patient_size?: number
  /**
   * After this long without an answer, a connection counts as lost and is replaced. PostgreSQL ends a statement after
   * 30 s, so this is slightly longer.
   */
  silence_ms?: number
  /** For tests: multiplies how long a call waits for a connection, and for a lock before it fails with `overloaded`. */
  patience?: number
}

const statement_ms = 30_000
const lengthy_ms = 3_600_000
/**
 * The `lock_timeout` on connections that all callers share, on those of a batcher, and in transactions of the pool. A
 * call that times out there is repeated with `patient` on one of a few connections for this purpose only.
 */
const lock_ms = { shared: 25, batch: 100, transaction: 250, patient: 500 }
const connection_wait_ms = { pool: 5_000, patient: 1_000 }

/** Opens the database. Nothing connects before the first statement. */
export function openDatabase({
  connection,
  log,
  pipelines = 3,
  pool_size = 10,
  patient_size = 4,
  silence_ms = statement_ms + 5_000,
  patience = 1,
}: DatabaseOptions): Database {
  const options: pg.PoolConfig & ConnectionConfig = {
    servers: new DatabaseServers(),
    application_name: 'plaza',
    session_start: `set statement_timeout = ${statement_ms}; set idle_in_transaction_session_timeout = 10000`,
    connectionTimeoutMillis: connection_wait_ms.pool,
    ...kept_alive,
    ...connection,
  }
  const shared = new PipelinedConnectionGroup({ connection: options, silence_ms, lock_ms: lock_ms.shared }, pipelines)
  const newPipelinedConnection = () =>
    new PipelinedConnectionGroup({ connection: options, silence_ms, lock_ms: lock_ms.batch }, 1)
  const locks = newPipelinedConnection()
  const pipelined: PipelinedConnectionGroup[] = []
  const probe = openDatabaseProbe(options)
  const waiting = (wait_ms: number) => ({ ...options, connectionTimeoutMillis: wait_ms * patience })
  const pool = openPool(waiting(connection_wait_ms.pool), { pool_size, silence_ms, log })
  const patient = openPool(waiting(connection_wait_ms.patient), { pool_size: patient_size, silence_ms, log })
  /** Repeats work that a lock blocked, on a connection where it may wait longer. */
  const repeatPatiently =
    <Result>(work: (tx: Tx) => Promise<Result>) =>
    (error: unknown) => {
      if (!isLockTimeout(error)) throw error
      return repeatOnConflict(() => inTransaction(patient, lock_ms.patient * patience, work)).catch(overloadedByLock)
    }
  return {
    sql: <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) =>
      shared.sql<Row>(strings, ...values).catch(repeatPatiently((tx) => tx.sql<Row>(strings, ...values))),
    transaction: (work) =>
      repeatOnConflict(() => inTransaction(pool, lock_ms.transaction, work)).catch(repeatPatiently(work)),
    adHoc: adHocOn(pool),
    lengthy: lengthyOn(pool),
    pipelinedConnection() {
      const connection_of_its_own = newPipelinedConnection()
      pipelined.push(connection_of_its_own)
      return connection_of_its_own
    },
    locks,
    check: probe.check,
    ping() {
      for (const group of [shared, ...pipelined]) group.ping()
    },
    connections: () => countConnections({ pool, patient, shared, locks, pipelined }),
    pool,
    close: async () => {
      const closed = [shared, locks, ...pipelined].map((group) => group.close())
      await Promise.all([...closed, probe.close(), pool.end(), patient.end()])
    },
  }
}

function openPool(
  options: pg.PoolConfig,
  { pool_size, silence_ms, log }: { pool_size: number; silence_ms: number; log: Logger },
) {
  // pg ends a client with `pipeline` if an answer is overdue.
  const ended_when_silent = { pipeline: true, query_timeout: silence_ms }
  const pool = new pg.Pool({ ...options, ...ended_when_silent, max: pool_size, Client: Connection } as pg.PoolConfig)
  const lost = (error: Error) => log.warn({ error: error.message }, 'a database connection was lost')
  pool.on('error', lost).on('connect', (client) => client.on('error', lost))
  return pool
}

interface ConnectionSources {
  pool: pg.Pool
  patient: pg.Pool
  shared: PipelinedConnectionGroup
  locks: PipelinedConnectionGroup
  pipelined: readonly PipelinedConnectionGroup[]
}

const countConnections = ({ pool, patient, shared, locks, pipelined }: ConnectionSources) => [
  ...connectionsOf('transactions', statesOf(pool)),
  ...connectionsOf('patient', statesOf(patient)),
  ...connectionsOf('shared', shared.states()),
  ...connectionsOf('locks', locks.states()),
  ...connectionsOf('batches', sumOf(pipelined.map((group) => group.states()))),
]

const connectionsOf = (pool: string, states: Record<string, number>) =>
  Object.entries(states).map(([state, value]) => ({ labels: { pool, state }, value }))

const statesOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) => ({
  active: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
})

const sumOf = (all: { active: number; idle: number }[]) => ({
  active: all.reduce((sum, { active }) => sum + active, 0),
  idle: all.reduce((sum, { idle }) => sum + idle, 0),
})

/** As on pipelined connections: the plan of a prepared statement is kept while its tables grow. */
const planned_for_growth = 'set local enable_seqscan = off; set local jit = off'

/** Runs `work` on a connection of the pool. A lost connection is not returned to the pool. */
async function onConnection<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error: Error) => {
    throw neverSent(error)
  })
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    if (isDatabaseUnavailable(error)) broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

const adHocOn = (pool: pg.Pool): Sql => ({
  sql: <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) =>
    onConnection(pool, async (client) => (await client.query<Row>(statementOf(strings).text, values)).rows),
})

const lengthyOn = (pool: pg.Pool): Sql => ({
  sql: <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) =>
    onConnection(pool, async (client) => {
      await client.query('begin read only')
      try {
        await client.query(`set local statement_timeout = ${lengthy_ms}`)
        return await send<Row>(client, strings, values, { query_timeout: lengthy_ms })
      } finally {
        await client.query('rollback')
      }
    }),
})

const inTransaction = <Result>(pool: pg.Pool, wait_ms: number, work: (tx: Tx) => Promise<Result>) =>
  onConnection(pool, async (client) => {
    const effects: (() => void)[] = []
    await client.query(`begin; set local lock_timeout = ${wait_ms}; ${planned_for_growth}`)
    const result = await work({
      sql: (strings, ...values) => send(client, strings, values),
      in_transaction: true,
      afterCommit: (effect) => {
        effects.push(effect)
      },
    }).catch((error: unknown) => rollBack(client, error))
    await client.query('commit').catch(commitFailed)
    for (const effect of effects) effect()
    return result
  })

/** Fails with `overloaded` if the lock was not released or no connection was free to wait on. */
function overloadedByLock(error: unknown): never {
  if (!isLockTimeout(error) && !wasNeverSent(error)) throw error
  throw new Failure(
    'overloaded',
    { error: (error as Error).message, state: sqlState(error) },
    { retry_after_seconds: 1 },
  )
}

/** Rolls a transaction back and rethrows `error`. If the connection is lost, PostgreSQL itself rolls back. */
async function rollBack(client: pg.PoolClient, error: unknown): Promise<never> {
  if (!isDatabaseUnavailable(error)) await client.query('rollback')
  throw error
}

/** PostgreSQL reports a refused commit. Without its answer, the outcome is unknown. */
function commitFailed(error: Error): never {
  throw isDatabaseUnavailable(error) && !hasDoneNothing(error)
    ? new Failure('outcome_unknown', { error: error.message })
    : error
}

/** Runs `work`, and repeats it after a deadlock or serialization failure, because the failed attempt had no effect. */
export async function repeatOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let repetitions_left = 3; ; repetitions_left--) {
    try {
      return await work()
    } catch (error) {
      if (repetitions_left === 0 || !isRepeatable(error)) throw error
    }
  }
}
