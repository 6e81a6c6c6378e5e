import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { openNetworkMatcher, unmapAddress } from './networks.ts'

/** The format of proxies' ids: UUIDs, hexadecimal numbers, base64. No character needs escaping in a log line. */
const id_of_proxy = /^[A-Za-z0-9._:+/=-]{1,128}$/

/**
 * The id of a request: the `X-Request-Id` of a trusted proxy, if it is well-formed, else a random part per process and a counter, which is
 * cheaper than a UUID per request.
 */
export function openRequestIds(trusted_proxies: readonly string[]): (request: IncomingMessage) => string {
  const process_part = randomBytes(4).toString('hex')
  let requests = 0
  const next = () => `${process_part}-${(++requests).toString(36)}`
  if (trusted_proxies.length === 0) return next
  const isTrusted = openNetworkMatcher(trusted_proxies)
  return ({ headers, socket }) => {
    const sent = headers['x-request-id']
    const is_taken = typeof sent === 'string' && id_of_proxy.test(sent) && isTrusted(unmapAddress(socket.remoteAddress))
    return is_taken ? sent : next()
  }
}
