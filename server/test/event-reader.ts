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
  /** The raw text received so far. */
  text(): string
  events: ReceivedEvent[]
  /** The id to resume from; the server also sends ids without an event. */
  lastEventId(): string
  /** Resolves when that many events were received; rejects after 15 s. */
  received(count: number): Promise<ReceivedEvent[]>
  /** Resolves when the stream has ended. */
  ended: Promise<void>
  close(): Promise<void>
}

interface Options {
  path?: string
  /** Replaces the user’s token. */
  authorization?: string
  channels?: string[]
  last_event_id?: string
  by_query?: boolean
}

const timeout_ms = 15_000

/** Opens the event stream as a user, waits for its first bytes, and collects the events. */
export async function openEventReader(
  plaza: TestService,
  user: Pick<SomeUser, 'token'>,
  { path = '/api/events', authorization, channels, last_event_id, by_query = false }: Options = {},
): Promise<EventReader> {
  const query = new URLSearchParams({
    ...(channels && { channels: channels.join(',') }),
    ...(by_query && last_event_id !== undefined && { last_event_id }),
  })
  const abort = new AbortController()
  const response = await fetch(`${plaza.url}${path}?${query.toString()}`, {
    headers: {
      authorization: authorization ?? `Bearer ${user.token}`,
      ...(!by_query && last_event_id !== undefined && { 'last-event-id': last_event_id }),
    },
    signal: abort.signal,
  })
  const events: ReceivedEvent[] = []
  let all = ''
  let buffered = ''
  let last_id = ''
  let onEvents = () => {}
  let onFirstBytes = () => {}
  const first_bytes = new Promise<void>((done) => {
    onFirstBytes = done
  })
  function receive(text: string) {
    all += text
    onFirstBytes()
    buffered += text
    const blocks = buffered.split('\n\n')
    buffered = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^[^:]*: ?/, '')]))
      last_id = fields.get('id') ?? last_id
      const data = fields.get('data')
      if (data !== undefined)
        events.push({
          id: last_id,
          event: fields.get('event') ?? '',
          data: JSON.parse(data) as Record<string, unknown>,
        })
    }
    onEvents()
  }
  const ended = (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) receive(decoder.decode(chunk as Uint8Array, { stream: true }))
    } catch {
      // Closed by the test, or reset by the server.
    }
  })()
  await Promise.race([first_bytes, ended])
  return {
    status: response.status,
    headers: response.headers,
    text: () => all,
    events,
    lastEventId: () => last_id,
    received: (count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error(`${events.length} of ${count} events received: ${all.slice(-2000)}`))
        }, timeout_ms)
        onEvents = () => {
          if (events.length < count) return
          clearTimeout(timer)
          resolve(events)
        }
        onEvents()
      }),
    ended,
    async close() {
      abort.abort()
      await ended
    },
  }
}
