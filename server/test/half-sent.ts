import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestService } from './harness.ts'
import { waitUntil } from './wait.ts'

export interface HalfSent {
  method: string
  path: string
  authorization?: string
  /** Sent as JSON, or as a form if it is text. */
  body: unknown
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

const continued = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Sends the head of a request and the first byte of its body; resolves when the service has the head. */
export async function halfSend({ url }: TestService, { method, path, authorization, body }: HalfSent) {
  const is_form = typeof body === 'string'
  const bytes = Buffer.from(is_form ? body : JSON.stringify(body))
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  const closed = once(socket, 'close')
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    `Content-Type: ${is_form ? 'application/x-www-form-urlencoded' : 'application/json'}`,
    `Content-Length: ${bytes.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await waitUntil(() => text !== '', 'the service to have the head')
  socket.write(bytes.subarray(0, 1))
  return {
    /** Sends a byte of the body. */
    sendByte: (at: number) => socket.write(bytes.subarray(at, at + 1)),
    /** Sends the rest of the body, and resolves with the answer. */
    async finish() {
      socket.write(bytes.subarray(1))
      await waitUntil(() => isComplete(text), `an answer to ${method} ${path}`)
      socket.destroy()
      return readAnswer(text)
    },
    /** Resolves with the answer when the service has closed the connection. */
    async closed() {
      await closed
      return readAnswer(text)
    },
  }
}

function readAnswer(text: string): RawAnswer {
  const [head = '', body = ''] = text.replace(continued, '').split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(start.split(' ')[1]), headers, body: body === '' ? undefined : (JSON.parse(body) as unknown) }
}

function isComplete(text: string) {
  const [head = '', body = ''] = text.replace(continued, '').split('\r\n\r\n')
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  return length !== undefined && Buffer.byteLength(body) >= Number(length)
}
