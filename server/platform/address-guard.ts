import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'

interface FoundAddress {
  address: string
  family: number
}

/** Finds all addresses of a name; rejects if it has none. */
export type FindAddresses = (host: string) => Promise<FoundAddress[]>

/** The addresses that a connection to untrusted hosts may reach. */
export interface AddressRule {
  find: FindAddresses
  isAllowed: (address: string) => boolean
}

const no_address = 'the name has no address'

/**
 * Queries these DNS servers (`address` or `address:port`), or the system's if the list is empty. Unlike `dns.lookup`,
 * it does not block a thread of the pool while a server is slow: password hashing needs the pool.
 */
export function dnsAddresses(servers: readonly string[] = []): FindAddresses {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (addresses.length === 0) throw new Error(no_address)
    return addresses
  }
}

/** Uses the system's resolver, which also reads its hosts file. */
const systemAddresses: FindAddresses = (host) =>
  lookup(host, { all: true }).catch(() => {
    throw new Error(no_address)
  })

/** Queries these DNS servers first, if there are any, and then the system. */
export function anyAddresses(servers: readonly string[]): FindAddresses {
  if (servers.length === 0) return systemAddresses
  const find = dnsAddresses(servers)
  return (host) => find(host).catch(() => systemAddresses(host))
}

/** The reason why a connection to a host is refused: it has no address, or one of them is not allowed. */
export class AddressRefused extends Error {
  readonly reason: 'unresolved' | 'forbidden'
  constructor(reason: 'unresolved' | 'forbidden', message: string) {
    super(message)
    this.name = 'AddressRefused'
    this.reason = reason
  }
}

/** The addresses of a name. Rejects with `AddressRefused` unless all of them are allowed. */
async function findAllowed({ find, isAllowed }: AddressRule, host: string): Promise<FoundAddress[]> {
  const addresses = await find(host).catch((error: Error) => {
    throw new AddressRefused('unresolved', error.message)
  })
  if (!addresses.every(({ address }) => isAllowed(address)))
    throw new AddressRefused('forbidden', 'an address of the name is not allowed')
  return addresses
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/** Checks a host that is an IP address, because it is never looked up. Throws `AddressRefused`. */
export function requireAllowedLiteral(url: URL, isAllowed: AddressRule['isAllowed']) {
  const host = hostOf(url)
  if (isIP(host) !== 0 && !isAllowed(host)) throw new AddressRefused('forbidden', 'the address is not allowed')
}

/** Checks that a connection to this URL would be allowed now. Rejects with `AddressRefused`. */
export async function requireAllowed(url: URL, rule: AddressRule) {
  requireAllowedLiteral(url, rule.isAllowed)
  if (isIP(hostOf(url)) === 0) await findAllowed(rule, hostOf(url))
}

/**
 * The lookup of a connection. A name is resolved once, all its addresses must be allowed, and the connection goes to
 * one of them, so that DNS rebinding has no effect.
 */
export function guardedLookup(rule: AddressRule): LookupFunction {
  return (host, { all }, done) => {
    void findAllowed(rule, host).then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)),
      (error: Error) => done(error, ''),
    )
  }
}
