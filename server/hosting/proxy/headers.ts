import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { plainAddress } from './peers.ts'

/** Between two neighbours only (RFC 9110 7.6.1). `transfer-encoding` is not among them: it frames what is passed on. */
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

/** What a request is framed and found by stays, whatever its Connection header says of it. */
const never_dropped = new Set(['host', 'content-length', 'transfer-encoding'])

/** What only we may say of where a request comes from; `_` is `-` for programs that turn headers into variables. */
const isClaim = (name: string) => /^(forwarded$|x[-_]forwarded[-_]|x[-_]real[-_]ip$)/.test(name)

const tokensOf = (value: string | undefined) =>
  (value ?? '')
    .toLowerCase()
    .split(',')
    .map((token) => token.trim())

export const wantsClose = (headers: IncomingHttpHeaders) => tokensOf(headers.connection).includes('close')

/** Takes out what was meant for us alone, and what the Connection header says is. */
export function dropHopByHop(headers: IncomingHttpHeaders) {
  for (const name of [...tokensOf(headers.connection), ...hop_by_hop])
    if (name !== '' && !never_dropped.has(name)) delete headers[name]
}

export interface Origin {
  /** The address at the other end of the connection. */
  peer: string | undefined
  /** The Host header. */
  host: string
  isTrusted(address: string): boolean
}

/**
 * Makes a client's headers what a container may believe: where the request comes from is said by us, and by proxies
 * that we trust; what anybody else claims of it is taken out.
 */
export function setForwardedHeaders(headers: IncomingHttpHeaders, { peer, host, isTrusted }: Origin) {
  const address = plainAddress(peer)
  const chain = isTrusted(address)
    ? chainOf(tokensOf(String(headers['x-forwarded-for'] ?? '')), address, isTrusted)
    : [address]
  const claimed = tokensOf(String(headers['x-forwarded-proto'] ?? '')).at(-1) ?? ''
  const proto = isTrusted(address) && /^https?$/.test(claimed) ? claimed : 'http'
  for (const name of Object.keys(headers)) if (isClaim(name)) delete headers[name]
  const client = chain[0] ?? address
  headers['x-forwarded-for'] = chain.join(', ')
  headers['x-forwarded-proto'] = proto
  headers['x-forwarded-host'] = host
  headers['x-real-ip'] = client
  headers.forwarded = `for=${isIP(client) === 6 ? `"[${client}]"` : client};host="${host}";proto=${proto}`
}

/** From the client to our neighbour: read backwards, and no further than the first address that nobody vouches for. */
function chainOf(claimed: readonly string[], peer: string, isTrusted: (address: string) => boolean) {
  const chain = [peer]
  for (const entry of claimed.toReversed()) {
    const address = plainAddress(entry)
    if (isIP(address) === 0) break
    chain.unshift(address)
    if (!isTrusted(address)) break
  }
  return chain
}
