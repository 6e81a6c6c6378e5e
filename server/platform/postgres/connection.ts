import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import pg from 'pg'
import { isOutOfSpace, refusesWrites } from './errors.ts'
import type { DatabaseServers, Member, ServerState } from './servers.ts'
import type { Server } from './url.ts'

/** The kernel asks a peer that has long said nothing whether it is still there, and ends the connection if not. */
export const kept_alive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

export interface ConnectionConfig extends pg.ClientConfig {
  /** The servers among which every connection finds its own, and whose connections are told of a better one. */
  servers?: DatabaseServers | undefined
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** Of a server that is only asked what it is. */
const visit_ms = 2_000
/** What is in flight on a connection that shall end may take so long. */
const retire_ms = 5_000

const noAnswer = () => Object.assign(new Error(`no answer within ${visit_ms / 1_000} s`), { code: 'ETIMEDOUT' })

/**
 * pg's client, and what it lacks: several servers of which the right one is found, an end once a server refuses to write,
 * and an end that needs nobody at the other side.
 */
export class Connection extends pg.Client implements Member {
  server: Server | undefined
  private readonly socket: Socket
  private readonly config: ConnectionConfig
  /** What PostgreSQL reports of the session by itself, at its begin and at every change. */
  private readonly reported = new Map<string, string>()
  private abandoned: Error | undefined
  private retired: Error | undefined

  constructor(config: ConnectionConfig = {}) {
    const socket = new Socket()
    super({ ...kept_alive, ...config, stream: () => socket })
    this.socket = socket
    this.config = config
    const wire = this.connection as unknown as EventEmitter
    wire.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      this.reported.set(String(parameterName), String(parameterValue))
    })
    wire.on('errorMessage', (error: Error) => this.noteRefusal(error))
    this.on('drain', () => this.leaveIfRetired())
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
    servers?.join(this)
    this.once('end', () => servers?.leave(this))
    return this
  }

  private useServer(server: Server) {
    this.server = server
    this.host = server.host
    this.port = server.port
  }

  /** Connects to a server only to see what it is. */
  private async visit(server: Server): Promise<ServerState> {
    const visitor = new Connection({ ...this.config, servers: undefined })
    visitor.useServer(server)
    visitor.on('error', () => {})
    const late = setTimeout(() => visitor.abandon(noAnswer()), visit_ms)
    try {
      await visitor.connect()
      return await visitor.state()
    } finally {
      clearTimeout(late)
      visitor.end().catch(() => {})
    }
  }

  /** What the server is. A pooler between us and it may not pass on what PostgreSQL reports, so it is asked. */
  async state(): Promise<ServerState> {
    const { rows } = await this.query<ServerState>(
      "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::boolean as is_read_only",
    )
    return rows[0] as ServerState
  }

  /** True once the server has said that this session cannot write. */
  isReadOnly() {
    return this.reported.get('in_hot_standby') === 'on' || this.reported.get('default_transaction_read_only') === 'on'
  }

  private noteRefusal(error: Error) {
    if (isOutOfSpace(error)) this.config.servers?.noteFullDisk()
    if (refusesWrites(error)) this.retired ??= this.markRetired(error)
  }

  private markRetired(why: Error) {
    this.emit('retired')
    return new Error(`the connection is not used any more: ${why.message}`, { cause: why })
  }

  /** Has the connection end as soon as what is in flight is answered: another server, or a new session, serves better. */
  retire(why: Error) {
    if (this.retired) return
    this.retired = this.markRetired(why)
    // When this is answered everything before is, and `drain` follows.
    this.query('select 1').catch(() => {})
    setTimeout(() => this.abandon(this.retired), retire_ms).unref()
  }

  /** Between transactions only. The error is what has a pool let go of it. */
  private leaveIfRetired() {
    const { retired } = this
    if (!retired || this.abandoned || this.getTransactionStatus() !== 'I') return
    this.abandoned = retired
    if (this.listenerCount('error') > 0) this.emit('error', retired)
    this.end().catch(() => {})
  }

  /** Ends the connection at once; what still waits for an answer fails, with `error` if there is one. */
  abandon(error?: Error) {
    this.abandoned ??= error ?? new Error('connection terminated: it was given up')
    this.socket.destroy(error)
  }

  /** Ends the connection once everything is answered, or after `wait_ms` in any case. */
  async close(wait_ms: number) {
    const late = setTimeout(() => this.abandon(), wait_ms)
    await this.end()
    clearTimeout(late)
  }
}
