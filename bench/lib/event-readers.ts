import { fork } from 'node:child_process'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { rawRequest } from './raw.ts'
import { seededJwt, type Closers } from './world.ts'

interface Readers {
  port: number
  channel: string
  /** The number of the first seeded user; the others follow. */
  first: number
  count: number
}

interface ReadersState {
  /** Streams that have begun and not ended. */
  connected: number
  /** Messages that arrived, at all readers together. */
  received: number
}

/** Readers of the event stream in a process of their own. */
export interface ReaderGroup {
  /** As of a few milliseconds ago. */
  state(): ReadersState
}

const report_ms = 5
/** Connections that are opened at the same time. */
const opening_max = 200
/** A reader whose connection is refused tries again after a random time up to this. */
const retry_ms = 1_000

/** Opens readers of one channel, each of another user; a reader whose stream ends connects again and resumes. */
export async function startReaders(closers: Closers, readers: Readers): Promise<ReaderGroup> {
  const child = fork(fileURLToPath(import.meta.url), ['read'], { execArgv: process.execArgv })
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  closers.add(async () => {
    child.kill()
    await gone
  })
  let state: ReadersState = { connected: 0, received: 0 }
  child.on('message', (message) => {
    state = message as ReadersState
  })
  child.send(readers)
  return { state: () => state }
}

/** In the child. */
async function read({ port, channel, first, count }: Readers) {
  const state: ReadersState = { connected: 0, received: 0 }
  const issuer = `http://127.0.0.1:${port}`
  setInterval(() => process.send?.(state), report_ms)

  function open(n: number, last_event_id: string, opened: () => void) {
    const socket = connect({ port, host: '127.0.0.1' })
    let [is_open, rest, id] = [false, '', last_event_id]
    socket.setEncoding('latin1')
    socket.on('error', () => {})
    socket.on('data', (chunk: string) => {
      if (!is_open) {
        if (!chunk.startsWith('HTTP/1.1 200')) return void socket.destroy()
        is_open = true
        state.connected++
        opened()
      }
      const events = (rest + chunk).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        id = /^id: ?(.*)$/m.exec(event)?.[1] ?? id
        if (event.includes('"to everybody"')) state.received++
      }
    })
    socket.on('close', () => {
      if (is_open) state.connected--
      setTimeout(() => open(n, id, opened), is_open ? 0 : Math.random() * retry_ms)
    })
    socket.write(
      rawRequest('GET', `/api/events?channels=${channel}`, {
        authorization: `Bearer ${seededJwt(issuer, n)}`,
        accept: 'text/event-stream',
        ...(id !== '' && { 'last-event-id': id }),
      }),
    )
  }

  let next = first
  const openNext = () => {
    if (next < first + count) open(next++, '', once(openNext))
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

if (process.argv[2] === 'read' && process.send) process.once('message', (readers: Readers) => void read(readers))
