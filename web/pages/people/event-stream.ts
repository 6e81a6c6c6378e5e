import type { Static } from 'typebox'
import { framesOf } from '../../../client/src/event-frames.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { Wire } from '../../../contract/endpoint.ts'
import type { readEvents } from '../../../contract/social.ts'
import { ApiError } from '../../api/errors.ts'
import { fetchEvents, takeOpenedEvents } from '../../api/event-connection.ts'
import { currentSession, reauthenticate } from '../../session/session.ts'

type Events = typeof readEvents.events

export type PlazaEvent = {
  [Name in keyof Events]: { name: Name; data: Wire<Static<Events[Name]>> }
}[keyof Events]

/** `disconnected`: retried at `retry_at` (ms since the epoch). `refused`: not retried. */
export type StreamState =
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'disconnected'; retry_at: number }
  | { status: 'refused'; error: Error }

export interface StreamOptions {
  channel_ids: readonly string[]
  /** The id of the last event received: a new connection continues after it. Updated in place. */
  cursor: { last_event_id: string | undefined }
  onEvent: (event: PlazaEvent) => void
  onState: (state: StreamState) => void
  /** A session that ended is left to the page to find: the stream asks nobody to sign in, and tries again. */
  in_background?: boolean
}

/** Two missed heartbeats and a margin: the connection is dead. */
const idle_timeout_ms = (decisions.event_streams.heartbeat_seconds * 2 + 5) * 1000
const retry_max_ms = 30_000
/** Browsers limit connections per origin: a tab hidden for this long closes its connection. */
const hidden_timeout_ms = 60_000

/** Follows the event stream until the returned function is called. Reconnects at the cursor with exponential backoff. */
export function followEvents(options: StreamOptions): () => void {
  const controller = new AbortController()
  void follow(options, controller.signal)
  return () => controller.abort()
}

async function follow(options: StreamOptions, signal: AbortSignal) {
  let retry_ms = 1_000
  for (let failed = 0; !signal.aborted;) {
    if (document.hidden) await waitForRetry(Infinity, signal)
    if (signal.aborted) return
    if (failed === 0) options.onState({ status: 'connecting' })
    try {
      const outcome = await readConnection(options, signal, { failed, onRetry: (ms) => (retry_ms = ms) })
      if (outcome === 'signed_out') return
      failed = 0
      if (outcome === 'ended') await waitForRetry(retry_ms, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.status < 500 && error.status !== 429)
        return options.onState({ status: 'refused', error })
      failed += 1
      const retry_after_ms = error instanceof ApiError ? (error.retry_at ?? 0) - Date.now() : 0
      const wait = Math.max(retry_after_ms, Math.min(retry_max_ms, retry_ms * 2 ** (failed - 1)))
      options.onState({ status: 'disconnected', retry_at: Date.now() + wait })
      await waitForRetry(wait, signal)
    }
  }
}

/** Reads one connection to its end. Rejects when it cannot be opened or breaks. */
async function readConnection(
  options: StreamOptions,
  closed: AbortSignal,
  { failed, onRetry }: { failed: number; onRetry: (ms: number) => void },
) {
  const session = currentSession()
  if (!session) return 'signed_out'
  const connection = watchConnection(closed)
  const { signal } = connection
  try {
    const { channel_ids, cursor } = options
    const request = { channel_ids, token: session.token, last_event_id: cursor.last_event_id, signal }
    const response = await (takeOpenedEvents(request) ?? fetchEvents(request))
    if (response.status === 401) {
      if (options.in_background) throw new Error('The session has ended.')
      return (await reauthenticate(session)) ? 'renewed' : 'signed_out'
    }
    const { body } = response
    if (!response.ok || !body) throw new ApiError(response.status, response.headers, await failureOf(response))
    options.onState({ status: 'live' })
    // While nothing could be connected, the page has read its lists without the stream.
    if (failed > 0 && cursor.last_event_id === undefined) options.onEvent({ name: 'reset', data: {} })
    for await (const { id, event, data, retry_ms } of framesOf(body)) {
      connection.resetIdleTimer()
      if (retry_ms !== undefined) onRetry(retry_ms)
      if (event !== undefined && data !== undefined)
        options.onEvent({ name: event, data: JSON.parse(data) as unknown } as PlazaEvent)
      if (id !== undefined) options.cursor.last_event_id = id
    }
    return 'ended'
  } catch (error) {
    if (connection.isClosedHidden()) return 'hidden'
    throw error
  } finally {
    connection.close()
  }
}

/** Aborts a connection on `signal`, when offline, after the idle timeout, or when the tab is hidden for too long. */
function watchConnection(signal: AbortSignal) {
  const controller = new AbortController()
  let idle = setTimeout(() => controller.abort(), idle_timeout_ms)
  let hidden: ReturnType<typeof setTimeout> | undefined
  let closed_hidden = false
  const closeHidden = () => {
    closed_hidden = true
    controller.abort()
  }
  const onVisibilityChange = () => {
    clearTimeout(hidden)
    hidden = document.hidden ? setTimeout(closeHidden, hidden_timeout_ms) : undefined
  }
  const stop = () => controller.abort()
  signal.addEventListener('abort', stop)
  addEventListener('offline', stop)
  document.addEventListener('visibilitychange', onVisibilityChange)
  onVisibilityChange()
  return {
    signal: controller.signal,
    isClosedHidden: () => closed_hidden,
    resetIdleTimer: () => {
      clearTimeout(idle)
      idle = setTimeout(() => controller.abort(), idle_timeout_ms)
    },
    close: () => {
      controller.abort()
      clearTimeout(idle)
      clearTimeout(hidden)
      signal.removeEventListener('abort', stop)
      removeEventListener('offline', stop)
      document.removeEventListener('visibilitychange', onVisibilityChange)
    },
  }
}

/** Waits `ms`; ends early when the network is back, the tab becomes visible, or on `signal`. */
const waitForRetry = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = ms === Infinity ? undefined : setTimeout(() => wake(), ms)
    const wake = (event?: Event) => {
      if (event?.type === 'visibilitychange' && document.hidden) return
      clearTimeout(timer)
      removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', wake)
      signal.removeEventListener('abort', wake)
      done()
    }
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    signal.addEventListener('abort', wake)
  })

const failureOf = (response: Response) =>
  response.json().then(
    (body) => body as ConstructorParameters<typeof ApiError>[2],
    () => undefined,
  )
