import type { TestService } from './harness.ts'
import type { SomeUser } from './world.ts'

export interface ReceivedEvent {
  id: string
  event: string
  data: Record<string, unknown>
}

export interface EventReader {
  status: number
  headers: Headers
  /** Everything received so far, as it came. */
  text(): string
  events: ReceivedEvent[]
  /** The id to resume from, which also comes without an event. */
  lastEventId(): string
  /** Resolves when that many events were received; fails when they do not come. */
  received(count: number): Promise<ReceivedEvent[]>
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close(): Promise<void>
}

interface Options {
  channels?: string[]
  last_event_id?: string
  by_query?: boolean
}

const timeout_ms = 15_000

/** Opens the event stream as a user, waits for its beginning, and collects what comes. */
export async function openEventReader(
  plaza: TestService,
  user: Pick<SomeUser, 'token'>,
  { channels, last_event_id, by_query = false }: Options = {},
): Promise<EventReader> {
  const query = new URLSearchParams({
    ...(channels && { channels: channels.join(',') }),
    ...(by_query && last_event_id !== undefined && { last_event_id }),
  })
  const abort = new AbortController()
  const response = await fetch(`${plaza.url}/api/events?${query.toString()}`, {
    headers: {
      authorization: `Bearer ${user.token}`,
      ...(!by_query && last_event_id !== undefined && { 'last-event-id': last_event_id }),
    },
    signal: abort.signal,
  })
  const events: ReceivedEvent[] = []
  let all = ''
  let rest = ''
  let last = ''
  let changed = () => {}
  let begun = () => {}
  const beginning = new Promise<void>((done) => {
    begun = done
  })
  function take(text: string) {
    all += text
    begun()
    rest += text
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^[^:]*: ?/, '')]))
      last = fields.get('id') ?? last
      const data = fields.get('data')
      if (data !== undefined)
        events.push({ id: last, event: fields.get('event') ?? '', data: JSON.parse(data) as Record<string, unknown> })
    }
    changed()
  }
  const ended = (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) take(decoder.decode(chunk as Uint8Array, { stream: true }))
    } catch {
      // closed by us, or cut off by the server
    }
  })()
  await Promise.race([beginning, ended])
  return {
    status: response.status,
    headers: response.headers,
    text: () => all,
    events,
    lastEventId: () => last,
    received: (count) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          reject(new Error(`${events.length} of ${count} events came: ${all.slice(-2000)}`))
        }, timeout_ms)
        changed = () => {
          if (events.length < count) return
          clearTimeout(late)
          resolve(events)
        }
        changed()
      }),
    ended,
    async close() {
      abort.abort()
      await ended
    },
  }
}
