import { isIPv4 } from 'node:net'
import { parseHost } from '../../platform/hosts.ts'

/** The columns of a deployment that routing depends on. */
export interface RouteRow {
  id: string
  subdomain: string
  /** Null until its ownership is verified: an unverified domain is not routed (D-61). */
  custom_domain: string | null
  status: string
  desired: string
  suspended_by: string | null
  billing_status: string | null
  generation: number
  failed_generation: number | null
  /** The addresses of its instances (D-105). */
  endpoints: (Endpoint & { is_healthy: boolean })[]
}

interface Endpoint {
  replica: number
  generation: number
  host: string
  port: number
}

/** The address of one replica of one generation. Requests go only to targets. */
export interface Target extends Endpoint {
  deployment_id: string
  /** False if its port has not answered lately. */
  is_healthy: boolean
}

export const isSameAddress = (one: Target, other: Target) => one.host === other.host && one.port === other.port

/** The reason why a deployment is not reachable. */
export type UnavailableReason = 'stopped' | 'suspended' | 'failed'

/** `wait`: the deployment is starting, and a request waits a few seconds for it. */
export type Destination =
  | { state: 'target'; targets: readonly [Target, ...Target[]] }
  | { state: 'wait' }
  | { state: 'unavailable'; reason: UnavailableReason }

/** The destination of requests for a deployment. Intent takes precedence: a stop or suspension takes effect before its container stops. */
export function destinationOf(row: RouteRow): Destination {
  if (row.suspended_by !== null || row.billing_status === 'suspended')
    return { state: 'unavailable', reason: 'suspended' }
  if (row.desired !== 'running') return { state: 'unavailable', reason: 'stopped' }
  const [first, ...others] = row.endpoints.map((endpoint) => ({ ...endpoint, deployment_id: row.id }))
  if (first) return { state: 'target', targets: [first, ...others] }
  if (row.failed_generation === row.generation) return { state: 'unavailable', reason: 'failed' }
  if (row.billing_status === 'awaiting_payment') return { state: 'unavailable', reason: 'stopped' }
  return { state: 'wait' }
}

/** The hostnames of a deployment. */
export const hostnamesOf = ({ subdomain, custom_domain }: RouteRow, apps_domain: string) => [
  `${subdomain}.${apps_domain}`,
  ...(custom_domain === null ? [] : [custom_domain.toLowerCase()]),
]

/** The router's own hostnames, which no deployment can have: IP addresses and names without a dot, such as `localhost`. */
export const isRouterHostname = (name: string) => !name.includes('.') || name.startsWith('[') || isIPv4(name)

/** Host and path of a request, from a request target in origin form or absolute form (RFC 9112 3.2). */
export interface RequestUri {
  hostname: string
  /** As sent by the client, with its port. */
  host: string
  path: string
}

/** Parses the URI of a request; returns an error message if it is ambiguous or invalid. */
export function parseRequestUri(url: string, hosts: readonly string[]): RequestUri | string {
  const [host, ...others] = hosts
  if (host === undefined) return 'The Host header is missing.'
  if (others.length > 0) return 'There is more than one Host header.'
  const hostname = parseHost(host)
  if (hostname === undefined) return 'The Host header names no host.'
  if (url.startsWith('/')) return { hostname, host, path: url }
  const [, authority, path = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? []
  if (authority === undefined) return 'The address of the request is neither a path nor a URL.'
  if (parseHost(authority) !== hostname) return 'The address of the request and its Host header differ.'
  return { hostname, host, path: path.startsWith('/') ? path : `/${path}` }
}

/** The error in a request's framing, if any: two servers could disagree on its end (RFC 9112 6). */
export function framingError(headers: Readonly<Record<string, string | string[] | undefined>>, http_version: string) {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (headers['content-length'] !== undefined) return 'The request has two lengths.'
  if (http_version === '1.0' || String(coding).toLowerCase() !== 'chunked') return 'The transfer coding is unknown.'
  return undefined
}
