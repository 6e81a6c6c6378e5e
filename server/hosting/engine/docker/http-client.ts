import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { EngineError, type EngineErrorCode } from '../engine.ts'

/** Minor versions of the Engine API 1.x: the newest that the drivers support, and the oldest that can isolate. */
const newest_minor = 44
const oldest_minor = 41

/** The deadline of every call except streams, in addition to the caller's signal. */
const call_seconds_max = 60
const body_bytes_max = 16 * 1024 * 1024
const message_length_max = 500

/** An error status from the engine. */
export class EngineHttpError extends EngineError {
  readonly status: number
  constructor(status: number, message: string) {
    super(faultOfStatus(status, message), message)
    this.status = status
  }
}

/** True if the engine answered with one of these statuses; false for a call without an answer. */
export const hasStatus = (error: unknown, ...statuses: number[]): error is EngineHttpError =>
  error instanceof EngineHttpError && statuses.includes(error.status)

/** Handles a failed call whose object may be absent: returns undefined for one of these statuses, and rethrows other errors. */
export const orUndefined =
  (...statuses: number[]) =>
  (error: unknown): undefined => {
    if (!hasStatus(error, ...statuses)) throw error
  }

export interface CallOptions {
  signal: AbortSignal
  query?: Record<string, string>
  body?: unknown
  /** The version in the path. Overrides the negotiated one. */
  version?: string
  /** An archive instead of a JSON body. */
  tar?: Buffer
  /** Sent as X-Registry-Auth, the only header that holds a credential. */
  registry_auth?: string
  /** True for a stream, which may stay open indefinitely and has a separate connection limit. */
  is_kept_open?: boolean
}

type Method = 'GET' | 'POST' | 'DELETE'

/**
 * HTTP client of one daemon's socket. Every call has a deadline and a bounded answer, and fails only with an
 * EngineError: `unreachable`, `timeout`, `too_old`, or an EngineHttpError with the status. Environment values are sent
 * in bodies, never in URLs. Every call opens a new connection, because kept ones would be dead after a restart of the
 * daemon. Not undici: its version 7 ends the process if a connection ends under backpressure (nodejs/undici#5360).
 */
export interface EngineClient {
  /** The answer's body as JSON; undefined if it is empty. Its shape is not checked. */
  call<Answer>(verb: Method, path: string, call: CallOptions): Promise<Answer>
  /** The chunks of the answer's body until the signal fires. Fails as {@link chunksOf} does. */
  stream(verb: Method, path: string, call: CallOptions): Promise<AsyncIterable<Buffer>>
  /** Asks the daemon for its version; returns the common API version, as `1.41`. */
  negotiate(signal: AbortSignal): Promise<string>
  /** The last negotiated API version. */
  apiVersion(signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

export function openEngineClient(socket_path: string): EngineClient {
  // Separate, so that idle streams do not use up the connections of calls.
  const pools = {
    calls: openConnectionPool(socket_path, 16),
    streams: openConnectionPool(socket_path, 256),
    kept_open: openConnectionPool(socket_path, 4_096),
  }
  let version: string | undefined

  async function negotiate(signal: AbortSignal) {
    const answer = await send(pools.calls, 'GET', '/_ping', { signal })
    await readText(answer, signal)
    const offered = String(answer.headers['api-version'] ?? '')
    version = negotiatedVersion(offered)
    return version
  }
  const apiVersion = async (signal: AbortSignal) => version ?? (await negotiate(withDeadline(signal)))
  const addressOf = async (path: string, { signal, query, version: own }: CallOptions) =>
    `/v${own ?? (await apiVersion(signal))}${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`
  return {
    negotiate: (signal) => negotiate(withDeadline(signal)),
    apiVersion,
    async call<Answer>(verb: Method, path: string, call: CallOptions) {
      const bounded = { ...call, signal: withDeadline(call.signal) }
      const answer = await send(pools.calls, verb, await addressOf(path, bounded), bounded)
      const text = await readText(answer, bounded.signal)
      // Not validated: drivers declare the fields that they read as optional.
      return parseAnswer(text) as Answer
    },
    async stream(verb, path, call) {
      const pool = call.is_kept_open ? pools.kept_open : pools.streams
      const answer = await send(pool, verb, await addressOf(path, call), call)
      return chunksOf(answer, call.signal)
    },
    async close() {
      for (const pool of Object.values(pools)) {
        pool.closed = true
        for (const outgoing of pool.open) outgoing.destroy()
      }
    },
  }
}

interface ConnectionPool {
  socket_path: string
  agent: Agent
  /** Requests in progress, streams included. */
  open: Set<ClientRequest>
  closed: boolean
}

const openConnectionPool = (socket_path: string, connections_max: number): ConnectionPool => ({
  socket_path,
  agent: new Agent({ keepAlive: false, maxSockets: connections_max }),
  open: new Set(),
  closed: false,
})

const withDeadline = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(call_seconds_max * 1000)])

