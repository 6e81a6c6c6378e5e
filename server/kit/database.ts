import pg from 'pg'
import type { Logger } from './log.ts'

/** Runs one SQL statement, written as a tagged template; its values become parameters. */
export interface Sql {
  sql<Row extends object>(text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
}

/** A transaction in progress. A `Database` is not one, so what needs a transaction cannot be called without. */
export interface Tx extends Sql {
  readonly in_transaction: true
  /** Has `effect` carried out once the transaction has committed, before its caller goes on; never if it rolls back. */
  afterCommit(effect: () => void): void
}

/**
 * Statements of `sql` are planned once, whatever their values: planning a page of history anew for its user cost as much
 * as reading it. So a condition must be one that an index can serve without its value being known: a cursor is
 * `seq < coalesce($1, 9223372036854775807)`, not `$1 is null or seq < $1`.
 */
export interface Database extends Sql {
  /** Runs `work` in a transaction; repeats it where PostgreSQL asks for that (deadlock, serialization). */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** For statements whose best plan depends on their values, such as filters that may be absent: planned anew each time. */
  adHoc: Sql
  /**
   * A connection of its own on which statements are carried out one after the other, in the order in which they were
   * handed in, each sent before the last was answered.
   */
  ordered(): Sql
  /** The plain pool, for what needs a connection of its own. */
  pool: pg.Pool
  close(): Promise<void>
}

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint does not fit a number: cast it to text in the query')
  return value
})

/** Marks a value for a jsonb parameter; without it, pg would make an array out of a list. */
export const json = (value: unknown) => JSON.stringify(value)

interface Statement {
  name: string
  text: string
}
const statements = new WeakMap<TemplateStringsArray, Statement>()
let statements_made = 0

/** A template's text with $1, $2, … and the name under which every connection prepares it once. */
function statementOf(strings: TemplateStringsArray): Statement {
  let statement = statements.get(strings)
  if (!statement) {
    const text = strings.reduce((head, part, at) => `${head}$${at}${part}`)
    statement = { name: `s${++statements_made}`, text }
    statements.set(strings, statement)
  }
  return statement
}

const sqlOn = (client: { query: pg.ClientBase['query'] }): Sql => ({
  async sql<Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) {
    const result = await client.query<Row>({ ...statementOf(strings), values })
    return result.rows
  },
})

/** Clients that take a new statement while earlier ones are under way: measured 2.0–2.7 × a pool (stack.md of the design). */
class Pipeline implements Sql {
  private readonly lanes: { busy: number; client?: pg.Client; opening?: Promise<pg.Client> }[]
  private readonly options: pg.ClientConfig

  constructor(options: pg.ClientConfig, size: number) {
    this.options = options
    this.lanes = Array.from({ length: size }, () => ({ busy: 0 }))
  }

  async sql<Row extends object>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> {
    const lane = this.lanes.reduce((least, next) => (next.busy < least.busy ? next : least))
    lane.busy++
    try {
      const client = lane.client ?? (await (lane.opening ??= this.open(lane)))
      const result = await client.query<Row>({ ...statementOf(strings), values })
      return result.rows
    } finally {
      lane.busy--
    }
  }

  private async open(lane: (typeof this.lanes)[number]) {
    const client = new pg.Client({ ...this.options, pipeline: true } as pg.ClientConfig)
    const forget = () => {
      if (lane.client === client) delete lane.client
    }
    client.on('error', forget).on('end', forget)
    try {
      await client.connect()
      await client.query('set plan_cache_mode = force_generic_plan')
      lane.client = client
      return client
    } finally {
      delete lane.opening
    }
  }

  async close() {
    await Promise.all(this.lanes.map(async (lane) => (lane.client ?? (await lane.opening?.catch(() => {})))?.end()))
  }
}

export interface DatabaseOptions {
  connection: pg.ClientConfig
  log: Logger
  pipelines?: number
  pool_size?: number
}

/** Opens the database. Nothing connects before the first statement. */
export function openDatabase({ connection, log, pipelines = 3, pool_size = 10 }: DatabaseOptions): Database {
  const options: pg.PoolConfig = {
    application_name: 'plaza',
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 30_000,
    connectionTimeoutMillis: 5_000,
    ...connection,
  }
  const pipeline = new Pipeline(options, pipelines)
  const ordered: Pipeline[] = []
  const pool = new pg.Pool({ ...options, max: pool_size })
  const lost = (error: Error) => log.warn({ error: error.message }, 'a database connection was lost')
  pool.on('error', lost).on('connect', (client) => client.on('error', lost))
  return {
    sql: (strings, ...values) => pipeline.sql(strings, ...values),
    transaction: (work) => repeatOnConflict(() => inTransaction(pool, work)),
    adHoc: {
      async sql<Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) {
        return (await pool.query<Row>(statementOf(strings).text, values)).rows
      },
    },
    ordered() {
      const lane = new Pipeline(options, 1)
      ordered.push(lane)
      return lane
    },
    pool,
    close: async () => {
      await Promise.all([...[pipeline, ...ordered].map((lane) => lane.close()), pool.end()])
    },
  }
}

async function inTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  const effects: (() => void)[] = []
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work({
      ...sqlOn(client),
      in_transaction: true,
      afterCommit: (effect) => {
        effects.push(effect)
      },
    })
    await client.query('commit')
    for (const effect of effects) effect()
    return result
  } catch (error) {
    await client.query('rollback').catch((lost: Error) => {
      broken = lost
    })
    throw error
  } finally {
    client.release(broken)
  }
}

const repeatable_states = new Set(['40001', '40P01'])

/** Carries `work` out, again where PostgreSQL asks for that (deadlock, serialization): nothing of the first try was applied. */
export async function repeatOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries_left = 3; ; tries_left--) {
    try {
      return await work()
    } catch (error) {
      if (tries_left === 0 || !repeatable_states.has(sqlState(error) ?? '')) throw error
    }
  }
}

/** The SQLSTATE of an error that came from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** True when the error is a violation of this unique constraint or index. */
export const violates = (error: unknown, constraint: string) =>
  sqlState(error) === '23505' && (error as { constraint?: string }).constraint === constraint

const away_states = /^(57P0[1-5]|53300|08\d\d\d|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT)$/

/** True when an error means that the database cannot be reached, rather than that it refused a statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    away_states.test(sqlState(error) ?? '') ||
    /connection (terminated|ended)|client has encountered|timeout exceeded when trying to connect|not queryable/i.test(
      error.message,
    )
  )
}
