/** One frame of a `text/event-stream`. Includes comments and empty frames, which show that the connection is alive. */
export interface Frame {
  event: string | undefined
  data: string | undefined
  id: string | undefined
  retry_ms: number | undefined
}

const noFrame = (): Frame => ({ event: undefined, data: undefined, id: undefined, retry_ms: undefined })

/** The complete frames of a stream. If the stream breaks, an incomplete last frame is dropped. */
export async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let frame = noFrame()
  for await (const line of linesOf(body)) {
    if (line !== '') addField(frame, line)
    else {
      yield frame
      frame = noFrame()
    }
  }
}

function addField(frame: Frame, line: string) {
  const [, name, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? []
  if (name === 'event') frame.event = value
  else if (name === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
  else if (name === 'id' && !value.includes('\0')) frame.id = value
  else if (name === 'retry' && /^\d+$/.test(value)) frame.retry_ms = Number(value)
}

/** Lines end with a line feed, a carriage return, or both. */
async function* linesOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      rest += decoder.decode(part.value, { stream: true })
      // A carriage return at the end may be the first half of a line end.
      const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
      const lines = rest.slice(0, end).split(/\r\n|\r|\n/)
      rest = (lines.pop() ?? '') + rest.slice(end)
      yield* lines
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}
