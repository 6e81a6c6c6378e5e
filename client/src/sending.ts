import type { Credentials } from './credentials.ts'
import { failureOf, isPlazaError, PlazaError } from './failure.ts'
import type { OpenCalls } from './generated/open-calls.ts'
import type { CallOptions } from './options.ts'
import { abortedBy, linkedSignal, sharedWork } from './waiting.ts'

/** The service and the credentials of a call. */
export interface Service {
  url: string
  fetch: typeof fetch
  credentials: Credentials | undefined
  /** Calls of the same service without credentials. */
  open: () => OpenCalls
  defaults: CallOptions
}

/** One operation, as in `generated/paths.ts`. */
export interface Operation {
  id: string
  method: string
  path: string
  /** Takes an `Idempotency-Key`. */
  is_keyed: boolean
  /** Takes no credentials. */
  is_open: boolean
  /** The format of the response if it is not JSON. */
  kind: 'csv' | 'events' | undefined
  /** The fields that belong to the query of an operation with a body. */
  query: readonly string[]
}

export type Input = Readonly<Record<string, unknown>>

/** A request that can be sent several times. */
export interface Prepared {
  operation: Operation
  address: string
  init: { method: string; headers: Record<string, string>; body?: string }
}

/** Builds the request of a call. Input fields fill the path; the rest become the query of a GET, or otherwise the body. */
export function prepare(
  { url }: Service,
  operation: Operation,
  input: Input,
  headers: Record<string, string>,
): Prepared {
  const { id, method } = operation
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    // An empty segment would be another path.
    if (value === undefined || value === null || value === '') throw new TypeError(`${id} needs ${name}`)
    rest.delete(name)
    return encodeURIComponent(value as string | number)
  })
  const isQuery = ([name]: [string, unknown]) => method === 'GET' || operation.query.includes(name)
  const query = [...rest].filter(isQuery).map(([name, value]): [string, string] => [name, String(value)])
  const body = [...rest].filter((field) => !isQuery(field))
  const init: Prepared['init'] = { method, headers }
  if (body.length > 0) {
    init.body = JSON.stringify(Object.fromEntries(body))
    init.headers = { ...headers, 'content-type': 'application/json' }
  }
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`
  return { operation, address: url + path + search, init }
}

/** A response whose body may not be complete. `read` converts network failures to `PlazaError`. */
export interface Received {
  response: Response
  /** The `Authorization` header of the request. */
  authorization: string | undefined
  read<Result>(work: () => Promise<Result>): Promise<Result>
  /** Closes the connection if it is still open. */
  close(): void
  link: ReturnType<typeof linkedSignal>
}

/** Whether repeating a call has no further effect. */
export const isSafe = ({ method }: Operation) => method === 'GET'

/** Node's error codes for connections that were never established. Browsers do not report them. */
const never_sent: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Whether a failed call has certainly not reached the service. */
export const wasNeverSent = ({ code, cause }: PlazaError) =>
  code === 'no_answer' && never_sent.includes((cause as { cause?: { code?: unknown } } | undefined)?.cause?.code)

/** Two, because renewed tokens may have been saved by another process and have expired too. */
const renewals_max = 2

/** Sends a request, and again if its credentials could be renewed. Also rejects if the service refuses it. */
export async function send(service: Service, prepared: Prepared, options: SendOptions): Promise<Received> {
  const { operation } = prepared
  const { credentials, open } = service
  if (!credentials || operation.is_open) return sendOnce(service, prepared, undefined, options)
  const shared = <Result>(work: Result | Promise<Result>) =>
    sharedWork(Promise.resolve(work), options.signal, operation.id)
  for (let renewals = 0; ; renewals++) {
    const header = await shared(credentials.authorization(open()))
    try {
      return await sendOnce(service, prepared, header, options)
    } catch (error) {
      // A token that lacks a scope also gets 401; a new token would lack it too.
      const is_token_refused = isPlazaError(error, 'invalid_token') && error.status === 401
      if (!is_token_refused || renewals === renewals_max) throw error
      if (!(await shared(credentials.renew?.(header, open())))) throw error
    }
  }
}

type SendOptions = Pick<CallOptions, 'signal' | 'timeout_seconds'>

async function sendOnce(
  service: Service,
  { operation, address, init }: Prepared,
  authorization: string | undefined,
  { signal, timeout_seconds = 30 }: SendOptions,
): Promise<Received> {
  if (signal?.aborted) throw abortedBy(signal, operation.id)
  const link = linkedSignal(signal)
  link.abortAfter(timeout_seconds)
  const read = async <Result>(work: () => Promise<Result>) => {
    try {
      return await work()
    } catch (error) {
      throw isPlazaError(error) ? error : failureOfTheWay(operation, error, { signal, is_late: link.isLate() })
    }
  }
  try {
    const headers = { ...init.headers, ...(authorization !== undefined && { authorization }) }
    const response = await read(() =>
      // The service never redirects calls; following a redirect would send secrets in the body elsewhere.
      service.fetch(address, { ...init, headers, signal: link.signal, credentials: 'omit', redirect: 'error' }),
    )
    if (response.ok) return { response, authorization, read, link, close: () => closeLink(link) }
    throw failureOf(operation.id, isSafe(operation), response, await read(() => response.text()))
  } catch (error) {
    closeLink(link)
    throw error
  }
}

function closeLink(link: ReturnType<typeof linkedSignal>) {
  link.abort()
  link.release()
}

/** The failure of a call without a complete response. */
function failureOfTheWay(
  operation: Operation,
  cause: unknown,
  { signal, is_late }: { signal: AbortSignal | undefined; is_late: boolean },
) {
  const { id } = operation
  const is_outcome_unknown = !isSafe(operation)
  if (signal?.aborted) return abortedBy(signal, id, is_outcome_unknown)
  const failure = is_late
    ? new PlazaError({ code: 'timed_out', detail: 'no answer in time', operation: id, is_outcome_unknown })
    : new PlazaError({ code: 'no_answer', detail: 'the connection failed', operation: id, is_outcome_unknown, cause })
  if (!wasNeverSent(failure)) return failure
  return new PlazaError({ code: 'no_answer', detail: 'the service cannot be reached', operation: id, cause })
}
