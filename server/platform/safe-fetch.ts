import { Agent, request } from 'undici'
import { anyAddresses, dnsAddresses, guardedLookup, requireAllowedLiteral } from './address-guard.ts'

export interface SafeFetchOptions {
  /**
   * True if a connection may go to this IP address. Without it, any address is allowed, and the system resolves names that the DNS servers
   * do not know.
   */
  isAllowed?: (address: string) => boolean
  /** The DNS servers to use; by default the system's. */
  dns_servers?: readonly string[]
  /** The `Accept` header. */
  accept: string
  /** The required media type of the answer; any by default. */
  media_type?: string
  timeout_ms: number
  bytes_max: number
  redirects_max: number
}

/**
 * Fetches an untrusted http(s) URL. Rejects unless the response is a 200 within the limits. `admit` is called before each request,
 * including those after redirects, and rejects to prevent it.
 */
export type SafeFetch = (url: string, admit?: (url: URL) => Promise<void>) => Promise<Buffer>

const redirect_statuses = [301, 302, 303, 307, 308]

/**
 * A fetch for untrusted URLs, guarded against server-side request forgery. It sends no credentials and connects to allowed addresses only:
 * a name is resolved once per connection, all its addresses must be allowed, and the connection goes to one of them, so that DNS rebinding
 * has no effect. Every redirect is checked in the same way.
 */
export function openSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { isAllowed, dns_servers = [], accept, media_type, timeout_ms, bytes_max, redirects_max } = options
  const lookup = guardedLookup(
    isAllowed
      ? { find: dnsAddresses(dns_servers), isAllowed }
      : { find: anyAddresses(dns_servers), isAllowed: () => true },
  )
  const connect = { timeout: timeout_ms, lookup }

  return async (url, admit) => {
    const agent = new Agent({ connect, maxResponseSize: bytes_max, pipelining: 0 })
    const signal = AbortSignal.timeout(timeout_ms)
    const headers = { accept, 'accept-encoding': 'identity', 'user-agent': 'Plaza' }
    try {
      let at = new URL(url)
      for (let redirects = 0; redirects <= redirects_max; redirects++) {
        assertAllowed(at, isAllowed)
        await admit?.(at)
        const { statusCode, headers: answered, body } = await request(at, { dispatcher: agent, signal, headers })
        if (statusCode === 200) {
          requireMediaType(answered['content-type'], media_type)
          return Buffer.from(await body.arrayBuffer())
        }
        await body.dump()
        const { location } = answered
        if (!redirect_statuses.includes(statusCode) || typeof location !== 'string')
          throw new Error(`it answered ${statusCode}`)
        at = new URL(location, at)
      }
      throw new Error(`it redirects more than ${redirects_max} times`)
    } finally {
      // Ends a pending connection attempt and an unread body.
      void agent.destroy()
    }
  }
}

/** The parameters of a media type and its case do not matter (RFC 9110 §8.3.1). */
function requireMediaType(sent: string | string[] | undefined, wanted: string | undefined) {
  if (wanted === undefined) return
  const given = typeof sent === 'string' ? sent.split(';', 1)[0]?.trim().toLowerCase() : undefined
  if (given !== wanted) throw new Error(`its Content-Type is not ${wanted}`)
}

/** Checks everything that does not need a lookup: the protocol, and hosts that are IP addresses. */
function assertAllowed(url: URL, isAllowed?: (address: string) => boolean) {
  const { protocol } = url
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`${protocol} is not http or https`)
  if (isAllowed) requireAllowedLiteral(url, isAllowed)
}
