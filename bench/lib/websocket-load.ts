import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface WebSocketLoad {
  port: number
  host: string
  connections: number
  seconds: number
}

const payload = 'a message of a site, of a usual length for a chat or a game'
const silence_ms = 30_000

/** A masked text frame (RFC 6455 5.2) with this payload of less than 126 bytes. */
function frameOf(text: string) {
  const mask = randomBytes(4)
  const masked = Buffer.from(text).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
  return Buffer.concat([Buffer.from([0x81, 0x80 | masked.length]), mask, masked])
}

async function open({ port, host }: WebSocketLoad) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(
    `GET /socket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(`no WebSocket: ${answer.toString()}`)
  return socket
}

/** Sends a message after the echo of the previous one; checks each echo. Returns their number. */
function drive(socket: Socket, ends: number) {
  const frame = frameOf(payload)
  const echo = Buffer.concat([Buffer.from([0x81, payload.length]), Buffer.from(payload)])
  return new Promise<number>((resolve, reject) => {
    let echoes = 0
    let pending = Buffer.alloc(0)
    socket.on('error', reject).on('end', () => reject(new Error('a WebSocket was closed')))
    socket.setTimeout(silence_ms, () => reject(new Error(`no echo for ${silence_ms / 1_000} s`)))
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      if (pending.length < echo.length) return
      if (!pending.equals(echo)) return reject(new Error('an echo is another message'))
      pending = Buffer.alloc(0)
      echoes++
      if (performance.now() < ends) return void socket.write(frame)
      socket.destroy()
      resolve(echoes)
    })
    socket.write(frame)
  })
}

/** A closed loop of echoed messages over WebSockets; returns messages per second. */
export async function putWebSocketLoad(load: WebSocketLoad) {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load)))
  const started_at = performance.now()
  const echoes = await Promise.all(sockets.map((socket) => drive(socket, started_at + load.seconds * 1_000)))
  return (echoes.reduce((sum, count) => sum + count, 0) / (performance.now() - started_at)) * 1_000
}
