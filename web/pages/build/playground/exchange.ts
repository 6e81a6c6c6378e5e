import { decisions } from '../../../../contract/decisions.ts'
import type { Declaration } from '../../../../contract/endpoint.ts'
import { t } from '../../../texts.ts'

/** One HTTP request with its response. */
export interface Exchange {
  id: number
  title: string
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  /** Undefined while pending; 0 without a response. */
  status?: number
  ms?: number
  response_headers?: Record<string, string>
  response_body?: string
}

export interface CallInput {
  title: string
  query?: Record<string, unknown>
  body?: Record<string, unknown>
  headers?: Record<string, string>
  token?: string
}

let last_id = 0

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

/** The request to an endpoint, before it is sent. */
export function requestOf(endpoint: Declaration, { title, query = {}, body, headers, token }: CallInput): Exchange {
  const url = new URL(endpoint.path, location.origin)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return {
    id: ++last_id,
    title,
    method: endpoint.method,
    url: url.href,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: pretty(body) }),
  }
}

/** The response headers that the playground shows. */
const shown_headers = [
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'www-authenticate',
  'idempotency-replayed',
  'x-request-id',
]

const pickHeaders = (headers: Headers) =>
  Object.fromEntries(shown_headers.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])))

/** Sends a request and adds the response to the exchange. `json` is the body of a 2xx response. Never rejects. */
export async function send(request: Exchange): Promise<{ exchange: Exchange; json: unknown }> {
  const { url, method, headers, body } = request
  const began = performance.now()
  try {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    const text = await response.text()
    const json = text === '' ? undefined : (JSON.parse(text) as unknown)
    const exchange = {
      ...request,
      status: response.status,
      ms: Math.round(performance.now() - began),
      response_headers: pickHeaders(response.headers),
      response_body: json === undefined ? '' : pretty(json),
    }
    return { exchange, json: response.ok ? json : undefined }
  } catch {
    const ms = Math.round(performance.now() - began)
    return {
      exchange: { ...request, status: 0, ms, response_body: t('build.exchange.no-answer-came-is-plaza-within') },
      json: undefined,
    }
  }
}

const secret_prefixes = Object.values(decisions.credentials.prefixes)
const secret_pattern = new RegExp(`(${secret_prefixes.join('|')})[A-Za-z0-9_-]+`, 'g')

/** Masks every Plaza code, token and secret except its prefix and last four characters. */
export const masked = (text: string) =>
  text.replace(secret_pattern, (secret: string, prefix: string) => `${prefix}…${secret.slice(-4)}`)

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a curl command. It reads the client secret from `$CLIENT_SECRET`. */
export function curlOf({ method, url, headers, body }: Exchange) {
  const client_secret = new RegExp(`${decisions.credentials.prefixes.client_secret}[A-Za-z0-9_-]+`, 'g')
  const parts = [
    `curl -X ${method} ${shellQuoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuoted(JSON.stringify(JSON.parse(body)))}`]),
  ]
  return parts.join(' \\\n  ').replaceAll(client_secret, `'"$CLIENT_SECRET"'`)
}
