import type { Static } from 'typebox'
import type { BodyOf, Declaration, HeadersOf, ParamsOf, QueryOf, ResponseOf, Wire } from './endpoint.ts'
import type { request_options } from './passkey-fields.ts'

type Part<Name extends string, Value> = [Value] extends [undefined] ? { [_ in Name]?: never } : { [_ in Name]: Value }
type OptionalPart<Name extends string, Value> = [Value] extends [undefined]
  ? { [_ in Name]?: never }
  : { [_ in Name]?: Value }

/** The input of a call: only the parts that the endpoint declares. */
export type Input<D extends Declaration> = Part<'params', ParamsOf<D>> &
  OptionalPart<'query', Wire<QueryOf<D>>> &
  (Record<never, never> extends BodyOf<D> ? OptionalPart<'body', BodyOf<D>> : Part<'body', Wire<BodyOf<D>>>) &
  OptionalPart<'headers', HeadersOf<D>>

/** A response of the API: the declared body, or the body of a failure. */
export type Reply<D extends Declaration> =
  | { ok: true; status: number; headers: Headers; body: Wire<ResponseOf<D>> }
  | { ok: false; status: number; headers: Headers; body: FailureBody }

export interface FailureBody {
  error?: string
  message?: string
  error_description?: string
  fields?: { path: string; message: string }[]
  errors?: { detail: string }
  passkey_options?: Static<typeof request_options>
}

/** The credentials of an app for `/api/app` and `/api/deploy`. */
export interface ClientCredentials {
  client_id: string
  client_secret: string
}

/**
 * Calls endpoints by their declarations, without retries: for the console and the tests. Calls have no credentials, a
 * bearer token, or an app's credentials. Apps use `@plaza/client`.
 */
export class PlazaClient {
  private readonly base_url: string
  private readonly authorization: string | undefined
  private readonly request: typeof fetch

  /** `request` replaces the platform's `fetch`. */
  constructor(
    base_url: string,
    credentials?: string | ClientCredentials,
    request: typeof fetch = (...call) => fetch(...call),
  ) {
    this.base_url = base_url.replace(/\/+$/, '')
    this.authorization = credentials === undefined ? undefined : authorizationOf(credentials)
    this.request = request
  }

  /** A client of the same API with this token. */
  withToken(token: string) {
    return new PlazaClient(this.base_url, token, this.request)
  }

  /** A client of the same API that authenticates as this app. */
  withClient(credentials: ClientCredentials) {
    return new PlazaClient(this.base_url, credentials, this.request)
  }

  /**
   * Calls an endpoint. A refusal is a reply with `ok: false`. A response that is not JSON, such as a proxy's error
   * page, is `ok: false` with an empty body, whatever its status. Rejects only without a response.
   */
  async call<D extends Declaration>(endpoint: D, ...[input]: InputArguments<D>): Promise<Reply<D>> {
    const { params, query, body, headers } = (input ?? {}) as LooseInput
    const response = await this.request(this.base_url + pathOf(endpoint.path, params) + queryOf(query), {
      method: endpoint.method,
      headers: {
        ...(this.authorization !== undefined && { authorization: this.authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const { status, headers: answered } = response
    const parsed = parse(text)
    if (!parsed) return { ok: false, status, headers: answered, body: {} }
    return { ok: response.ok, status, headers: answered, body: parsed.body } as Reply<D>
  }

  /** Like `call`, but returns the body and throws an `ApiError` on refusal. */
  async result<D extends Declaration>(endpoint: D, ...input: InputArguments<D>): Promise<Wire<ResponseOf<D>>> {
    const reply = await this.call(endpoint, ...input)
    if (!reply.ok) throw new ApiError(endpoint, reply.status, reply.body)
    return reply.body
  }
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
const authorizationOf = (credentials: string | ClientCredentials) =>
  typeof credentials === 'string'
    ? `Bearer ${credentials}`
    : `Basic ${btoa(`${formEncode(credentials.client_id)}:${formEncode(credentials.client_secret)}`)}`

const formEncode = (text: string) => new URLSearchParams({ _: text }).toString().slice(2)

type InputArguments<D extends Declaration> =
  Record<never, never> extends Input<D> ? [input?: Input<D>] : [input: Input<D>]

interface LooseInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
}

export class ApiError extends Error {
  readonly status: number
  readonly body: FailureBody
  constructor({ method, path }: Declaration, status: number, body: FailureBody) {
    super(`${method} ${path}: ${status} ${body.error ?? ''} ${body.message ?? body.error_description ?? ''}`.trim())
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

function parse(text: string): { body: unknown } | undefined {
  try {
    return { body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

const pathOf = (path: string, params: Record<string, unknown> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

function queryOf(query: Record<string, unknown> = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`
}
