import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { unmapAddress } from '../../platform/networks.ts'
import { openRequestIds } from '../../platform/request-ids.ts'

/** Hop-by-hop headers (RFC 9110 7.6.1). `transfer-encoding` is not among them: it frames the forwarded body. */
const hop_by_hop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
] as const

/** Headers for framing and routing stay, even when the Connection header names them. */
const never_removed = new Set(['host', 'content-length', 'transfer-encoding'])

/**
 * Headers that the router sets itself; `x-request-id` is set already (`openRequestIdentity`). `_` counts as `-`: CGI variables do
 * not distinguish them.
 */
const isForwardingHeader = (name: string) =>
  /^(forwarded$|x[-_]forwarded[-_]|x[-_]real[-_]ip$|x_request[-_]id$|x-request_id$)/.test(name)

const listTokens = (value: string | undefined) =>
  (value ?? '')
    .toLowerCase()
    .split(',')
    .map((token) => token.trim())

export const wantsClose = (headers: IncomingHttpHeaders) => listTokens(headers.connection).includes('close')

/** Removes hop-by-hop headers and those that the Connection header names. */
export function removeHopByHop(headers: IncomingHttpHeaders) {
  for (const name of [...listTokens(headers.connection), ...hop_by_hop])
    if (name !== '' && !never_removed.has(name)) delete headers[name]
}

/**
 * Returns what gives a request its `X-Request-Id`, for the container and for the log: that of a trusted proxy, or a new one in
 * place of what other clients send.
 */
export function openRequestIdentity(trusted_proxies: readonly string[]) {
  const requestIdOf = openRequestIds(trusted_proxies)
  return (req: IncomingMessage) => {
    req.headers['x-request-id'] = requestIdOf(req)
  }
}

export interface ForwardedOptions {
  /** The remote address of the connection. */
  peer: string | undefined
  /** The Host header. */
  host: string
  isTrusted(address: string): boolean
}

/**
 * Replaces all headers that say where a request comes from. Values of trusted proxies are kept, those of other clients
 * are removed.
 */
export function setForwardedHeaders(headers: IncomingHttpHeaders, { peer, host, isTrusted }: ForwardedOptions) {
  const address = unmapAddress(peer)
  const chain = isTrusted(address)
    ? trustedChain(listTokens(String(headers['x-forwarded-for'] ?? '')), address, isTrusted)
    : [address]
  const claimed_proto = listTokens(String(headers['x-forwarded-proto'] ?? '')).at(-1) ?? ''
  const proto = isTrusted(address) && /^https?$/.test(claimed_proto) ? claimed_proto : 'http'
  for (const name of Object.keys(headers)) if (isForwardingHeader(name)) delete headers[name]
  const client = chain[0] ?? address
  headers['x-forwarded-for'] = chain.join(', ')
  headers['x-forwarded-proto'] = proto
  headers['x-forwarded-host'] = host
  headers['x-real-ip'] = client
  headers.forwarded = `for=${isIP(client) === 6 ? `"[${client}]"` : client};host="${host}";proto=${proto}`
}

/** The X-Forwarded-For chain from the client to the peer: read from the right, up to the first untrusted address. */
function trustedChain(claimed: readonly string[], peer: string, isTrusted: (address: string) => boolean) {
  const chain = [peer]
  for (const entry of claimed.toReversed()) {
    const address = unmapAddress(entry)
    if (isIP(address) === 0) break
    chain.unshift(address)
    if (!isTrusted(address)) break
  }
  return chain
}
