import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { Connection } from './connection.ts'

/** One message of PostgreSQL's protocol. */
function message(type: string, body: Buffer) {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const authenticated = message('R', Buffer.from([0, 0, 0, 0]))
const ready = message('Z', Buffer.from('I'))
const fatal = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
)

test('a server that dies while a connection is opened fails the call and does not end the process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // All in one chunk, as a socket delivers them if it was not read for a while.
    socket.once('data', () => void socket.end(Buffer.concat([authenticated, ready, fatal])))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'plaza', Client: Connection } as pg.PoolConfig)
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  await expect(pool.query('select 1')).rejects.toThrow(/connection/i)
})
