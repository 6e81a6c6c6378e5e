import type { Listener } from '../../containers.rules.ts'

const listening = '0A'
/** Docker's own name server in networks of containers. */
const engine_address = '127.0.0.11'

/** The listeners in the text of `/proc/net/tcp` and `/proc/net/tcp6`, without duplicates, by port. */
export function parseListeners(text: string): Listener[] {
  const found = new Map<string, Listener>()
  for (const line of text.split('\n')) {
    const [, local = '', , state, queues = ''] = line.trim().split(/\s+/)
    const [, hex = '', port_hex = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(local) ?? []
    if (hex === '' || state !== listening) continue
    const waiting = Number.parseInt(queues.split(':')[1] ?? '0', 16)
    const listener = { address: addressOf(hex), port: Number.parseInt(port_hex, 16), waiting }
    if (listener.address !== engine_address) found.set(`${listener.address} ${listener.port}`, listener)
  }
  return [...found.values()].sort((one, other) => one.port - other.port)
}

/** An address in the kernel's format: words of four bytes, each in reverse order. */
function addressOf(hex: string) {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()])
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) => (bytes[at * 2]! * 256 + bytes[at * 2 + 1]!).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
