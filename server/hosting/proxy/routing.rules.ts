import { isIP } from 'node:net'

/** What the router knows of a deployment. */
export interface RouteRow {
  id: string
  subdomain: string
  /** Null until its ownership is proved: a claim alone routes nothing (D-61). */
  custom_domain: string | null
  status: string
  desired: string
  suspended_by: string | null
  billing_status: string | null
  generation: number
  failed_generation: number | null
  serving_generation: number | null
  endpoint_host: string | null
  endpoint_port: number | null
}

/** One generation's address: the only place where a request may be sent. */
export interface Target {
  deployment_id: string
  generation: number
  host: string
  port: number
}

/** Why nobody answers there now. */
export type Rest = 'stopped' | 'suspended' | 'failed'

/** `wait`: it is on its way, and worth a few seconds of patience. */
export type Destination = { to: 'target'; target: Target } | { to: 'wait' } | { to: 'rest'; rest: Rest }

/** Where requests for a deployment go. Intent comes first: what is stopped or suspended answers no more, at once. */
export function destinationOf(row: RouteRow): Destination {
  if (row.suspended_by !== null || row.billing_status === 'suspended') return { to: 'rest', rest: 'suspended' }
  if (row.desired !== 'running') return { to: 'rest', rest: 'stopped' }
  const { id: deployment_id, serving_generation: generation, endpoint_host: host, endpoint_port: port } = row
  if (generation !== null && host !== null && port !== null)
    return { to: 'target', target: { deployment_id, generation, host, port } }
  if (row.failed_generation === row.generation) return { to: 'rest', rest: 'failed' }
  if (row.billing_status === 'awaiting_payment') return { to: 'rest', rest: 'stopped' }
  return { to: 'wait' }
}

/** The names under which a deployment is reached. */
export const namesOf = ({ subdomain, custom_domain }: RouteRow, apps_domain: string) => [
  `${subdomain}.${apps_domain}`,
  ...(custom_domain === null ? [] : [custom_domain.toLowerCase()]),
]

const host_pattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?)\.?(?::\d{0,5})?$/

/**
 * The name in a Host header, in small letters and without port and final dot; undefined where it is no host. What
 * passes can be put into a header of ours as it is.
 */
export function hostName(header: string): string | undefined {
  const [, name] = host_pattern.exec(header.toLowerCase()) ?? []
  if (name === undefined || name.includes('..')) return undefined
  return name.startsWith('[') && isIP(name.slice(1, -1)) !== 6 ? undefined : name
}

/** The router's own names, which no deployment can have: an address, or this machine's own name for itself. */
export const isOwnName = (name: string) => name === 'localhost' || name.startsWith('[') || isIP(name) !== 0

/** A request's host and path; which of the two ways of naming the host was used makes no difference (RFC 9112 3.2). */
export interface Heading {
  name: string
  /** As the client wrote it, port included. */
  host: string
  path: string
}

/** Reads where a request wants to go; the answer is a sentence when it cannot be told for certain. */
export function headingOf(url: string, hosts: readonly string[]): Heading | string {
  const [host, ...others] = hosts
  if (host === undefined) return 'The Host header is missing.'
  if (others.length > 0) return 'There is more than one Host header.'
  const name = hostName(host)
  if (name === undefined) return 'The Host header names no host.'
  if (url.startsWith('/')) return { name, host, path: url }
  const [, authority, path = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined) return 'The address of the request is neither a path nor a URL.'
  if (hostName(authority) !== name) return 'The address of the request and its Host header differ.'
  return { name, host, path: path.startsWith('/') ? path : `/${path}` }
}

/** What of a request's framing is not plain enough to be passed on: every server must see the same end of it (RFC 9112 6). */
export function framingError(headers: Readonly<Record<string, string | string[] | undefined>>, http_version: string) {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (headers['content-length'] !== undefined) return 'The request has two lengths.'
  if (http_version === '1.0' || String(coding).toLowerCase() !== 'chunked') return 'The transfer coding is unknown.'
  return undefined
}
