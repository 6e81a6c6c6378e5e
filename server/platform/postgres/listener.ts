import pg from 'pg'
import { StateMachine, type Transitions } from '../state-machine.ts'
import { Connection, type ConnectionConfig } from './connection.ts'
import type { Logger } from '../log.ts'
import { counter, gauge } from '../metrics/metrics.ts'

/** A connection that receives the notifications of one channel (LISTEN). A lost connection is reopened. */
export interface Listener {
  /** False while a notification might be missed: also if no ping of the last two seconds was answered, as after a pause of the process. */
  isListening(): boolean
  close(): Promise<void>
}

export interface ListenerOptions {
  connection: ConnectionConfig
  log: Logger
  /** The `application_name` of the connection, and its name in the log. */
  name: string
  channel: string
  onNotification(payload: string): void
  /** Called each time the connection starts to listen: earlier notifications may have been missed. */
  onConnected(): void
  /** For tests: monotonic milliseconds. */
  now?: () => number
}

const listener_connected = gauge({
  name: 'plaza_listener_connected',
  help: '1 if the connection for notifications of other processes is open, otherwise 0.',
  labels: { listener: 'the `application_name` of the connection in PostgreSQL' },
  across: 'min',
})

const listener_lost = counter({
  name: 'plaza_listener_lost_total',
  help: 'Listening connections that were lost, or could not be opened again.',
  labels: { listener: 'the `application_name` of the connection in PostgreSQL' },
})

const ping_ms = 1_000
const reconnect_ms = 100
/** The delay after a failed attempt: a standby, where nothing can listen, may remain one for a long time. */
const reconnect_after_failure_ms = 400

type State = 'connecting' | 'listening' | 'waiting' | 'closed'

/**
 * | state        | next         | when                                                                        |
 * | ------------ | ------------ | --------------------------------------------------------------------------- |
 * | `connecting` | `listening`  | LISTEN was answered; `onConnected` has run                                  |
 * | `connecting` | `waiting`    | the connection could not be opened                                          |
 * | `listening`  | `waiting`    | the connection was lost, retired, or did not answer a ping within `ping_ms` |
 * | `waiting`    | `connecting` | after `reconnect_ms`, or `reconnect_after_failure_ms`                       |
 * | any          | `closed`     | `close` was called                                                          |
 */
const transitions: Transitions<State> = {
  connecting: ['listening', 'waiting', 'closed'],
  listening: ['waiting', 'closed'],
  waiting: ['connecting', 'closed'],
  closed: [],
}

class ReconnectingListener {
  private readonly options: ListenerOptions
  private readonly state = new StateMachine<State>('listener', transitions, 'connecting')
  private readonly pinger: NodeJS.Timeout
  private client: Connection | undefined
  private reconnect: NodeJS.Timeout | undefined
  /** Connections lost or not opened since it last listened. */
  private failures = 0
  private is_asked = false
  /** When the last answered query was sent: notifications of before have arrived. */
  private proved_at = -Infinity
  private readonly now: () => number

  constructor(options: ListenerOptions) {
    this.options = options
    this.now = options.now ?? (() => performance.now())
    // After a pause of the process, timers are due before an answer that has arrived is read.
    this.pinger = setInterval(() => setImmediate(() => this.ping()), ping_ms)
  }

  isOpen() {
    return this.state.is('listening')
  }

  isListening() {
    return this.isOpen() && this.now() - this.proved_at <= 2 * ping_ms
  }

  async connect() {
    const { connection, name, channel, onNotification, onConnected } = this.options
    const client = new Connection({ ...connection, application_name: name, connectionTimeoutMillis: 5_000 })
    this.client = client
    client.on('error', (error) => this.lose(client, error)).on('end', () => this.lose(client))
    client.on('notification', ({ payload }) => onNotification(payload ?? ''))
    try {
      await client.connect()
      const asked_at = this.now()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      onConnected()
      if (this.client !== client || !this.state.is('connecting')) return
      this.state.enter('listening')
      this.is_asked = false
      this.proved_at = asked_at
      this.failures = 0
    } catch (error) {
      this.lose(client, error as Error)
    }
  }

  private lose(lost: Connection, error?: Error) {
    if (this.client !== lost) return
    this.client = undefined
    lost.abandon()
    if (this.state.is('closed')) return
    this.state.enter('waiting')
    const { log, name } = this.options
    listener_lost.with({ listener: name }).add()
    if (this.failures++ === 0)
      log.warn({ listener: name, error: error?.message }, 'a listening connection was lost and is opened again')
    const wait_ms = this.failures === 1 ? reconnect_ms : reconnect_after_failure_ms
    this.reconnect = setTimeout(() => {
      this.state.enter('connecting')
      void this.connect()
    }, wait_ms)
  }

  /** Detects a connection that the network lost silently. */
  private ping() {
    const { client } = this
    if (!client || !this.isOpen()) return
    if (this.is_asked) return this.lose(client, new Error('no answer to a ping'))
    const asked_at = this.now()
    const answered = () => {
      this.is_asked = false
      this.proved_at = asked_at
    }
    this.is_asked = true
    client.query('select 1').then(answered, (error: Error) => this.lose(client, error))
  }

  async close() {
    if (!this.state.is('closed')) this.state.enter('closed')
    clearInterval(this.pinger)
    clearTimeout(this.reconnect)
    await this.client?.close(ping_ms)
  }
}

/** Opens the listening connection. Resolves when it listens, or when the first attempt has failed and others follow. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const listener = new ReconnectingListener(options)
  const stopShowing = listener_connected.read(() => [
    { labels: { listener: options.name }, value: Number(listener.isOpen()) },
  ])
  await listener.connect()
  return {
    isListening: () => listener.isListening(),
    close() {
      stopShowing()
      return listener.close()
    },
  }
}
