import { Pool, type Dispatcher } from 'undici'
import { EngineError, type EngineFault } from './engine.ts'

/** Minor versions of the Engine API 1.x: the newest that the drivers are written to, the oldest that can isolate. */
const newest_minor = 44
const oldest_minor = 41

/** Longest that any call but a stream may take, whatever the caller's signal says. */
const call_seconds_max = 60
const body_bytes_max = 16 * 1024 * 1024
const message_length_max = 500

/** An engine's answer that says no. */
export class EngineRefusal extends EngineError {
  readonly status: number
  constructor(status: number, message: string) {
    super(faultOfStatus(status, message), message)
    this.status = status
  }
}

/** True when the engine itself answered with one of these statuses; never for a call that got no answer. */
export const answered = (error: unknown, ...statuses: number[]): error is EngineRefusal =>
  error instanceof EngineRefusal && statuses.includes(error.status)

export interface Call {
  signal: AbortSignal
  query?: Record<string, string>
  body?: unknown
  /** Sent as X-Registry-Auth: the one header that may hold a credential. */
  registry_auth?: string
}

type Verb = 'GET' | 'POST' | 'DELETE'

/**
 * Speaks to one daemon over its socket. Every call has a deadline and a bounded answer, and fails with an EngineError
 * only: `unreachable`, `timeout`, `too_old`, or an EngineRefusal with the status. Values travel in bodies, never in an
 * address. A call opens a connection of its own: a daemon that restarted is not met on a dead one.
 */
export interface EngineClient {
  /** The answer's body, read as JSON; undefined when it is empty. Its shape is what the caller trusts the engine with. */
  call<Answer>(verb: Verb, path: string, call: Call): Promise<Answer>
  /** The answer's body as it comes, for as long as the signal lets it. Iterate it with {@link chunksOf}. */
  stream(verb: Verb, path: string, call: Call): Promise<AsyncIterable<Buffer>>
  /** What both sides speak, as `1.41`; asks the daemon anew. */
  negotiate(signal: AbortSignal): Promise<string>
  /** The same, as it was when last asked. */
  agreed(signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

export function openEngineClient(socket_path: string): EngineClient {
  const options = { connect: { socketPath: socket_path, timeout: 5_000 }, pipelining: 0 }
  // Quiet streams must not take the places of calls.
  const calls = new Pool('http://engine', { ...options, connections: 16 })
  const streams = new Pool('http://engine', { ...options, connections: 256 })
  let version: string | undefined

  async function negotiate(signal: AbortSignal) {
    const answer = await send(calls, 'GET', '/_ping', { signal })
    await answer.body.dump()
    const offered = String(answer.headers['api-version'] ?? '')
    version = agreedVersion(offered)
    return version
  }
  const agreed = async (signal: AbortSignal) => version ?? (await negotiate(withDeadline(signal)))
  const addressOf = async (path: string, { signal, query }: Call) =>
    `/v${await agreed(signal)}${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`
  return {
    negotiate: (signal) => negotiate(withDeadline(signal)),
    agreed,
    async call<Answer>(verb: Verb, path: string, call: Call) {
      const bounded = { ...call, signal: withDeadline(call.signal) }
      const answer = await send(calls, verb, await addressOf(path, bounded), bounded)
      const text = await readText(answer, bounded.signal)
      // The engine's own word: drivers read its fields as perhaps absent.
      return parseAnswer(text) as Answer
    },
    async stream(verb, path, call) {
      const answer = await send(streams, verb, await addressOf(path, call), call)
      return chunksOf(answer.body, call.signal)
    },
    async close() {
      await Promise.all([calls.destroy(), streams.destroy()])
    },
  }
}

const withDeadline = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(call_seconds_max * 1000)])

function agreedVersion(offered: string) {
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

async function send(pool: Pool, method: Verb, path: string, { signal, body, registry_auth }: Call) {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (registry_auth !== undefined) headers['x-registry-auth'] = registry_auth
  const json = body === undefined ? null : JSON.stringify(body)
  const request = { method, path, headers, body: json, signal, headersTimeout: 0, bodyTimeout: 0 }
  const answer = await pool.request(request).catch((error: unknown) => {
    throw lostCall(error, signal)
  })
  if (answer.statusCode < 400) return answer
  throw new EngineRefusal(answer.statusCode, messageOf(await readText(answer, signal)))
}

/** The chunks of a body; a connection that breaks is `unreachable`, a signal that fires `timeout`. */
async function* chunksOf(body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncIterable<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw lostCall(error, signal)
  }
}

async function readText({ body }: Dispatcher.ResponseData, signal: AbortSignal) {
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
function lostCall(error: unknown, signal: AbortSignal): EngineError {
  if (error instanceof EngineError) return error
  if (signal.aborted) return new EngineError('timeout', 'The engine did not answer in time.')
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
  return new EngineError('unreachable', `The engine cannot be reached (${code}).`)
}

/** An engine in trouble (5xx) says nothing about the workload; one that has no room says so in words only. */
function faultOfStatus(status: number, message: string): EngineFault {
  if (
    /no space left|port is already allocated|all ports are allocated|address already in use|address pools?\b|cannot allocate memory/i.test(
      message,
    )
  )
    return 'no_capacity'
  return status >= 500 ? 'unreachable' : 'refused'
}
