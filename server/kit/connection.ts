import { Socket } from 'node:net'
import pg from 'pg'

/** The kernel asks a peer that has long said nothing whether it is still there, and ends the connection if not. */
export const kept_alive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** pg's client, and what it lacks: an end that needs nobody at the other side. */
export class Connection extends pg.Client {
  private readonly socket: Socket

  constructor(config: pg.ClientConfig) {
    const socket = new Socket()
    super({ ...kept_alive, ...config, stream: () => socket })
    this.socket = socket
  }

  /** Ends the connection at once; what still waits for an answer fails, with `error` if there is one. */
  abandon(error?: Error) {
    this.socket.destroy(error)
  }

  /** Ends the connection once everything is answered, or after `wait_ms` in any case. */
  async close(wait_ms: number) {
    const late = setTimeout(() => this.abandon(), wait_ms)
    await this.end()
    clearTimeout(late)
  }
}
