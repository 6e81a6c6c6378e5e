import type { ServerResponse } from 'node:http'
import type { EventStream } from '../platform/event-stream.ts'

/** A reader that does not accept the end of the stream is disconnected after this time. */
const end_grace_ms = 2_000

/** Characters per write. The rest stays in the buffer, where it is counted and can be dropped. */
const written_max = 16_384

/** Frames buffered for a reader, and their size in bytes. */
function createOutputBuffer() {
  let frames: string[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    add(more: readonly string[]) {
      for (const frame of more) {
        frames.push(frame)
        bytes += Buffer.byteLength(frame)
      }
    },
    /** Removes frames up to about this many characters and returns their text; empty when none are left. */
    take(length_max = Infinity) {
      let taken = 0
      let text = ''
      while (taken < frames.length && text.length < length_max) text += frames[taken++]
      frames = frames.slice(taken)
      bytes -= Buffer.byteLength(text)
      return text
    },
  }
}

/** Creates a stream on a response whose head is written; buffers up to `buffered_bytes_max` bytes. */
export function createEventStream(response: ServerResponse, buffered_bytes_max: number): EventStream {
  const buffer = createOutputBuffer()
  let blocked_since: number | undefined
  const close_listeners: (() => void)[] = []
  const drain_listeners: (() => void)[] = []
  const isClosed = () => response.destroyed || response.writableEnded

  /** Writes as much of the buffer as the reader accepts. */
  function write() {
    while (blocked_since === undefined && buffer.bytes() > 0)
      if (!response.write(buffer.take(written_max))) blocked_since = performance.now()
  }
  function flush() {
    blocked_since = undefined
    write()
    if (blocked_since === undefined) callAll(drain_listeners.splice(0))
  }
  function closed() {
    buffer.take()
    callAll([...drain_listeners.splice(0), ...close_listeners.splice(0)])
  }
  response.on('drain', flush).on('error', () => response.destroy())
  response.on('close', closed)

  function end(frames: readonly string[] = []) {
    if (isClosed()) return
    if (frames.length === 0) {
      response.destroy()
      return
    }
    response.end(buffer.take() + frames.join(''))
    setTimeout(() => response.destroy(), end_grace_ms).unref()
  }

  return {
    send(frames) {
      if (isClosed()) return
      buffer.add(frames)
      if (blocked_since === undefined) write()
      if (buffer.bytes() > buffered_bytes_max) end()
    },
    drained: () =>
      new Promise((done) => {
        if (blocked_since === undefined || isClosed()) done()
        else drain_listeners.push(done)
      }),
    stalledMs: () => (blocked_since === undefined ? 0 : performance.now() - blocked_since),
    end,
    isClosed,
    onClose(listener) {
      if (response.closed) listener()
      else close_listeners.push(listener)
    },
  }
}

function callAll(listeners: readonly (() => void)[]) {
  for (const listener of listeners) listener()
}
