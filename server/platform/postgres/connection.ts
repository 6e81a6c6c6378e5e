import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import pg from 'pg'
import { isOutOfSpace, refusesWrites } from './errors.ts'
import type { DatabaseServers, Member, ServerState } from './servers.ts'
import type { Server } from './url.ts'

/**
 * The driver reads libpq's variables, such as PGSSLMODE, for everything that a connection does not specify. Only our
 * own settings must count.
 */
for (const name of Object.keys(process.env)) if (name.startsWith('PG')) delete process.env[name]

/** The kernel probes a peer that has been silent for a long time, and ends the connection if it does not answer. */
export const kept_alive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

export interface ConnectionConfig extends pg.ClientConfig {
  /** The servers of the database. Each connection chooses one, and is retired when another takes the writes. */
  servers?: DatabaseServers | undefined
  /**
   * Statements at the start of each session. Settings in the startup message would have the same effect, but poolers
   * such as PgBouncer refuse unknown ones.
   */
  session_start?: string
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** How long a server may take to report its state. */
const visit_ms = 2_000
/** How long statements in flight may take on a connection that is retired. */
const retire_ms = 5_000

const noAnswer = () => Object.assign(new Error(`no answer within ${visit_ms / 1_000} s`), { code: 'ETIMEDOUT' })

/** A pool hides the password of its options from logs; a plain copy would lack it. */
const copyOf = (config: ConnectionConfig) =>
  config.password === undefined ? config : { ...config, password: config.password }

/**
 * pg's client with additional features: it chooses among several servers, ends if its server refuses writes, and can be
 * ended without an answer of the server.
 */
export class Connection extends pg.Client implements Member {
  server: Server | undefined
  private readonly socket: Socket
  private readonly config: ConnectionConfig
  /** Settings that PostgreSQL reports unprompted, at the start of the session and at every change. */
  private readonly reported = new Map<string, string>()
  private abandoned: Error | undefined
  private retired: Error | undefined

  constructor(config: ConnectionConfig = {}) {
    const socket = new Socket()
    super({ ...kept_alive, ...copyOf(config), stream: () => socket })
    this.socket = socket
    this.config = config
    const wire = this.connection as unknown as EventEmitter
    wire.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      this.reported.set(String(parameterName), String(parameterValue))
    })
    wire.on('errorMessage', (error: Error) => this.onErrorMessage(error))
    this.on('drain', () => this.endIfRetired())
    // An error fails the statement in flight, or the next one. Without a listener it would end the process. A pool only
    // listens once it has the connection, but a server that dies at that moment sends its last message earlier.
    this.on('error', () => {})
  }

  override connect(callback?: Connected): Promise<Connection> {
    const connected = this.connectToRightServer()
    if (callback)
      connected.then(
        () => process.nextTick(callback as (error: null, client: pg.Client) => void, null, this),
        (error: Error) => process.nextTick(callback, error, this),
      )
    return connected
  }

  private async connectToRightServer() {
    const { servers } = this.config
    const server = await servers?.choose((candidate) => this.visit(candidate))
    if (this.abandoned) throw this.abandoned
    if (server) this.useServer(server)
    await super.connect()
    await this.beginSession()
    servers?.join(this)
    this.once('end', () => servers?.leave(this))
    return this
  }

  private async beginSession() {
    const { session_start } = this.config
    if (session_start) await this.query(session_start)
  }

  private useServer(server: Server) {
    this.server = server
    this.host = server.host
    this.port = server.port
  }

  /** Connects to a server only to find out if it is a standby or read-only. */
  private async visit(server: Server): Promise<ServerState> {
    const visitor = new Connection({ ...copyOf(this.config), servers: undefined, session_start: '' })
    visitor.useServer(server)
    const timeout = setTimeout(() => visitor.abandon(noAnswer()), visit_ms)
    try {
      await visitor.connect()
      return await visitor.state()
    } finally {
      clearTimeout(timeout)
      visitor.end().catch(() => {})
    }
  }

  /** Reports if the server is a standby or read-only. Uses a query, because a pooler in between may not forward what PostgreSQL reports. */
  async state(): Promise<ServerState> {
    const { rows } = await this.query<ServerState>(
      "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::boolean as is_read_only",
    )
    return rows[0] as ServerState
  }

  /** True once the server has reported that this session cannot write. */
  isReadOnly() {
    return this.reported.get('in_hot_standby') === 'on' || this.reported.get('default_transaction_read_only') === 'on'
  }

  private onErrorMessage(error: Error) {
    if (isOutOfSpace(error)) this.config.servers?.noteFullDisk()
    if (refusesWrites(error)) this.retired ??= this.markRetired(error)
  }

  private markRetired(reason: Error) {
    this.emit('retired')
    return new Error(`the connection was retired: ${reason.message}`, { cause: reason })
  }

  /** Ends the connection once the statements in flight are answered: another server or a new session can write. */
  retire(reason: Error) {
    if (this.retired) return
    this.retired = this.markRetired(reason)
    // Answers arrive in order: after this one nothing is in flight, and `drain` follows.
    this.query('select 1').catch(() => {})
    setTimeout(() => this.abandon(this.retired), retire_ms).unref()
  }

  /** Ends a retired connection between transactions. The error makes a pool discard it. */
  private endIfRetired() {
    const { retired } = this
    if (!retired || this.abandoned || this.getTransactionStatus() !== 'I') return
    this.abandoned = retired
    if (this.listenerCount('error') > 0) this.emit('error', retired)
    this.end().catch(() => {})
  }

  /** Ends the connection immediately. Statements in flight fail, with `error` if given. */
  abandon(error?: Error) {
    this.abandoned ??= error ?? new Error('connection terminated: it was abandoned')
    this.socket.destroy(error)
  }

  /** Ends the connection once everything is answered, or after `wait_ms`. */
  async close(wait_ms: number) {
    const timeout = setTimeout(() => this.abandon(), wait_ms)
    await this.end()
    clearTimeout(timeout)
  }
}
