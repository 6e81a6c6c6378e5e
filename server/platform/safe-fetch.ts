import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'

export interface SafeFetchOptions {
  /** Whether a connection may go to this IP address. Without it, any may, and the system's resolver is used. */
  isAllowed?: (address: string) => boolean
  /** The DNS servers to use where addresses are checked; by default the system's. */
  dns_servers?: readonly string[]
  /** The `Accept` header. */
  accept: string
  timeout_ms: number
  bytes_max: number
  redirects_max: number
}

/** Fetches an untrusted http(s) URL. Rejects when the response is not a 200 within the limits. */
export type SafeFetch = (url: string) => Promise<Buffer>

const redirect_statuses = [301, 302, 303, 307, 308]

/**
 * A fetch for untrusted URLs, guarded against server-side request forgery. It sends no credentials, and connects to allowed
 * addresses only: a name is resolved once per connection, all of its addresses must be allowed, and the connection goes to
 * one of them, so that DNS rebinding has no effect. Every redirect is checked the same way.
 */
export function openSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { isAllowed, accept, timeout_ms, bytes_max, redirects_max } = options
  // `dns.lookup` blocks a thread of the pool while a DNS server is slow, and password hashing needs the pool.
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (options.dns_servers?.length) resolver.setServers(options.dns_servers)
  const connect = { timeout: timeout_ms, ...(isAllowed && { lookup: checkedLookup(resolver, isAllowed) }) }

  return async (url) => {
    const agent = new Agent({ connect, maxResponseSize: bytes_max, pipelining: 0 })
    const signal = AbortSignal.timeout(timeout_ms)
    const headers = { accept, 'accept-encoding': 'identity', 'user-agent': 'Plaza' }
    try {
      let at = new URL(url)
      for (let redirects = 0; redirects <= redirects_max; redirects++) {
        assertAllowed(at, isAllowed)
        const { statusCode, headers: answered, body } = await request(at, { dispatcher: agent, signal, headers })
        if (statusCode === 200) return Buffer.from(await body.arrayBuffer())
        await body.dump()
        const { location } = answered
        if (!redirect_statuses.includes(statusCode) || typeof location !== 'string')
          throw new Error(`it answered ${statusCode}`)
        at = new URL(location, at)
      }
      throw new Error(`it redirects more than ${redirects_max} times`)
    } finally {
      // Ends a connection attempt that is still pending, and a body that was not read.
      void agent.destroy()
    }
  }
}

/** Checks what no lookup sees: the protocol, and hosts that are IP addresses. */
function assertAllowed({ protocol, hostname }: URL, isAllowed?: (address: string) => boolean) {
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`${protocol} is not http or https`)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isAllowed && isIP(host) !== 0 && !isAllowed(host)) throw new Error('the address is not allowed')
}

function checkedLookup(resolver: Resolver, isAllowed: (address: string) => boolean): LookupFunction {
  const resolve = async (host: string) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    const [first] = addresses
    if (!first) throw new Error('the name has no address')
    if (!addresses.every(({ address }) => isAllowed(address))) throw new Error('an address of the name is not allowed')
    return { first, addresses }
  }
  return (host, { all }, done) => {
    void resolve(host).then(
      ({ first, addresses }) => (all ? done(null, addresses) : done(null, first.address, first.family)),
      (error: Error) => done(error, ''),
    )
  }
}
