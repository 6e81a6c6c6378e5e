import type { EventStream } from '../platform/event-stream.ts'

export interface WrittenItems<Item> {
  /** The name of the event of each item. */
  event: string
  /** Opens the items, which end when the signal aborts. If they fail, the stream ends without an event. */
  open(signal: AbortSignal): AsyncIterable<readonly Item[]>
  /** True if the reader may still read; called before each send. */
  mayRead(): Promise<boolean>
  heartbeat_seconds: number
}

const stall_timeout_ms = 60_000

/** Writes items to a stream as events whenever it has drained, and `ended` after the last one. */
export function writeItems<Item>(stream: EventStream, items: WrittenItems<Item>) {
  const abort = new AbortController()
  stream.onClose(() => abort.abort())
  startHeartbeat(stream, items, () => abort.abort())
  void writeAll(stream, items, abort.signal)
}

async function writeAll<Item>(stream: EventStream, { event, open, mayRead }: WrittenItems<Item>, signal: AbortSignal) {
  stream.send([': \n\n'])
  try {
    for await (const batch of open(signal)) {
      if (!(await mayRead())) break
      stream.send(batch.map((item) => `event: ${event}\ndata: ${JSON.stringify(item)}\n\n`))
      await stream.drained()
    }
    stream.end(['event: ended\ndata: {}\n\n'])
  } catch {
    stream.end()
  }
}

/** Sends heartbeats; ends the stream if its reader stalls, and aborts it if the reader has lost access. */
function startHeartbeat<Item>(
  stream: EventStream,
  { mayRead, heartbeat_seconds }: WrittenItems<Item>,
  abort: () => void,
) {
  async function beat() {
    if (stream.stalledMs() > stall_timeout_ms) stream.end()
    else if (!(await mayRead())) abort()
    else if (stream.stalledMs() === 0) stream.send([': \n\n'])
  }
  // If access cannot be checked, nothing is sent either.
  const timer = setInterval(() => void beat().catch(() => {}), heartbeat_seconds * 1000)
  stream.onClose(() => clearInterval(timer))
}
