import { randomText } from './bytes.ts'
import { failureOf, PlazaError } from './failure.ts'
import type { Answer, KeyedOptions } from './options.ts'
import {
  isSafe,
  prepare,
  send,
  wasNeverSent,
  type Input,
  type Operation,
  type Received,
  type Service,
} from './sending.ts'
import { backoffSeconds, pause } from './waiting.ts'

/** Calls an operation and retries where that is safe; resolves with the response body. */
export async function call(service: Service, operation: Operation, input: Input, own: KeyedOptions): Promise<unknown> {
  const given = Object.entries(own).filter(([, value]) => value !== undefined)
  const options: KeyedOptions = { ...service.defaults, ...Object.fromEntries(given) }
  const idempotency_key = operation.is_keyed ? (own.idempotency_key ?? randomText()) : undefined
  const headers = { ...(idempotency_key !== undefined && { 'idempotency-key': idempotency_key }) }
  const request = prepare(service, operation, input, headers)
  const { retries = 3, retry_after_max_seconds = 30, signal } = options
  let is_outcome_unknown = false
  let wait_seconds = 0
  for (let failures = 1; ; failures++) {
    try {
      if (wait_seconds > 0) await pause(wait_seconds, signal, operation.id)
      const received = await send(service, request, options)
      const body = await (operation.kind === 'csv' ? streamOf(received) : readJson(operation, received))
      options.on_answer?.(answerFrom(received.response, idempotency_key))
      return body
    } catch (error) {
      if (!(error instanceof PlazaError)) throw error
      // Refused after an attempt without a response: the outcome stays unknown, unless the service examined the call
      // itself.
      is_outcome_unknown = error.is_outcome_unknown || (is_outcome_unknown && !isDecided(error))
      wait_seconds = error.retry_after ?? backoffSeconds(failures, 0.3, 8)
      if (failures > retries || wait_seconds > retry_after_max_seconds || !mayRepeat(operation, error))
        // A new error, because other calls share the error of a refresh.
        throw new PlazaError({ ...error, cause: error.cause, is_outcome_unknown, idempotency_key })
    }
  }
}

/**
 * Whether the service refused the request itself. With its key, an earlier successful attempt would have been replayed
 * instead.
 */
const isDecided = ({ status = 0 }: PlazaError) => status >= 400 && status < 500 && status !== 401 && status !== 429

/** Whether a failed call may be repeated and may then succeed. */
function mayRepeat(operation: Operation, error: PlazaError) {
  const { status, code } = error
  // A refresh of tokens has its own retries.
  if (error.operation !== operation.id) return false
  if (status === 429 || code === 'overloaded' || wasNeverSent(error)) return true
  const may_pass =
    code === 'no_answer' || code === 'timed_out' || (status !== undefined && status >= 502 && status <= 504)
  return may_pass && (isSafe(operation) || operation.is_keyed)
}

async function readJson(operation: Operation, { response, read, close }: Received) {
  try {
    const text = await read(() => response.text())
    try {
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    } catch {
      throw failureOf(operation.id, isSafe(operation), response, text)
    }
  } finally {
    close()
  }
}

/** The body as a stream. A lost connection or an abort fails the stream with a `PlazaError`. */
function streamOf({ response, read, close, link }: Received): ReadableStream<Uint8Array> {
  link.stopClock()
  const reader = response.body?.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await read(async () => reader?.read())
        if (part?.value) return controller.enqueue(part.value)
        controller.close()
        close()
      } catch (error) {
        controller.error(error)
        close()
      }
    },
    cancel: close,
  })
}

const answerFrom = ({ status, headers }: Response, idempotency_key: string | undefined): Answer => ({
  status,
  headers,
  is_replayed: headers.get('idempotency-replayed') === 'true',
  request_id: headers.get('x-request-id') ?? undefined,
  idempotency_key,
})
