import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { unmapAddress } from '../../platform/networks.ts'
import { openRequestIds } from '../../platform/request-ids.ts'

/** Hop-by-hop headers (RFC 9110 7.6.1), without `transfer-encoding`, which frames the forwarded body. */
const hop_by_hop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

/** Headers for framing and routing stay even if the Connection header names them. */
const never_removed = new Set(['host', 'content-length', 'transfer-encoding'])

/**
 * Headers that the router sets itself; `x-request-id` is already set (`openRequestIdentity`). `_` counts as `-`,
 * because CGI variables do not distinguish them.
 */
const isForwardingHeader = (name: string) =>
  /^(forwarded$|x[-_]forwarded[-_]|x[-_]real[-_]ip$|x_request[-_]id$|x-request_id$)/.test(name)

const listTokens = (value: string | undefined) =>
  value === undefined
    ? []
    : value
        .toLowerCase()
        .split(',')
        .map((token) => token.trim())

export const wantsClose = (headers: IncomingHttpHeaders) => listTokens(headers.connection).includes('close')

/**
 * Alternating names and values, as in `rawHeaders`. Node sends such a list unchanged; an object of headers is several times as expensive.
 */
export type HeaderList = string[]

/** The headers except hop-by-hop headers, those that the Connection header names, and those for which `isLeftOut` is true. */
function endToEndHeaders(headers: IncomingHttpHeaders, isLeftOut: (name: string) => boolean): HeaderList {
  const named = new Set(listTokens(headers.connection))
  const list: HeaderList = []
  for (const name in headers) {
    if (hop_by_hop.has(name) || isLeftOut(name) || (named.has(name) && !never_removed.has(name))) continue
    const value = headers[name]
    if (typeof value === 'string') list.push(name, value)
    else for (const each of value ?? []) list.push(name, each)
  }
  return list
}

/** The headers of a container's response for the client. Node frames the body itself. */
export const responseHeaders = (headers: IncomingHttpHeaders, connection: 'close' | 'keep-alive'): HeaderList => {
  const list = endToEndHeaders(headers, (name) => name === 'transfer-encoding')
  list.push('connection', connection)
  return list
}

/**
 * Returns a function that sets the `X-Request-Id` of a request, for the container and the log. A trusted proxy's id is
 * kept; other clients' ids are replaced.
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

/** The router answers `Expect: 100-continue` itself. */
const isReplaced = (name: string) => name === 'expect' || isForwardingHeader(name)

/**
 * The headers of a client's request for the container. All headers about the origin of the request are replaced: values
 * of trusted proxies are kept, those of other clients are not.
 */
export function requestHeaders(headers: IncomingHttpHeaders, { peer, host, isTrusted }: ForwardedOptions): HeaderList {
  const address = unmapAddress(peer)
  const is_trusted = isTrusted(address)
  const chain = is_trusted
    ? trustedChain(listTokens(textOf(headers['x-forwarded-for'])), address, isTrusted)
    : [address]
  const proto = (is_trusted && claimedProto(headers)) || 'http'
  const client = chain[0] ?? address
  const list = endToEndHeaders(headers, isReplaced)
  list.push('x-forwarded-for', chain.join(', '))
  list.push('x-forwarded-proto', proto)
  list.push('x-forwarded-host', host)
  list.push('x-real-ip', client)
  list.push('forwarded', `for=${client.includes(':') ? `"[${client}]"` : client};host="${host}";proto=${proto}`)
  return list
}

const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value)

function claimedProto(headers: IncomingHttpHeaders) {
  const claimed = listTokens(textOf(headers['x-forwarded-proto'])).at(-1) ?? ''
  return /^https?$/.test(claimed) ? claimed : undefined
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
