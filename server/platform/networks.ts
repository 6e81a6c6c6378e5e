import { BlockList, isIP, isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'

/** Names of networks that TRUSTED_PROXIES accepts. */
const named_networks: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** True if the text is an address, or a network in CIDR notation. */
export function isNetwork(text: string) {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** True if the text is a network or the name of one. */
export const isTrustable = (text: string) => isNetwork(text) || Object.hasOwn(named_networks, text)

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const cache_max = 10_000

/** True if an address is in one of these networks. */
export const isWithin = (networks: readonly string[], address: string) => matches(listOf(networks), address)

const matches = (list: BlockList, address: string) => isIP(address) !== 0 && list.check(address, familyOf(address))

function listOf(networks: readonly string[]) {
  const list = new BlockList()
  for (const network of networks.flatMap((item) => named_networks[item] ?? [item])) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

/** Returns a cached check whether an address is in one of these networks (`TRUSTED_PROXIES`). */
export function openNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = listOf(networks)
  const cache = new LRUCache<string, boolean>({ max: cache_max, memoMethod: (address) => matches(list, address) })
  return (address) => cache.memo(address)
}

/** Converts an IPv4-mapped IPv6 address, as dual-stack sockets report it, to IPv4. */
export const unmapAddress = (address: string | undefined) => (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')

/** The network address of a client as a rate-limited principal. IPv6 addresses count by their /64, which one client controls. */
export function addressKey(address: string) {
  const plain = address.replace(/%.*$/s, '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  const [high = 0, low = 0] = groups.slice(6).map((group) => parseInt(group, 16))
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** The eight groups of an IPv6 address, normalised by the URL parser. */
function groupsOf(address: string) {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const first = head.split(':').filter(Boolean)
  const last = (tail ?? '').split(':').filter(Boolean)
  const zeros: string[] = Array(8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last]
}

/** True if a hostname refers to this machine. */
export const isLoopbackName = (name: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(name)
