import type { Static, TObject, TSchema } from 'typebox'
import { decisions } from './decisions.ts'
import type { FailureCode } from './errors.ts'
import type { NeededRoles } from './kinds/admin-roles.ts'
import type { MemberRole } from './kinds/member-roles.ts'
import type { Scope } from './kinds/scopes.ts'
import type { SecretPermission } from './kinds/secret-permissions.ts'
import type { DecisionMark } from './schema.ts'

/** Maximum calls of one principal in a window (D-05). `setting` names the configuration value that overrides it. */
export interface Limit {
  requests: number
  seconds: number
  setting?: 'login' | 'register' | 'verify_email' | 'send_verification' | 'token' | 'token_verify'
}

export interface Declaration {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path as OpenAPI writes it: `/api/oauth/apps/{client_id}`. */
  path: string
  tag: string
  summary: string
  description?: string
  /**
   * The callers: `none` is anybody, `user` a signed-in user (JWT), `admin` an admin (JWT), `client` an app itself (HTTP
   * Basic, D-95), `agent` an app with an access token for the MCP server (D-156). With `scope`: an app with an access
   * token of this scope; with `or_client` also the app itself for its owner, if it is approved and has the scope; with
   * `or_user` also a signed-in user (JWT).
   */
  auth: 'none' | 'user' | 'admin' | 'client' | 'agent' | { scope: Scope; or_client?: true; or_user?: true }
  /**
   * Makes it a tool of the MCP server (D-156). A tool that moves points names the recipient: the app, or a person in
   * the body.
   */
  tool?: 'reads' | 'pays_app' | 'pays_person'
  /** The permission that a client secret needs for the call (D-133); every endpoint that takes client secrets declares one. */
  secret_permission?: SecretPermission
  /**
   * The minimum role of the caller in the app of the call, or in the team under `/api/teams` (D-134), checked before
   * the handler runs. A call by an app's secret needs no role.
   */
  team_role?: MemberRole
  /** Open to members who lack the second factor that their team requires; the service refuses them all but leaving (D-134). */
  allows_one_factor?: true
  /**
   * The admin roles that may each call it (D-135), besides administrators and, for a GET, auditors. Every endpoint for
   * admins declares at least one.
   */
  admin_roles?: NeededRoles
  /** Accepts an expired JWT, because the call needs further proof. */
  accepts_expired?: true
  params?: TObject
  query?: TObject
  /** A query parameter without a value counts as absent (RFC 6749 §3.1). */
  empty_is_absent?: true
  headers?: TObject
  body?: TSchema
  /** Replaces `body` in the document: one of several schemas, as JSON and as a form. */
  documented_bodies?: { json: readonly TSchema[]; form: readonly TSchema[] }
  /** `form` additionally accepts application/x-www-form-urlencoded (D-22). */
  accepts?: 'json' | 'form'
  /** Maximum bytes of a body, if its fields need more than the default of `bodyBytesMax`. */
  body_bytes_max?: number
  /** A GET that changes something, and therefore has no HEAD (D-115). */
  changes?: true
  /** A GET whose response contains both a secret and input of the caller; it is not compressed. */
  answers_secret?: true
  /** The response has an ETag; a client that sends it back gets 304 (RFC 9110 §13.1.2). */
  revalidates?: true
  /** The endpoint accepts a body of any shape and checks it itself (D-84). */
  accepts_any_body?: true
  /** Field names somewhere in the body are data: even `__proto__` is accepted. */
  accepts_any_field_name?: true
  response: TSchema
  /** The response is a file of this media type; `response` is the schema of its text. */
  download?: 'text/csv' | 'application/json'
  /** A 503 has the same body as a success; it says what is missing. */
  unready_has_body?: true
  /** The response with 202, if the call waits for another person. */
  accepted?: TSchema
  /**
   * The response is an endless `text/event-stream` of events with these names and data; `response` is the schema of its
   * text.
   */
  events?: Record<string, TSchema>
  /** Success statuses, 200 by default (D-01). With two, the handler chooses. */
  status?: readonly [200] | readonly [201] | readonly [200, 201]
  errors?: 'standard_with_message' | 'oauth'
  fails?: readonly FailureCode[]
  /** Fields of a failure's body besides `error` and `message`, by its code. */
  failure_fields?: Partial<Record<FailureCode, Record<string, TSchema>>>
  limit?: Limit
  /**
   * The call needs a proof that the account's owner makes it (D-107, D-129). `asked`: the service checks proof fields
   * in the body, or a proof of this session within the last minutes. `recent`: a sign-in within these minutes also
   * counts, and the check happens before the handler runs. With `recent_with`, only if the body has that field; with
   * `values`, only if the field has one of these values.
   */
  proof?: 'asked' | 'recent' | { recent_with: string; values?: readonly string[] }
  /**
   * Whether pages of any origin may call it; there are no cookies. By default they may if the endpoint takes a token,
   * but not if it takes no credentials or a client secret.
   */
  cors?: 'any_origin' | 'none'
  /** The service accepts a DPoP proof in the header `DPoP` (D-152), as for every call with an access token. */
  takes_proof?: true
  /** The decision that closes a gap of the specification at this endpoint. */
  decision?: DecisionMark
  /** `extension`: the specification does not have this endpoint. */
  origin?: 'extension'
}

