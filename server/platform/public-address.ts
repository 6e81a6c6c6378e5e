import ipaddr from 'ipaddr.js'

/** All of IPv6 that is meant for the open Internet: of the rest, what has no use today may get one tomorrow. */
const global_unicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Does this IP address belong to the open Internet? Not so what is loopback, private, link-local, shared by a carrier,
 * multicast, unspecified, reserved or for documentation, nor an IPv6 address that carries an IPv4 one (mapped,
 * translated, tunnelled).
 */
export function isPublicAddress(text: string) {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(global_unicast))
}
