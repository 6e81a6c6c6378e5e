import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * Reduces `X-Forwarded-For` (D-05) to the addresses after the last invalid entry, without the ports that some proxies append. Entries
 * before an invalid one cannot be trusted. `request.ip` is then always an address.
 */
export function sanitizeForwardedFor(headers: IncomingHttpHeaders) {
  const sent = headers['x-forwarded-for']
  if (sent === undefined) return
  const entries = String(sent)
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map(withoutPort)
  const last_other = entries.findLastIndex((entry) => isIP(entry) === 0)
  headers['x-forwarded-for'] = entries.slice(last_other + 1).join(', ')
}

/** `192.0.2.1:50000` and `[2001:db8::1]:50000`; an IPv6 address without brackets has no port. */
function withoutPort(entry: string) {
  const [, in_brackets, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(entry) ?? []
  return in_brackets ?? plain ?? entry
}
