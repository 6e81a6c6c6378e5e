import { connect } from 'node:net'

interface Exchanged {
  /** All bytes of the service; `head` is in lower case. */
  text: string
  status: number
  head: string
  body: string
}

/** Sends bytes to a service, and reads until it closes the connection. */
export function exchange({ url }: { url: string }, sent: string | Buffer): Promise<Exchanged> {
  return new Promise((done) => {
    const { port, hostname } = new URL(url)
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(sent))
    socket.setTimeout(60_000, () => socket.destroy())
    socket.on('data', (part) => (text += part.toString('latin1'))).on('error', () => {})
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n', 2)
      done({ text, status: Number(head.slice(9, 12)), head: head.toLowerCase(), body })
    })
  })
}

/** A request as bytes, from the lines of its head. */
export const requestOf = (lines: string[], body = '') => [...lines, '', body].join('\r\n')
