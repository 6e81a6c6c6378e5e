import pg from 'pg'
import { Connection, type ConnectionConfig } from './connection.ts'
import type { Logger } from '../log.ts'

/** A connection that hears what transactions announce with NOTIFY. It is reopened whenever it is lost. */
export interface Listener {
  /** False while something might go unheard. */
  isListening(): boolean
  close(): Promise<void>
}

export interface ListenerOptions {
  connection: ConnectionConfig
  log: Logger
  /** What the connection calls itself, and its log lines. */
  name: string
  channel: string
  onNotification(payload: string): void
  /** The connection stands, for the first time or again: what was announced before is not known. */
  onConnected(): void
}

const ping_ms = 1_000
const reconnect_ms = 100
/** After a try that failed: a standby, where nobody can listen, may stay one for long. */
const reconnect_again_ms = 400

/** Opens the listening connection; resolves when it listens, or when the first try failed and others follow. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { connection, log, name, channel, onNotification, onConnected } = options
  let listening = false
  let closed = false
  let failures = 0
  let client: Connection | undefined
  let retry: NodeJS.Timeout | undefined

  function lost(failed: Connection, error?: Error) {
    if (client !== failed) return
    client = undefined
    listening = false
    failed.abandon()
    if (closed) return
    if (failures++ === 0)
      log.warn({ listener: name, error: error?.message }, 'a listening connection was lost and is opened again')
    retry = setTimeout(() => void listen(), failures === 1 ? reconnect_ms : reconnect_again_ms)
  }

  async function listen() {
    const opened = new Connection({ ...connection, application_name: name, connectionTimeoutMillis: 5_000 })
    client = opened
    opened.on('error', (error) => lost(opened, error)).on('end', () => lost(opened))
    opened.on('notification', ({ payload }) => onNotification(payload ?? ''))
    try {
      await opened.connect()
      await opened.query(`listen ${pg.escapeIdentifier(channel)}`)
      onConnected()
      listening = client === opened
      if (listening) failures = 0
    } catch (error) {
      lost(opened, error as Error)
    }
  }

  /** A connection that died silently is noticed by a ping that comes not back. */
  const pinger = setInterval(() => {
    const pinged = client
    if (!pinged || !listening) return
    const late = setTimeout(() => lost(pinged, new Error('no answer to a ping')), ping_ms)
    pinged.query('select 1').then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    )
  }, ping_ms)

  await listen()
  return {
    isListening: () => listening,
    async close() {
      closed = true
      clearInterval(pinger)
      clearTimeout(retry)
      await client?.close(ping_ms)
    },
  }
}
