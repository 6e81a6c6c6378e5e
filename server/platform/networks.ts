import { BlockList, isIP } from 'node:net'
import { LRUCache } from 'lru-cache'

/** Names of networks that TRUSTED_PROXIES accepts. */
const named_networks: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const cache_max = 10_000

/** Returns a function that checks whether an address is in one of these networks (`TRUSTED_PROXIES`). */
export function openNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks.flatMap((item) => named_networks[item] ?? [item])) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  const cache = new LRUCache<string, boolean>({
    max: cache_max,
    memoMethod: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)),
  })
  return (address) => cache.memo(address)
}

/** Converts an IPv4-mapped IPv6 address, as dual-stack sockets report it, to IPv4. */
export const unmapAddress = (address: string | undefined) => (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')

/** Whether the host of an address names this machine. */
export const isLoopbackName = (name: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(name)
