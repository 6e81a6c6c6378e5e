import { createServer, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { databaseNameOf, type TestService } from './harness.ts'

/** A way to a test's database that breaks as networks do. */
export interface FaultProxy {
  database_url: string
  /** Those who come now are let through; closes nothing and refuses nobody that was not refused before. */
  acceptNew(): void
  /** Ends every connection and refuses new ones. */
  refuseAll(): void
  /** Ends every connection; new ones are accepted and never answered. */
  ignoreNew(): void
  /** Connections that stand go silent without an end, as after a failover; new ones are let through. */
  freezeOpen(): void
  /** Lets the next message with this text through, and ends its connection once the database has answered it. */
  dropResponseTo(text: string): void
}

/** Opens a road over TCP to the database of the service; it is torn up when the test is done. */
export async function openFaultProxy(plaza: TestService): Promise<FaultProxy> {
  const { host, user } = inject('postgres')
  const sockets = new Set<Socket>()
  const silent = new Set<Socket>()
  let arrivals: 'served' | 'refused' | 'ignored' = 'served'
  let lost_answer: string | undefined
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }

  function serve(near: Socket) {
    const far = connect(join(host, '.s.PGSQL.5432'))
    let losing = false
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
    }
    near.on('data', (data) => {
      if (silent.has(near)) return
      if (lost_answer !== undefined && data.includes(lost_answer)) {
        losing = true
        lost_answer = undefined
      }
      far.write(data)
    })
    far.on('data', (data) => {
      if (losing) near.destroy()
      else if (!silent.has(near)) near.write(data)
    })
  }

  const server = createServer((near) => {
    near.on('error', () => {})
    if (arrivals === 'refused') near.destroy()
    else if (arrivals === 'served') serve(near)
    else sockets.add(near)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    endAll()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    database_url: `postgres://${user}@127.0.0.1:${port}/${await databaseNameOf(plaza)}`,
    acceptNew() {
      arrivals = 'served'
    },
    refuseAll() {
      arrivals = 'refused'
      endAll()
    },
    ignoreNew() {
      arrivals = 'ignored'
      endAll()
    },
    freezeOpen() {
      for (const socket of sockets) silent.add(socket)
    },
    dropResponseTo(text) {
      lost_answer = text
    },
  }
}
