import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { EngineError, type EngineErrorCode } from '../engine.ts'

/** Minor versions of the Engine API 1.x: the newest that the drivers are written to, the oldest that can isolate. */
const newest_minor = 44
const oldest_minor = 41

/** Longest that any call but a stream may take, whatever the caller's signal says. */
const call_seconds_max = 60
const body_bytes_max = 16 * 1024 * 1024
const message_length_max = 500

/** An engine's answer that says no. */
export class EngineHttpError extends EngineError {
  readonly status: number
  constructor(status: number, message: string) {
    super(faultOfStatus(status, message), message)
    this.status = status
  }
}

/** True when the engine itself answered with one of these statuses; never for a call that got no answer. */
export const hasStatus = (error: unknown, ...statuses: number[]): error is EngineHttpError =>
  error instanceof EngineHttpError && statuses.includes(error.status)

export interface CallOptions {
  signal: AbortSignal
  query?: Record<string, string>
  body?: unknown
  /** Sent as X-Registry-Auth: the one header that may hold a credential. */
  registry_auth?: string
}

type Method = 'GET' | 'POST' | 'DELETE'

/**
 * Speaks to one daemon over its socket. Every call has a deadline and a bounded answer, and fails with an EngineError
 * only: `unreachable`, `timeout`, `too_old`, or an EngineRefusal with the status. Values travel in bodies, never in an
 * address. A call opens a connection of its own: a daemon that restarted is not met on a dead one. Not by undici: its 7 ends
 * the process when a connection ends while a slow reader holds it up (nodejs/undici#5360).
 */
export interface EngineClient {
  /** The answer's body, read as JSON; undefined when it is empty. Its shape is what the caller trusts the engine with. */
  call<Answer>(verb: Method, path: string, call: CallOptions): Promise<Answer>
  /** The answer's body as it comes, for as long as the signal lets it. Iterate it with {@link chunksOf}. */
  stream(verb: Method, path: string, call: CallOptions): Promise<AsyncIterable<Buffer>>
  /** What both sides speak, as `1.41`; asks the daemon anew. */
  negotiate(signal: AbortSignal): Promise<string>
  /** The same, as it was when last asked. */
  apiVersion(signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

export function openEngineClient(socket_path: string): EngineClient {
  // Quiet streams must not take the places of calls.
  const doors = { calls: openConnectionPool(socket_path, 16), streams: openConnectionPool(socket_path, 256) }
  let version: string | undefined

  async function negotiate(signal: AbortSignal) {
    const answer = await send(doors.calls, 'GET', '/_ping', { signal })
    await readText(answer, signal)
    const offered = String(answer.headers['api-version'] ?? '')
    version = negotiatedVersion(offered)
    return version
  }
  const apiVersion = async (signal: AbortSignal) => version ?? (await negotiate(withDeadline(signal)))
  const addressOf = async (path: string, { signal, query }: CallOptions) =>
    `/v${await apiVersion(signal)}${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`
  return {
    negotiate: (signal) => negotiate(withDeadline(signal)),
    apiVersion,
    async call<Answer>(verb: Method, path: string, call: CallOptions) {
      const bounded = { ...call, signal: withDeadline(call.signal) }
      const answer = await send(doors.calls, verb, await addressOf(path, bounded), bounded)
      const text = await readText(answer, bounded.signal)
      // The engine's own word: drivers read its fields as perhaps absent.
      return parseAnswer(text) as Answer
    },
    async stream(verb, path, call) {
      const answer = await send(doors.streams, verb, await addressOf(path, call), call)
      return chunksOf(answer, call.signal)
    },
    async close() {
      for (const door of Object.values(doors)) {
        door.closed = true
        for (const outgoing of door.open) outgoing.destroy()
      }
    },
  }
}

interface ConnectionPool {
  socket_path: string
  agent: Agent
  /** Requests whose answers have not ended. */
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
    throw new EngineError(
      'too_old',
      `This is no engine that the service knows: it offers API "${offered.slice(0, 20)}".`,
    )
  if (minor < oldest_minor)
    throw new EngineError(
      'too_old',
      `The engine offers API ${offered}; 1.${oldest_minor} is the oldest that is served.`,
    )
  return `1.${Math.min(minor, newest_minor)}`
}

async function send(door: ConnectionPool, method: Method, path: string, { signal, body, registry_auth }: CallOptions) {
  const headers: Record<string, string> = { host: 'engine' }
  const json = body === undefined ? '' : JSON.stringify(body)
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (registry_auth !== undefined) headers['x-registry-auth'] = registry_auth
  const { socket_path: socketPath, agent, open } = door
  if (door.closed) throw new EngineError('unreachable', 'The way to the engine is closed.')
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ socketPath, agent, method, path, headers, signal }, resolve)
    open.add(outgoing)
    outgoing.once('close', () => open.delete(outgoing)).on('error', reject)
    outgoing.end(json)
  }).catch((error: unknown) => {
    throw connectionError(error, signal)
  })
  const { statusCode = 500 } = answer
  if (statusCode < 400) return answer
  throw new EngineHttpError(statusCode, messageOf(await readText(answer, signal)))
}

/** The chunks of a body; a connection that breaks is `unreachable`, a signal that fires `timeout`. */
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
    if (length > body_bytes_max) throw new EngineError('refused', 'The engine answered with more than can be read.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseAnswer(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new EngineError('unreachable', 'What answered does not speak as an engine does.')
  }
}

function messageOf(text: string) {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null && 'message' in answer) return shorten(String(answer.message))
  } catch {
    // Said in plain text, then.
  }
  return shorten(text)
}

export const shorten = (message: string) => message.trim().slice(0, message_length_max)

/** The error of a call that got no answer, or not all of it. */
function connectionError(error: unknown, signal: AbortSignal): EngineError {
  if (error instanceof EngineError) return error
  if (signal.aborted) return new EngineError('timeout', 'The engine did not answer in time.')
  const { code = 'no answer' } = error as NodeJS.ErrnoException
  return new EngineError('unreachable', `The engine cannot be reached (${code}).`)
}

const no_capacity_pattern =
  /no space left|port is already allocated|all ports are allocated|address already in use|address pools?\b|cannot allocate memory/i

/** An engine in trouble (5xx) says nothing about the workload; one that has no room says so in words only. */
function faultOfStatus(status: number, message: string): EngineErrorCode {
  if (no_capacity_pattern.test(message)) return 'no_capacity'
  return status >= 500 ? 'unreachable' : 'refused'
}
