import ipaddr from 'ipaddr.js'

/** The allocated range of global unicast IPv6; the rest is reserved. */
const global_unicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True if the IP address is public. Not public are loopback, private, link-local, carrier-grade NAT, multicast, unspecified, reserved and
 * documentation addresses, and IPv6 addresses that embed an IPv4 one (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string) {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(global_unicast))
}
