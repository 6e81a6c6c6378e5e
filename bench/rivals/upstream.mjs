// The upstream of both proxies of the benchmark `router`: a plain Node server that returns half a kilobyte and echoes short WebSocket
// messages.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const body = 'x'.repeat(512)
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length })
  response.end(body)
})

server.on('upgrade', ({ headers }, socket) => {
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
  )
  let pending = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (let length = frameLength(pending); length <= pending.length; length = frameLength(pending)) {
      socket.write(echo(pending.subarray(0, length)))
      pending = pending.subarray(length)
    }
  })
})

/** The length of the first frame: a header of two bytes, a mask of four, less than 126 bytes of payload. */
const frameLength = (bytes) => (bytes.length < 2 ? Infinity : 6 + (bytes[1] & 0x7f))

function echo(frame) {
  const answer = Buffer.alloc(frame.length - 4)
  answer[0] = frame[0]
  answer[1] = frame.length - 6
  for (let at = 6; at < frame.length; at++) answer[at - 4] = frame[at] ^ frame[2 + ((at - 6) % 4)]
  return answer
}

server.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