function negotiatedVersion(offered: string) {
  const [major, minor] = offered.split('.').map(Number)
  if (major !== 1 || minor === undefined || Number.isNaN(minor))
    throw new EngineError('too_old', `This engine is not supported: it offers API "${offered.slice(0, 20)}".`)
  if (minor < oldest_minor)
    throw new EngineError(
      'too_old',
      `The engine offers API ${offered}; 1.${oldest_minor} is the oldest supported version.`,
    )
  return `1.${Math.min(minor, newest_minor)}`
}

async function send(pool: ConnectionPool, method: Method, path: string, call: CallOptions) {
  const { signal, body, tar, registry_auth } = call
  const headers: Record<string, string> = { host: 'engine' }
  const json = body === undefined ? '' : JSON.stringify(body)
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (tar) headers['content-type'] = 'application/x-tar'
  if (registry_auth !== undefined) headers['x-registry-auth'] = registry_auth
  const { socket_path: socketPath, agent, open } = pool
  if (pool.closed) throw new EngineError('unreachable', 'The connection to the engine is closed.')
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ socketPath, agent, method, path, headers, signal }, resolve)
    open.add(outgoing)
    outgoing.once('close', () => open.delete(outgoing)).on('error', reject)
    outgoing.end(tar ?? json)
  }).catch((error: unknown) => {
    throw connectionError(error, signal)
  })
  const { statusCode = 500 } = answer
  if (statusCode < 400) return answer
  throw new EngineHttpError(statusCode, messageOf(await readText(answer, signal)))
}

/** The chunks of a body. Fails with `unreachable` if the connection breaks, with `timeout` if the signal aborts. */
async function* chunksOf(body: IncomingMessage, signal: AbortSignal): AsyncIterable<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer
  } catch (error) {
    throw connectionError(error, signal)
  }
}

async function readText(body: IncomingMessage, signal: AbortSignal) {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of chunksOf(body, signal)) {
    length += chunk.length
    if (length > body_bytes_max) throw new EngineError('refused', 'The engine’s answer is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseAnswer(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new EngineError('unreachable', 'The answer does not come from a container engine.')
  }
}

function messageOf(text: string) {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null && 'message' in answer) return shorten(String(answer.message))
  } catch {
    // Not JSON: the text is the message.
  }
  return shorten(text)
}

export const shorten = (message: string) => message.trim().slice(0, message_length_max)

/** The error of a call without a complete answer. */
function connectionError(error: unknown, signal: AbortSignal): EngineError {
  if (error instanceof EngineError) return error
  if (signal.aborted) return new EngineError('timeout', 'The engine did not answer in time.')
  const { code = 'no answer' } = error as NodeJS.ErrnoException
  return new EngineError('unreachable', `The engine cannot be reached (${code}).`)
}

const no_capacity_pattern =
  /no space left|port is already allocated|all ports are allocated|address already in use|address pools?\b|cannot allocate memory/i

/** A 5xx says nothing about the workload. Only the message shows a lack of capacity. */
function faultOfStatus(status: number, message: string): EngineErrorCode {
  if (no_capacity_pattern.test(message)) return 'no_capacity'
  return status >= 500 ? 'unreachable' : 'refused'
}
