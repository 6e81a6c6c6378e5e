import { framesOf } from './event-frames.ts'
import { PlazaError } from './failure.ts'
import type { StreamOptions } from './options.ts'
import { prepare, send, type Input, type Operation, type Received, type Service } from './sending.ts'
import { backoffSeconds, pause, sharedWork } from './waiting.ts'

/** An event: `type` determines `data`; pass `id` as `last_event_id` to continue after this event. */
export type EventOf<Events> = {
  [Type in keyof Events]: { type: Type; id: string | undefined; data: Events[Type] }
}[keyof Events]

/**
 * A stream of events. Iterating over it, once, connects. After a lost connection, or when a renewable token expires, the stream reconnects
 * and continues after the last event. It ends with an event that ends the stream (`session_ended`, `connection_ended`, `ended`), when the
 * loop is left, or with a `PlazaError` if the service refuses the stream.
 */
export interface EventStream<Events> extends AsyncIterable<EventOf<Events>> {
  /** The position at which a later stream continues: the last event read, or a later position without events in between. */
  readonly last_event_id: string | undefined
}

type SomeEvent = { type: string; id: string | undefined; data: unknown }

/** The state of a connection. */
interface Connection {
  /** The type of the last event; undefined if another frame followed it. */
  last_type: string | undefined
  has_frames: boolean
  has_events: boolean
  authorization: string | undefined
}

const newConnection = (): Connection => ({
  last_type: undefined,
  has_frames: false,
  has_events: false,
  authorization: undefined,
})

/** Opens the stream of an operation. */
export function eventStream(service: Service, operation: Operation, input: Input, options: StreamOptions) {
  const state = { last_event_id: options.last_event_id, retry_ms: 1_000 }
  return {
    get last_event_id() {
      return state.last_event_id
    },
    [Symbol.asyncIterator]: () =>
      follow(service, operation, input, { ...options, signal: options.signal ?? service.defaults.signal }, state),
  }
}

async function* follow(
  service: Service,
  operation: Operation,
  input: Input,
  options: StreamOptions,
  state: { last_event_id: string | undefined; retry_ms: number },
): AsyncGenerator<SomeEvent, void> {
  const { signal, retries = Infinity, on_interrupted } = options
  for (let failures = 0; ;) {
    const connection = newConnection()
    let error: PlazaError | undefined
    try {
      yield* readConnection(service, operation, input, options, state, connection)
      // A stopping service sends a comment. Only an event as the last frame ends the stream.
      if (connection.last_type?.endsWith('ended')) {
        if (!(await isRenewed(service, operation, connection, signal))) return
        failures = 0
        continue
      }
      if (cannotResume(state, connection)) throw brokenStream(operation)
    } catch (caught) {
      if (!(caught instanceof PlazaError) || !isPassing(caught)) throw caught
      if (cannotResume(state, connection)) throw brokenStream(operation, caught)
      error = caught
    }
    failures = error && !connection.has_frames ? failures + 1 : error ? 1 : 0
    if (error && failures > retries) throw error
    const seconds = error?.retry_after ?? backoffSeconds(Math.max(failures, 1), state.retry_ms / 1000, 30)
    on_interrupted?.({ error, seconds })
    await pause(seconds, signal, operation.id)
  }
}

/** Whether the stream ended because its token expired and the token can be renewed. */
const isEndOfToken = ({ credentials }: Service, type: string | undefined) =>
  type === 'session_ended' && credentials?.renew !== undefined

const isRenewed = async (
  service: Service,
  { id }: Operation,
  { last_type, authorization = '' }: Connection,
  signal: AbortSignal | undefined,
) =>
  isEndOfToken(service, last_type) &&
  (await sharedWork(Promise.resolve(service.credentials?.renew?.(authorization, service.open())), signal, id)) === true

/** Whether reconnecting may succeed. */
const isPassing = ({ code, status }: PlazaError) =>
  code === 'no_answer' || code === 'timed_out' || status === 429 || (status !== undefined && status >= 500)

/** Whether events without ids were received: a new connection would repeat or miss some. */
const cannotResume = ({ last_event_id }: { last_event_id: string | undefined }, { has_events }: Connection) =>
  has_events && last_event_id === undefined

const brokenStream = ({ id }: Operation, cause?: PlazaError) =>
  new PlazaError({ code: 'stream_broken', detail: 'the stream broke and cannot be resumed', operation: id, cause })

async function* readConnection(
  service: Service,
  operation: Operation,
  input: Input,
  { signal, idle_seconds = 45, on_connected }: StreamOptions,
  state: { last_event_id: string | undefined; retry_ms: number },
  connection: Connection,
): AsyncGenerator<SomeEvent, void> {
  const { last_event_id } = state
  const headers = {
    accept: 'text/event-stream',
    ...(last_event_id !== undefined && { 'last-event-id': last_event_id }),
  }
  const request = prepare(service, operation, input, headers)
  const received = await send(service, request, { signal, timeout_seconds: idle_seconds })
  connection.authorization = received.authorization
  try {
    const frames = framesOf(bodyOf(received))
    for (;;) {
      received.link.abortAfter(idle_seconds)
      const { value: frame, done } = await received.read(() => frames.next())
      received.link.stopClock()
      if (done) return
      if (!connection.has_frames) on_connected?.()
      connection.has_frames = true
      connection.last_type = frame.data === undefined ? undefined : frame.event
      if (frame.retry_ms !== undefined) state.retry_ms = frame.retry_ms
      if (frame.id !== undefined) state.last_event_id = frame.id
      if (frame.data === undefined || isEndOfToken(service, frame.event)) continue
      connection.has_events = true
      yield { type: frame.event ?? 'message', id: state.last_event_id, data: parse(operation, frame.data) }
    }
  } finally {
    received.close()
  }
}

function bodyOf({ response }: Received): ReadableStream<Uint8Array> {
  if (!response.body) throw new TypeError('this fetch gives no body to read')
  return response.body
}

function parse(operation: Operation, data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new PlazaError({ code: 'not_understood', detail: 'an event is not JSON', operation: operation.id, cause })
  }
}
