import type { Static } from 'typebox'
import { framesOf } from '../../client/src/event-frames.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Wire } from '../../contract/endpoint.ts'
import { readEvents } from '../../contract/social.ts'
import { reauthenticate } from '../session/renew.ts'
import { currentSession } from '../session/session.ts'
import { ApiError } from './errors.ts'

type Events = typeof readEvents.events

export type PlazaEvent = {
  [Name in keyof Events]: { name: Name; data: Wire<Static<Events[Name]>> }
}[keyof Events]

/** `disconnected`: retried at `retry_at` (ms since the epoch). `refused`: retried when the tab is shown again. */
export type StreamState =
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'disconnected'; retry_at: number }
  | { status: 'refused'; message: string }

export interface StreamOptions {
  channelIds(): readonly string[]
  /** The id of the last event received, from which a new connection continues. Updated in place. */
  cursor: { last_event_id: string | undefined }
  onEvent(event: PlazaEvent): void
  onState(state: StreamState): void
  /** Whether an ended session asks the person to sign in; otherwise the stream retries until the page notices. */
  mayAsk(): boolean
}

/** Two missed heartbeats and a margin: the connection is dead. */
const idle_timeout_ms = (decisions.event_streams.heartbeat_seconds * 2 + 5) * 1000
const retry_max_ms = 30_000

/** The reason of a disconnect because other channels are needed. */
const changed = 'changed'

/**
 * Follows the event stream until `signal` is aborted. Reconnects at the cursor with exponential backoff, and
 * immediately after `reconnect`, which it passes to the caller.
 */
export async function followEvents(
  options: StreamOptions,
  signal: AbortSignal,
  onReconnect: (run: () => void) => void,
) {
  let retry_ms = 1_000
  for (let failed = 0; !signal.aborted;) {
    const controller = new AbortController()
    onReconnect(() => controller.abort(changed))
    if (failed === 0) options.onState({ status: 'connecting' })
    try {
      const onRetry = (ms: number) => (retry_ms = ms)
      const outcome = await readConnection(options, AbortSignal.any([signal, controller.signal]), { failed, onRetry })
      failed = 0
      if (outcome === 'ended') await waitForRetry(retry_ms, signal)
      if (outcome === 'signed_out') await waitForRetry(Infinity, signal)
    } catch (error) {
      if (signal.aborted) return
      if (controller.signal.reason === changed) failed = 0
      else if (error instanceof ApiError && error.status < 500 && error.status !== 429) {
        options.onState({ status: 'refused', message: error.message })
        await waitForRetry(Infinity, AbortSignal.any([signal, controller.signal]))
      } else {
        failed += 1
        const retry_after_ms = error instanceof ApiError ? (error.retry_at ?? 0) - Date.now() : 0
        const wait = Math.max(retry_after_ms, Math.min(retry_max_ms, retry_ms * 2 ** (failed - 1)))
        options.onState({ status: 'disconnected', retry_at: Date.now() + wait })
        await waitForRetry(wait, signal)
      }
    }
  }
}

const openConnection = (
  { channelIds, cursor: { last_event_id } }: StreamOptions,
  token: string,
  signal: AbortSignal,
) => {
  const channels = channelIds().join(',')
  return fetch(`${readEvents.path}?notices=true&balances=true${channels && `&channels=${channels}`}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(last_event_id !== undefined && { 'last-event-id': last_event_id }),
    },
    signal,
    cache: 'no-store',
  })
}

/** Reads one connection to its end. Rejects if it cannot be opened or breaks. */
async function readConnection(
  options: StreamOptions,
  closed: AbortSignal,
  { failed, onRetry }: { failed: number; onRetry: (ms: number) => void },
) {
  const session = currentSession()
  if (!session) return 'signed_out'
  const { signal, resetIdleTimer, close } = watchConnection(closed)
  try {
    const response = await openConnection(options, session.token, signal)
    if (response.status === 401) {
      if (!options.mayAsk()) throw new Error('The session has ended.')
      return (await reauthenticate(session)) ? 'renewed' : 'signed_out'
    }
    const { body } = response
    if (!response.ok || !body) throw new ApiError(response.status, response.headers, await failureOf(response))
    options.onState({ status: 'live' })
    // While no connection succeeded, the page read its lists without the stream.
    if (failed > 0 && options.cursor.last_event_id === undefined) options.onEvent({ name: 'reset', data: {} })
    for await (const { id, event, data, retry_ms } of framesOf(body)) {
      resetIdleTimer()
      if (retry_ms !== undefined) onRetry(retry_ms)
      if (event !== undefined && data !== undefined)
        options.onEvent({ name: event, data: JSON.parse(data) as unknown } as PlazaEvent)
      if (id !== undefined) options.cursor.last_event_id = id
    }
    return 'ended'
  } finally {
    close()
  }
}

/** Aborts a connection on `closed`, when offline, or after the idle timeout. */
function watchConnection(closed: AbortSignal) {
  const controller = new AbortController()
  const stop = () => controller.abort()
  let idle = setTimeout(stop, idle_timeout_ms)
  addEventListener('offline', stop)
  return {
    signal: AbortSignal.any([closed, controller.signal]),
    resetIdleTimer: () => {
      clearTimeout(idle)
      idle = setTimeout(stop, idle_timeout_ms)
    },
    close: () => {
      stop()
      clearTimeout(idle)
      removeEventListener('offline', stop)
    },
  }
}

/** Waits `ms`; ends early when the network returns, the tab becomes visible, or `signal` is aborted. */
export const waitForRetry = (ms: number, signal: AbortSignal) =>
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
    if (signal.aborted) return done()
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    signal.addEventListener('abort', wake)
  })

const failureOf = (response: Response) =>
  response.json().then(
    (body) => body as ConstructorParameters<typeof ApiError>[2],
    () => undefined,
  )
