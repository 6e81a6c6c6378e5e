import { Agent, request } from 'undici'
import { guardedLookup, requireAllowedLiteral, type AddressRule } from './address-guard.ts'

export interface SafePostOptions {
  rule: AddressRule
  /** The timeout of the whole request: name, connection and answer. */
  timeout_ms: number
  /** The maximum of bytes to read from an answer. */
  bytes_max: number
  connections_max: number
}

export interface PostAnswer {
  status: number
  /** The header, unchanged. */
  retry_after: string | undefined
  /** At most `bytes_max`; less if the rest did not arrive in time. */
  body: Buffer
}

/** An untrusted URL to which requests are posted. */
export interface Receiver {
  /** Rejects if no status arrived in time, with `AddressRefused` if the connection is not allowed, or when `abort` aborts. */
  post(body: string | Buffer, headers: Record<string, string>, abort: AbortSignal): Promise<PostAnswer>
  close(): void
}

/**
 * Posts to an untrusted http(s) URL, guarded against server-side request forgery: it connects to allowed addresses only, each checked when
 * the connection is opened, and follows no redirect. Connections are reused until `close`; a reused connection stays with the checked
 * address.
 */
export function openReceiver(url: string, { rule, timeout_ms, bytes_max, connections_max }: SafePostOptions): Receiver {
  const target = new URL(url)
  const agent = new Agent({
    connect: { timeout: timeout_ms, lookup: guardedLookup(rule) },
    connections: connections_max,
    pipelining: 1,
    // Receivers close idle connections after a few seconds, and a request on such a connection is lost.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  })
  return {
    async post(body, headers, abort) {
      requireAllowedLiteral(target, rule.isAllowed)
      const bound = boundedBy(abort, timeout_ms)
      try {
        const answer = await request(target, {
          method: 'POST',
          dispatcher: agent,
          signal: bound.signal,
          headers: { 'accept-encoding': 'identity', 'user-agent': 'Plaza', ...headers },
          body,
        })
        const retry_after = [answer.headers['retry-after']].flat()[0]
        return { status: answer.statusCode, retry_after, body: await readStart(answer.body, bytes_max) }
      } finally {
        bound.release()
      }
    },
    close: () => void agent.destroy(),
  }
}

/**
 * A signal that aborts with another one, or after a time. Unlike `AbortSignal.any` and `AbortSignal.timeout`, it keeps nothing in memory
 * after its release.
 */
function boundedBy(abort: AbortSignal, timeout_ms: number) {
  const controller = new AbortController()
  const stop = () => controller.abort(abort.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('no answer in time', 'TimeoutError')), timeout_ms)
  if (abort.aborted) stop()
  else abort.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      abort.removeEventListener('abort', stop)
    },
  }
}

/** The first bytes of a body. The connection of a longer body is closed; the bytes before an error are returned. */
async function readStart(body: AsyncIterable<Buffer>, bytes_max: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of body) {
      parts.push(part)
      bytes += part.length
      if (bytes >= bytes_max) break
    }
  } catch {
    // The status is known: the receiver has the request.
  }
  return Buffer.concat(parts).subarray(0, bytes_max)
}
