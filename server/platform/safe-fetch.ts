import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'

export interface SafeFetchOptions {
  /** May a connection go to this IP address? Without it any may, and names are looked up as the system does. */
  isAllowed?: (address: string) => boolean
  /** Asked for names where addresses are checked; those of the system where none is named. */
  dns_servers?: readonly string[]
  /** What the other side is told that we take. */
  accept: string
  timeout_ms: number
  bytes_max: number
  redirects_max: number
}

/** Reads what is at an http(s) address that somebody else chose. Rejects when it is not had within the bounds. */
export type SafeFetch = (url: string) => Promise<Buffer>

const redirect_statuses = [301, 302, 303, 307, 308]

/**
 * A reader of addresses that are not to be trusted. It sends nothing but the request itself, and connects only to allowed
 * addresses: a name is looked up once for a connection, every address that it has must be allowed, and the connection
 * goes to one of just these, so that a name which changes its mind in between gains nothing. Every redirect is checked
 * the same way.
 */
export function openSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { isAllowed, accept, timeout_ms, bytes_max, redirects_max } = options
  // The system's own lookup would take a thread for as long as a slow name server likes, and passwords need those.
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
        refuseForbidden(at, isAllowed)
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
      // A connection that is still being made, or a body that nobody wants, ends here.
      void agent.destroy()
    }
  }
}

/** What never comes to a lookup: other protocols, and hosts that are addresses themselves. */
function refuseForbidden({ protocol, hostname }: URL, isAllowed?: (address: string) => boolean) {
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
