import { createServer, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import { atEnd } from './at-end.ts'
import { databaseNameOf, type TestService } from './harness.ts'

/** A TCP proxy in front of the tests' PostgreSQL that injects network faults. */
export interface FaultProxy {
  database_url: string
  /** Forwards new connections from now on; does not affect existing ones. */
  acceptNew(): void
  /** Closes all connections and refuses new ones. */
  refuseAll(): void
  /** Closes all connections; accepts new ones and sends nothing on them. */
  ignoreNew(): void
  /** Existing connections stay open but transmit nothing more, as after a failover; new ones are forwarded. */
  freezeOpen(): void
  /** Forwards the next message that contains this text, and closes its connection when the database responds. */
  dropResponseTo(text: string): void
}

/** Opens a proxy to the service's database; it closes at the end of the test, or outside tests of the file. */
export async function openFaultProxy(plaza: TestService): Promise<FaultProxy> {
  const { host, user } = inject('postgres')
  const sockets = new Set<Socket>()
  const frozen = new Set<Socket>()
  let mode: 'forward' | 'refuse' | 'ignore' = 'forward'
  let dropped_text: string | undefined
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }

  function forward(client: Socket) {
    const database = connect(join(host, '.s.PGSQL.5432'))
    let dropping = false
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
    }
    client.on('data', (data) => {
      if (frozen.has(client)) return
      if (dropped_text !== undefined && data.includes(dropped_text)) {
        dropping = true
        dropped_text = undefined
      }
      database.write(data)
    })
    database.on('data', (data) => {
      if (dropping) client.destroy()
      else if (!frozen.has(client)) client.write(data)
    })
  }

  const server = createServer((client) => {
    client.on('error', () => {})
    if (mode === 'refuse') client.destroy()
    else if (mode === 'forward') forward(client)
    else sockets.add(client)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    closeAll()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    database_url: `postgres://${user}@127.0.0.1:${port}/${await databaseNameOf(plaza)}`,
    acceptNew() {
      mode = 'forward'
    },
    refuseAll() {
      mode = 'refuse'
      closeAll()
    },
    ignoreNew() {
      mode = 'ignore'
      closeAll()
    },
    freezeOpen() {
      for (const socket of sockets) frozen.add(socket)
    },
    dropResponseTo(text) {
      dropped_text = text
    },
  }
}
