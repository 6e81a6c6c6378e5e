import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../../server/test/wait.ts'
import { startChild } from './child.ts'
import { rawRequest } from './raw.ts'
import { seededJwt, sessionOf, type BenchService, type Closers } from './world.ts'

interface Readers {
  port: number
  channel: string
  /** The number of the first seeded user; the others follow. */
  first: number
  count: number
}

interface ReadersState {
  /** Streams that have started and not ended. */
  connected: number
  /** Messages received by all readers together. */
  received: number
  /** Answers that were not a stream. */
  refused: number
}

/** One reader, over all its connections. */
interface Reader {
  jwt: string
  last_event_id: string
  retry_ms: number
}

const report_ms = 5
/** The maximum of connections that are opened concurrently. */
const opening_max = 200
/** The delay before a reader reconnects until a stream sets another one, as in a browser. */
const retry_ms = 3_000

/** The timeout of a step. */
const step_ms = 300_000

/** Opens readers of one channel, each as another user, in two processes. A reader whose stream ends reconnects and resumes. */
export async function openReaders(
  closers: Closers,
  { port, channel, readers }: { port: number; channel: string; readers: number },
) {
  // Two processes, so that neither reaches the limit of open files.
  const half = Math.ceil(readers / 2)
  const states: ReadersState[] = []
  for (const [at, first] of [0, half].entries()) {
    const { child } = await startChild(closers, fileURLToPath(import.meta.url), ['read'])
    states.push({ connected: 0, received: 0, refused: 0 })
    child.on('message', (state) => (states[at] = state as ReadersState))
    child.send({ port, channel, first, count: at === 0 ? half : readers - half } satisfies Readers)
  }
  const state = () => {
    const sumOf = (of: keyof ReadersState) => states.reduce((sum, each) => sum + each[of], 0)
    return { connected: sumOf('connected'), received: sumOf('received'), refused: sumOf('refused') }
  }
  const until = (is: () => boolean, what: string, interval_ms: number) =>
    waitUntil(is, () => `${what} (${JSON.stringify(state())})`, { timeout_ms: step_ms, interval_ms })
  return {
    state,
    connected: () => until(() => state().connected === readers, `all ${readers} readers`, 20),
    /** Sends a message to all; returns the milliseconds until all have it. */
    async deliver(service: BenchService) {
      const [sent_at, expected] = [performance.now(), state().received + readers]
      const reply = await fetch(`${service.issuer}/api/social/chat/${channel}/messages`, {
        method: 'POST',
        headers: { ...sessionOf(service, 0), 'content-type': 'application/json' },
        body: '{"body":"to everybody"}',
      })
      if (reply.status !== 201) throw new Error(`a message was answered with ${reply.status}`)
      await until(() => state().received >= expected, 'a message at all readers', 2)
      return performance.now() - sent_at
    },
  }
}

/** Runs in the child process. */
async function read({ port, channel, first, count }: Readers) {
  const state: ReadersState = { connected: 0, received: 0, refused: 0 }
  const issuer = `http://127.0.0.1:${port}`
  setInterval(() => process.send?.(state), report_ms)

  function open(reader: Reader, opened: () => void) {
    const socket = connect({ port, host: '127.0.0.1' })
    let [is_open, rest] = [false, '']
    socket.setEncoding('latin1')
    socket.on('error', () => {})
    socket.on('data', (chunk: string) => {
      if (!is_open) {
        if (!chunk.startsWith('HTTP/1.1 200')) {
          state.refused++
          return void socket.destroy()
        }
        is_open = true
        state.connected++
        opened()
      }
      const events = (rest + chunk).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        reader.last_event_id = /^id: ?(.*)$/m.exec(event)?.[1] ?? reader.last_event_id
        reader.retry_ms = Number(/^retry: ?(\d+)$/m.exec(event)?.[1] ?? reader.retry_ms)
        if (event.includes('"to everybody"')) state.received++
      }
    })
    socket.on('close', () => {
      if (is_open) state.connected--
      setTimeout(() => open(reader, opened), reader.retry_ms)
    })
    socket.write(
      rawRequest('GET', `/api/events?channels=${channel}`, {
        authorization: `Bearer ${reader.jwt}`,
        accept: 'text/event-stream',
        ...(reader.last_event_id !== '' && { 'last-event-id': reader.last_event_id }),
      }),
    )
  }

  let next = first
  const openNext = () => {
    if (next === first + count) return
    open({ jwt: seededJwt(issuer, next++), last_event_id: '', retry_ms }, once(openNext))
  }
  for (let at = 0; at < opening_max; at++) openNext()
}

function once(work: () => void) {
  let is_done = false
  return () => {
    if (!is_done) work()
    is_done = true
  }
}

if (process.argv[2] === 'read' && process.send) {
  process.once('message', (readers: Readers) => void read(readers))
  process.send('ready')
}
