import type { Static, TObject, TSchema } from 'typebox'
import { decisions } from './decisions.ts'
import type { FailureCode } from './errors.ts'
import type { NeededRoles } from './kinds/admin-roles.ts'
import type { MemberRole } from './kinds/member-roles.ts'
import type { Scope } from './kinds/scopes.ts'
import type { SecretPermission } from './kinds/secret-permissions.ts'
import type { DecisionMark } from './schema.ts'

/** How many calls one principal may make in a window (D-05). `setting` names the configuration value that replaces it. */
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
   * The callers: anybody, a signed-in user (JWT), an admin (JWT), an app itself (HTTP Basic, D-95), or an app with an access
   * token of this scope; with `or_client` also the app itself, if it is approved and has the scope, in the name of its owner;
   * with `or_user` also a signed-in user (JWT). `agent`: an app with an access token for the MCP server (D-156).
   */
  auth: 'none' | 'user' | 'admin' | 'client' | 'agent' | { scope: Scope; or_client?: true; or_user?: true }
  /** The MCP server has a tool for it (D-156). One that moves points names who is paid: the app, or a person of the body. */
  tool?: 'reads' | 'pays_app' | 'pays_person'
  /** The permission that a client secret needs for the call (D-133); every endpoint that takes client secrets declares one. */
  secret_permission?: SecretPermission
  /**
   * The least role of the caller in the app of the call, or in the team under `/api/teams` (D-134), which is checked before the handler
   * runs. An app that calls with its own secret needs none.
   */
  team_role?: MemberRole
  /**
   * The roles of admins that may call it, each alone (D-135), beside administrators and, for a GET, auditors. Every endpoint of admins
   * declares one.
   */
  admin_roles?: NeededRoles
  /** The JWT may have expired: the call needs more than it. */
  accepts_expired?: true
  params?: TObject
  query?: TObject
  /** A query parameter without a value counts as left out (RFC 6749 §3.1). */
  empty_is_absent?: true
  headers?: TObject
  body?: TSchema
  /** The body in the document in place of `body`: one of several schemas, as JSON and as a form. */
  documented_bodies?: { json: readonly TSchema[]; form: readonly TSchema[] }
  /** `form` additionally accepts application/x-www-form-urlencoded (D-22). */
  accepts?: 'json' | 'form'
  /** The most bytes of a body, where its fields need more than `bodyBytesMax` allows otherwise. */
  body_bytes_max?: number
  /** A GET that changes something, and therefore has no HEAD (D-115). */
  changes?: true
  /** A GET whose answer holds a secret beside what the caller sent: it is not compressed. */
  answers_secret?: true
  /** The answer carries a tag, and a client that has it gets 304 (RFC 9110 §13.1.2). */
  revalidates?: true
  /** The endpoint accepts a body of any shape and checks it itself (D-84). */
  accepts_any_body?: true
  /** Field names are data somewhere in the body: even `__proto__` is accepted. */
  accepts_any_field_name?: true
  response: TSchema
  /** The response is a file of this media type, of which `response` is the text. */
  download?: 'text/csv' | 'application/json'
  /** A 503 has the body of the response too, which says what is missing. */
  unready_has_body?: true
  /** The response of 202, where the call waits for another person. */
  accepted?: TSchema
  /** The response is an endless `text/event-stream` of events with these names and data; `response` is its text. */
  events?: Record<string, TSchema>
  /** Success statuses, 200 by default (D-01). With two, the handler chooses. */
  status?: readonly [200] | readonly [201] | readonly [200, 201]
  errors?: 'standard_with_message' | 'oauth'
  fails?: readonly FailureCode[]
  /** Fields of a failure's body besides `error` and `message`, by its code. */
  failure_fields?: Partial<Record<FailureCode, Record<string, TSchema>>>
  limit?: Limit
  /**
   * The call needs a proof that the owner of the account makes it (D-107, D-129). `asked`: the fields of one in the body, which the service
   * checks, or a proof of the session's last minutes. `recent`: also a sign-in of these minutes, which is checked before the handler runs;
   * with `recent_with` only where the body has that field, and with `values` only where it has one of these.
   */
  proof?: 'asked' | 'recent' | { recent_with: string; values?: readonly string[] }
  /**
   * Whether pages of any origin may call it, without cookies, which do not exist here. By default they may where a token is sent, and not
   * where none is, or a client secret.
   */
  cors?: 'any_origin' | 'none'
  /** The service takes a DPoP proof in the header `DPoP` (D-152); so does every call with an access token. */
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

/** Whether a call may bring a DPoP proof. */
export const takesProof = ({ auth, takes_proof }: Declaration) => takes_proof === true || typeof auth === 'object'

/** The most bytes that a body of an endpoint may have (D-83). */
export function bodyBytesMax({ body_bytes_max, auth, accepts }: Declaration) {
  const allowed = decisions.request_bounds
  const is_open = auth === 'none' && accepts !== 'form'
  return body_bytes_max ?? (is_open ? allowed.open_body_bytes_max : allowed.body_bytes_max)
}

/** Declares an endpoint of the public API. Server, client and OpenAPI document derive from its literal type. */
export const endpoint = <const D extends Declaration>(declaration: D): D => declaration

type StaticOf<D, Part extends string> = D extends Record<Part, infer S extends TSchema> ? Static<S> : undefined
export type ParamsOf<D extends Declaration> = StaticOf<D, 'params'>
export type QueryOf<D extends Declaration> = StaticOf<D, 'query'>
export type BodyOf<D extends Declaration> = StaticOf<D, 'body'>
export type HeadersOf<D extends Declaration> = StaticOf<D, 'headers'>
export type ResponseOf<D extends Declaration> = Static<D['response']>
/** The response of 202; never without one. */
export type AcceptedOf<D extends Declaration> = D extends { accepted: infer S extends TSchema } ? Static<S> : never

/** The JSON form of a value: dates are strings. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T
