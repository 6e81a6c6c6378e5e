import type { ServerResponse } from 'node:http'

/** An answer that goes on: text that is written to a reader bit by bit, with a bound on what waits for a slow one. */
export interface EventStream {
  /** Writes these pieces, or keeps them while the reader is busy. One that lets too much wait is cut off. */
  send(pieces: readonly string[]): void
  /** Resolves when nothing waits any more, and when the stream is over. */
  drained(): Promise<void>
  /** For how long the reader has taken nothing of what waits. */
  stalledMs(): number
  /** Ends the stream after these pieces; with none, cuts it off. */
  end(pieces?: readonly string[]): void
  isClosed(): boolean
  /** Carries `effect` out once, when the stream is over, whoever ended it. */
  onClose(effect: () => void): void
}

/** A reader that does not even take the end is cut off after this. */
const end_grace_ms = 2_000

/** Written at once: the rest waits where it can be counted, and dropped when the reader is cut off. */
const written_max = 16_384

/** What waits for a reader, in order, and how much it is. */
function createOutputBuffer() {
  let pieces: string[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    add(more: readonly string[]) {
      for (const piece of more) {
        pieces.push(piece)
        bytes += Buffer.byteLength(piece)
      }
    },
    /** Takes pieces out up to about this many characters; empty when none are left. */
    take(length_max = Infinity) {
      let taken = 0
      let text = ''
      while (taken < pieces.length && text.length < length_max) text += pieces[taken++]
      pieces = pieces.slice(taken)
      bytes -= Buffer.byteLength(text)
      return text
    },
  }
}

/** Makes a stream of a response whose head is written; up to `buffered_bytes_max` bytes may wait for the reader. */
export function createEventStream(response: ServerResponse, buffered_bytes_max: number): EventStream {
  const waiting = createOutputBuffer()
  let blocked_since: number | undefined
  const effects: (() => void)[] = []
  const drainings: (() => void)[] = []
  const isClosed = () => response.destroyed || response.writableEnded

  /** Writes what waits, as far as the reader takes it. */
  function write() {
    while (blocked_since === undefined && waiting.bytes() > 0)
      if (!response.write(waiting.take(written_max))) blocked_since = Date.now()
  }
  function flush() {
    blocked_since = undefined
    write()
    if (blocked_since === undefined) callAll(drainings.splice(0))
  }
  function settle() {
    waiting.take()
    callAll([...drainings.splice(0), ...effects.splice(0)])
  }
  response.on('drain', flush).on('error', () => response.destroy())
  response.on('close', settle)

  function end(pieces: readonly string[] = []) {
    if (isClosed()) return
    if (pieces.length === 0) {
      response.destroy()
      return
    }
    response.end(waiting.take() + pieces.join(''))
    setTimeout(() => response.destroy(), end_grace_ms).unref()
  }

  return {
    send(pieces) {
      if (isClosed()) return
      waiting.add(pieces)
      if (blocked_since === undefined) write()
      if (waiting.bytes() > buffered_bytes_max) end()
    },
    drained: () =>
      new Promise((done) => {
        if (blocked_since === undefined || isClosed()) done()
        else drainings.push(done)
      }),
    stalledMs: () => (blocked_since === undefined ? 0 : Date.now() - blocked_since),
    end,
    isClosed,
    onClose(effect) {
      if (response.closed) effect()
      else effects.push(effect)
    },
  }
}

function callAll(effects: readonly (() => void)[]) {
  for (const effect of effects) effect()
}
