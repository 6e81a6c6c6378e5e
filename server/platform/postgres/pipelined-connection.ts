import { Connection, type ConnectionConfig } from './connection.ts'
import { isReadOnly, isStalePlan, isUnprepared, neverSent } from './errors.ts'
import { send, type Sql } from './statements.ts'

export interface PipelinedConnectionOptions {
  connection: ConnectionConfig
  /** After so long without an answer, while one is due, a connection counts as lost. */
  silence_ms: number
  /** For so long a statement waits for a lock, and with it all that are behind it. */
  lock_ms: number
}

/**
 * A statement is planned once for a connection, perhaps while its tables are nearly empty. It must use its index then too,
 * and the index's order: a plan that reads a small table whole would be kept while the table grows.
 */
const planning = `set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off; set enable_bitmapscan = off; set jit = off`

const goodbye_ms = 1_000

/** One connection that takes a new statement while earlier ones are under way. It is opened again when it was lost. */
class PipelinedConnection implements Sql {
  /** Statements handed in and not yet answered. */
  pending = 0
  private connection: Connection | undefined
  private opened: Promise<Connection> | undefined
  private silence: NodeJS.Timeout | undefined
  private readonly options: PipelinedConnectionOptions

  constructor(options: PipelinedConnectionOptions) {
    this.options = options
  }

  async sql<Row extends object>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> {
    this.pending++
    this.silence ??= this.awaitAnswer()
    try {
      const connection = await (this.opened ??= this.open())
      return await this.send<Row>(connection, strings, values)
    } finally {
      this.pending--
      clearTimeout(this.silence)
      this.silence = this.pending > 0 ? this.awaitAnswer() : undefined
    }
  }

  /** Sends a statement, again where PostgreSQL has certainly not carried it out and may do so now. */
  private async send<Row extends object>(
    connection: Connection,
    strings: TemplateStringsArray,
    values: unknown[],
    tries_left = 3,
  ): Promise<Row[]> {
    try {
      return await send<Row>(connection, strings, values)
    } catch (error) {
      if (isStalePlan(error)) return send<Row>(connection, strings, values)
      if (isUnprepared(error) && tries_left > 0) return this.send<Row>(connection, strings, values, tries_left - 1)
      if (!isReadOnly(error)) throw error
      const other = await (this.opened ??= this.open())
      if (other === connection || other.isReadOnly()) throw error
      return send<Row>(other, strings, values)
    }
  }

  ping() {
    if (this.pending === 0 && this.connection) this.sql`select 1`.catch(() => {})
  }

  /** Any answer begins the wait anew: a lane that has much to do is not a lost one. */
  private awaitAnswer() {
    const { silence_ms } = this.options
    return setTimeout(() => {
      const { connection } = this
      this.forget(connection)
      connection?.abandon(
        Object.assign(new Error(`the database gave no answer for ${silence_ms} ms`), { code: 'ETIMEDOUT' }),
      )
    }, silence_ms)
  }

  private async open() {
    const connection = new Connection({ ...this.options.connection, pipeline: true } as ConnectionConfig)
    this.connection = connection
    const lost = () => this.forget(connection)
    connection.on('error', lost).on('end', lost)
    connection.once('retired', lost)
    try {
      await connection.connect()
      await connection.query(`${planning}; set lock_timeout = ${this.options.lock_ms}`)
      return connection
    } catch (error) {
      lost()
      connection.abandon()
      throw neverSent(error as Error)
    }
  }

  private forget(connection: Connection | undefined) {
    if (this.connection !== connection) return
    this.connection = undefined
    this.opened = undefined
  }

  async close() {
    await this.connection?.close(this.pending > 0 ? this.options.silence_ms : goodbye_ms)
  }
}

/** Lanes that share the statements between them: measured 2.0–2.7 × a pool (stack.md of the design). */
export class PipelinedConnectionGroup implements Sql {
  private readonly lanes: PipelinedConnection[]

  constructor(options: PipelinedConnectionOptions, size: number) {
    this.lanes = Array.from({ length: size }, () => new PipelinedConnection(options))
  }

  sql<Row extends object>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> {
    const lane = this.lanes.reduce((least, next) => (next.pending < least.pending ? next : least))
    return lane.sql<Row>(strings, ...values)
  }

  /** Has idle lanes ask for an answer, so that one that was lost is found before work is sent on it. Waits for none. */
  ping() {
    for (const lane of this.lanes) lane.ping()
  }

  async close() {
    await Promise.all(this.lanes.map((lane) => lane.close()))
  }
}
