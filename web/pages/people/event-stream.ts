import type { Static } from 'typebox'
import { decisions } from '../../../contract/decisions.ts'
import type { Wire } from '../../../contract/endpoint.ts'
import { readEvents } from '../../../contract/social.ts'
import { ApiError } from '../../api/errors.ts'
import { currentSession, reauthenticate } from '../../session/session.ts'

type Events = typeof readEvents.events

/** Something that happened, as the stream tells it. */
export type PlazaEvent = {
  [Name in keyof Events]: { name: Name; data: Wire<Static<Events[Name]>> }
}[keyof Events]

/** `away`: what happens is not heard now, and from when on it is tried again. `refused`: nothing will come of trying. */
export type StreamState =
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'away'; retry_at: number }
  | { status: 'refused'; error: Error }

export interface StreamOptions {
  channel_ids: readonly string[]
  /** The id of the last event heard: the stream goes on after it. */
  cursor: { last_event_id: string | undefined }
  onEvent: (event: PlazaEvent) => void
  onState: (state: StreamState) => void
}

/** Twice without a sign of life, and a little: the connection is dead, whatever the network says. */
const idle_timeout_ms = (decisions['D-80'].value.heartbeat_seconds * 2 + 5) * 1000
const retry_max_ms = 30_000
/** A browser opens few connections to one service, and every hidden tab would hold one. */
const hidden_timeout_ms = 60_000

/** Hears events until the answer is called. A broken stream is taken up again where it ended, ever less often. */
export function followEvents(options: StreamOptions): () => void {
  const over = new AbortController()
  void follow(options, over.signal)
  return () => over.abort()
}

async function follow(options: StreamOptions, over: AbortSignal) {
  let retry_ms = 1_000
  for (let failed = 0; !over.aborted;) {
    if (document.hidden) await waitForRetry(Infinity, over)
    if (over.aborted) return
    if (failed === 0) options.onState({ status: 'connecting' })
    try {
      const outcome = await readConnection(options, over, (ms) => (retry_ms = ms))
      if (outcome === 'signed_out') return
      failed = 0
      if (outcome === 'ended') await waitForRetry(retry_ms, over)
    } catch (error) {
      if (over.aborted) return
      if (error instanceof ApiError && error.status < 500 && error.status !== 429)
        return options.onState({ status: 'refused', error })
      failed += 1
      const asked = error instanceof ApiError ? (error.retry_at ?? 0) - Date.now() : 0
      const wait = Math.max(asked, Math.min(retry_max_ms, retry_ms * 2 ** (failed - 1)))
      options.onState({ status: 'away', retry_at: Date.now() + wait })
      await waitForRetry(wait, over)
    }
  }
}

/** One connection, from its opening to its end. Rejects when there is none to be had, or when it breaks. */
async function readConnection(options: StreamOptions, over: AbortSignal, onRetry: (ms: number) => void) {
  const session = currentSession()
  if (!session) return 'signed_out'
  const connection = watchConnection(over)
  const { signal } = connection
  try {
    const response = await fetch(addressOf(options), {
      headers: headersOf(session.token, options),
      signal,
      cache: 'no-store',
    })
    if (response.status === 401) return (await reauthenticate(session)) ? 'renewed' : 'signed_out'
    const { body } = response
    if (!response.ok || !body) throw new ApiError(response.status, response.headers, await failureOf(response))
    options.onState({ status: 'live' })
    for await (const { id, event, data, retry } of framesOf(body)) {
      connection.alive()
      if (retry !== undefined) onRetry(Number(retry))
      if (event !== undefined && data !== undefined)
        options.onEvent({ name: event, data: JSON.parse(data) as unknown } as PlazaEvent)
      if (id !== undefined) options.cursor.last_event_id = id
    }
    return 'ended'
  } catch (error) {
    if (connection.rested()) return 'rested'
    throw error
  } finally {
    connection.close()
  }
}

/** What cuts a connection: the page is done, the network gone, silence for too long, or nobody looks for a while. */
function watchConnection(over: AbortSignal) {
  const controller = new AbortController()
  let silence = setTimeout(() => controller.abort(), idle_timeout_ms)
  let hidden: ReturnType<typeof setTimeout> | undefined
  let rested = false
  const rest = () => {
    rested = true
    controller.abort()
  }
  const onVisibilityChange = () => {
    clearTimeout(hidden)
    hidden = document.hidden ? setTimeout(rest, hidden_timeout_ms) : undefined
  }
  const stop = () => controller.abort()
  over.addEventListener('abort', stop)
  addEventListener('offline', stop)
  document.addEventListener('visibilitychange', onVisibilityChange)
  onVisibilityChange()
  return {
    signal: controller.signal,
    rested: () => rested,
    alive: () => {
      clearTimeout(silence)
      silence = setTimeout(() => controller.abort(), idle_timeout_ms)
    },
    close: () => {
      controller.abort()
      clearTimeout(silence)
      clearTimeout(hidden)
      over.removeEventListener('abort', stop)
      removeEventListener('offline', stop)
      document.removeEventListener('visibilitychange', onVisibilityChange)
    },
  }
}

/** Waits; not longer than until the network is back or the page is looked at again. */
const waitForRetry = (ms: number, over: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = ms === Infinity ? undefined : setTimeout(() => wake(), ms)
    const wake = (event?: Event) => {
      if (event?.type === 'visibilitychange' && document.hidden) return
      clearTimeout(timer)
      removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', wake)
      over.removeEventListener('abort', wake)
      done()
    }
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    over.addEventListener('abort', wake)
  })

const addressOf = ({ channel_ids }: StreamOptions) =>
  readEvents.path + (channel_ids.length === 0 ? '' : `?channels=${channel_ids.join(',')}`)

const headersOf = (token: string, { cursor: { last_event_id } }: StreamOptions) => ({
  accept: 'text/event-stream',
  authorization: `Bearer ${token}`,
  ...(last_event_id !== undefined && { 'last-event-id': last_event_id }),
})

const failureOf = (response: Response) =>
  response.json().then(
    (body) => body as ConstructorParameters<typeof ApiError>[2],
    () => undefined,
  )

/** The pieces of a `text/event-stream`: the fields between two empty lines. */
async function* framesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const frames = (rest + read.value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) yield fieldsOf(frame)
  }
}

function fieldsOf(frame: string): Partial<Record<string, string>> {
  const fields = frame.split('\n').map((line) => /^([a-z]+): ?(.*)$/.exec(line))
  return Object.fromEntries(fields.flatMap((field) => (field ? [[field[1], field[2]]] : [])))
}
