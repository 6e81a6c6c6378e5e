import { BlockList, isIP } from 'node:net'
import { LRUCache } from 'lru-cache'

/** The networks that may stand in TRUSTED_PROXIES by name. */
const named_networks: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const remembered_max = 10_000

/** Tells whether an address lies in one of these networks (`TRUSTED_PROXIES`). */
export function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks.flatMap((item) => named_networks[item] ?? [item])) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  const remembered = new LRUCache<string, boolean>({
    max: remembered_max,
    memoMethod: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)),
  })
  return (address) => remembered.memo(address)
}

/** An address as people write it: IPv4 is IPv4, also where a socket for both shows it inside IPv6. */
export const plainAddress = (address: string | undefined) => (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
