import { isIP } from 'node:net'

const host_pattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?)\.?(?::(\d{0,5}))?$/

/**
 * The hostname in a Host header, in lower case, without port and final dot; undefined if it is invalid. A valid
 * hostname can be copied safely into another header.
 */
export function parseHost(header: string): string | undefined {
  const [, name, port = ''] = host_pattern.exec(header.toLowerCase()) ?? []
  if (name === undefined || name.includes('..') || Number(port) > 65_535) return undefined
  return name.startsWith('[') && isIP(name.slice(1, -1)) !== 6 ? undefined : name
}

/** Almost all requests name the same host, and parsing it each time costs a spend 0.2 µs. */
let last_valid: string | undefined

/** True if a request has one well-formed Host header. HTTP/1.0 requests may have none (RFC 9112 §3.2). */
export function hasValidHost({ rawHeaders, httpVersion }: { rawHeaders: readonly string[]; httpVersion: string }) {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    const host = rawHeaders[at + 1]!
    if (++hosts > 1 || (host !== last_valid && parseHost(host) === undefined)) return false
    last_valid = host
  }
  return hosts === 1 || httpVersion === '1.0'
}