/** Whether pages of any origin may call an endpoint. */
export const allowsAnyOrigin = ({
  auth,
  cors = auth === 'none' || auth === 'client' ? 'none' : 'any_origin',
}: Declaration) => cors === 'any_origin'

/** Whether calls come with the access token of an app, which may be bound to a key. */
export const takesAppToken = ({ auth }: Declaration) => auth === 'agent' || typeof auth === 'object'

/** Whether a call may bring a DPoP proof. */
export const takesProof = (endpoint: Declaration) => endpoint.takes_proof === true || takesAppToken(endpoint)

/** Maximum bytes of a request body of an endpoint (D-83). */
export function bodyBytesMax({ body_bytes_max, auth, accepts }: Declaration) {
  const allowed = decisions.request_bounds
  const is_open = auth === 'none' && accepts !== 'form'
  return body_bytes_max ?? (is_open ? allowed.open_body_bytes_max : allowed.body_bytes_max)
}

/** Shared by our additions for admins, which have their roles too (D-135). */
export const of_admins = { auth: 'admin', origin: 'extension', tag: 'Administration' } as const

type Method = Declaration['method']
/** The method and the path of a call, such as `GET /api/points/balance`. */
type Call = `${Method} ${string}`
type PartsOf<C extends Call> = C extends `${infer M extends Method} ${infer P}` ? { method: M; path: P } : never

/** Declares an endpoint of the public API. The types of server and client, and the OpenAPI document, derive from it. */
export function endpoint<
  const C extends Call,
  const D extends Partial<Declaration> & Omit<Declaration, 'method' | 'path'>,
>(call: C, declaration: D) {
  const [method, path] = call.split(' ')
  return { ...declaration, method, path } as unknown as Omit<D, 'method' | 'path'> & PartsOf<C>
}

type StaticOf<D, Part extends string> = D extends Record<Part, infer S extends TSchema> ? Static<S> : undefined
export type ParamsOf<D extends Declaration> = StaticOf<D, 'params'>
export type QueryOf<D extends Declaration> = StaticOf<D, 'query'>
export type BodyOf<D extends Declaration> = StaticOf<D, 'body'>
export type HeadersOf<D extends Declaration> = StaticOf<D, 'headers'>
export type ResponseOf<D extends Declaration> = Static<D['response']>
/** The response with 202; `never` if there is none. */
export type AcceptedOf<D extends Declaration> = D extends { accepted: infer S extends TSchema } ? Static<S> : never

/** The JSON form of a value: dates are strings. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T
