import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { AnonymousCaller, AppActor, AppCaller, ClientCaller, Resource, UserCaller } from '../../contract/caller.ts'
import { failures } from '../../contract/errors.ts'
import { rolesAllowedAt, type NeededRoles } from '../../contract/kinds/admin-roles.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import type { SecretPermission } from '../../contract/kinds/secret-permissions.ts'
import {
  allowsAnyOrigin,
  bodyBytesMax,
  takesAppToken,
  takesProof,
  type AcceptedOf,
  type BodyOf,
  type Declaration,
  type HeadersOf,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '../../contract/endpoint.ts'
import { Failure } from '../platform/failure.ts'
import { bearerToken, boundToken, isBasic, isJwt } from './bearer.ts'
import { answerPreflights, setOpenOrigin } from './cors.ts'
import { answerEncoder } from './encode-answer.ts'
import type { Noted } from './request-log.ts'
import { innerCallOf, type SentProof } from './inner-calls.ts'
import { routePath } from './paths.ts'
import { countCall, limitOf, type Limits } from './limits.ts'
import { addressKey } from '../platform/networks.ts'
import { compileCheck, type BodyRules } from './validation.ts'
import type { Reading } from '../platform/batching/invalidating-cache.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Declaration
  }
  interface FastifyRequest {
    caller: Caller | undefined
    /** The proof of a call with a token that is bound to a key. */
    proof?: SentProof
    /** The reason for the refusal, for the log line. */
    refusal?: Record<string, unknown>
    /** Fields that the route adds to its log line. */
    noted?: Noted
  }
}

type Caller = AnonymousCaller | UserCaller | AppCaller | AppActor | ClientCaller

/** Resolves credentials to callers. */
export interface Authenticators {
  /** Fails with `invalid_token`. */
  user(token: string, reading?: Reading, accepts_expired?: boolean): Promise<UserCaller>
  /**
   * The caller of an access token for the resource (by default the API), with the proof of an `Authorization: DPoP`. Fails with
   * `invalid_token`, `bound_token`, `invalid_dpop_proof` or `use_dpop_nonce`.
   */
  app(token: string, reading?: Reading, proof?: SentProof, resource?: Resource): Promise<AppCaller>
  /** The nonce for the next DPoP proof. */
  nonce(): string
  /**
   * The app of an Authorization header, if its secret permits this use. Failures are counted per address. Fails with `client_unauthorized`,
   * `rate_limited`, `secret_not_permitted` or `secret_address_not_allowed`.
   */
  client(
    authorization: string,
    use: { permission: SecretPermission; address: string },
    reading?: Reading,
  ): Promise<ClientCaller>
  /** Checks the roles of an admin (D-135) and the second factor. Fails with `admin_only`, `role_required` or `second_factor_required`. */
  admin(caller: UserCaller, allowed: NeededRoles): Promise<void>
  /** Checks the role of a person, or of the person for whom a token acts (D-134). Fails with the error of the refused call. */
  role(
    caller: UserCaller | AppCaller,
    needed: MemberRole,
    place: { app_id: string } | { team_id: string },
    allows_one_factor?: boolean,
  ): Promise<void>
  /** Checks the proof in these fields or else the session's recent one or sign-in. Fails with `proof_required`. */
  proof(caller: UserCaller, sent: unknown): Promise<void>
  /** Called after each call of an app. */
  recordAppUse(caller: AppCaller): void
}

/** The dependencies of mounted endpoints; created once in app.ts. */
export interface Http {
  fastify: FastifyInstance
  authenticate: Authenticators
  limits: Limits
  /** Every endpoint mounted so far, for the OpenAPI document. */
  endpoints: Declaration[]
}

type CallerOf<D extends Declaration> = D['auth'] extends 'none'
  ? AnonymousCaller
  : D['auth'] extends 'user' | 'admin'
    ? UserCaller
    : D['auth'] extends 'client'
      ? ClientCaller
      : D['auth'] extends { or_user: true }
        ? AppActor | UserCaller
        : D['auth'] extends { or_client: true }
          ? AppActor
          : AppCaller

/** Endpoints in the OAuth format validate their parameters themselves: RFC 6749 defines the errors. */
type Body<D extends Declaration> = D['errors'] extends 'oauth'
  ? unknown
  : D['accepts_any_body'] extends true
    ? unknown
    : BodyOf<D>

export interface Call<D extends Declaration> {
  caller: CallerOf<D>
  params: ParamsOf<D>
  query: QueryOf<D>
  body: Body<D>
  headers: HeadersOf<D> extends undefined ? FastifyRequest['headers'] : HeadersOf<D>
}

const answered = Symbol('answer')
interface Answer<Value> {
  [answered]: true
  value: Value
  status: number | undefined
  headers: Record<string, string>
}

/** A response with a status other than the first declared one, or with headers. */
export const answer = <Value>(
  value: Value,
  { status, headers = {} }: { status?: 200 | 201 | 202 | 503; headers?: Record<string, string> } = {},
): Answer<Value> => ({ [answered]: true, value, status, headers })

const isAnswer = <Value>(result: Value | Answer<Value>): result is Answer<Value> =>
  typeof result === 'object' && result !== null && answered in result

export interface MountOptions {
  /** The location to redirect a request to, before any check; undefined to handle it. */
  redirect?(request: FastifyRequest): string | undefined
  /** The query to check and use instead of the sent one. Refuses it by throwing a `Failure`. */
  prepareQuery?(query: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** Domain rules for the body. Their errors are reported together with those of the schema. */
  rules?: BodyRules
}

type Handler<D extends Declaration> = (
  call: Call<D> & { note(noted: Noted): void },
) => Promise<ResponseOf<D> | Answer<ResponseOf<D> | AcceptedOf<D>>>

/**
 * Mounts an endpoint: authenticates before the body is read, and again after a body that arrived later than the head (D-120), checks scope
 * and rate limit, validates each part of the request, and serialises with the response schema, so that undeclared columns are never sent.
 */
export function mount<const D extends Declaration>(
  http: Http,
  endpoint: D,
  handler: Handler<D>,
  options: MountOptions = {},
) {
  const success = endpoint.status?.[0] ?? 200
  http.fastify.route({
    ...routeOf(http, endpoint, options),
    handler: async (request, reply) => {
      const { caller, params, query, body, headers } = request
      const note = (noted: Noted) => void (request.noted = { ...request.noted, ...noted })
      const result = await handler({ caller, params, query, body, headers, note } as Parameters<Handler<D>>[0])
      recordUse(http, request)
      if (!isAnswer(result)) return reply.code(success).send(result)
      return reply
        .code(result.status ?? success)
        .headers(result.headers)
        .send(result.value)
    },
  })
}

/** The route options of an endpoint except its handler: path, authorization, validation, serialisation. */
export function routeOf(http: Http, endpoint: Declaration, { redirect, prepareQuery, rules }: MountOptions = {}) {
  const { fastify, endpoints } = http
  const successes = endpoint.status ?? [200]
  const is_open = allowsAnyOrigin(endpoint)
  const takes_proof = takesProof(endpoint)
  if (is_open) answerPreflights(fastify, endpoint.path, endpoints)
  endpoints.push(endpoint)
  return {
    method: endpoint.method,
    url: routePath(endpoint.path),
    config: { endpoint },
    ...answerEncoder(endpoint),
    ...(endpoint.changes && { exposeHeadRoute: false }),
    bodyLimit: bodyBytesMax(endpoint),
    schema: {
      ...(endpoint.params && { params: endpoint.params }),
      ...(endpoint.query && { querystring: endpoint.query }),
      ...(endpoint.headers && { headers: endpoint.headers }),
      ...(endpoint.body && endpoint.errors !== 'oauth' && !endpoint.accepts_any_body && { body: endpoint.body }),
      response: {
        ...Object.fromEntries(successes.map((status) => [status, endpoint.response])),
        ...(endpoint.accepted && { 202: endpoint.accepted }),
      },
    },
    validatorCompiler: ({ schema, httpPart }) =>
      compileCheck(schema as never, httpPart as never, httpPart === 'body' ? rules : undefined),
    onRequest: async (request, reply) => {
      if (is_open) setOpenOrigin(reply)
      if (takes_proof && request.headers.dpop !== undefined) reply.header('dpop-nonce', http.authenticate.nonce())
      const location = redirect?.(request)
      if (location !== undefined) return reply.redirect(location, 303)
      await authorizeCall(http, endpoint, request, reply)
    },
    onError: (request, _reply, _error, done) => {
      recordUse(http, request)
      done()
    },
    preValidation: [
      ...(endpoint.auth === 'none' ? [] : [authorizeLateBody(http, endpoint)]),
      ...(endpoint.body ? [defaultToEmptyBody] : []),
      ...nullDropper(endpoint),
      ...(endpoint.empty_is_absent ? [dropEmptyParameters] : []),
      ...(prepareQuery
        ? [
            async (request: FastifyRequest) => {
              request.query = await prepareQuery(request.query as Record<string, unknown>)
            },
          ]
        : []),
    ],
    preHandler: [...roleChecks(http, endpoint), ...proofChecks(http, endpoint)],
  } satisfies Partial<RouteOptions>
}

/** The check of the role that an endpoint declares. */
const roleChecks = (http: Http, endpoint: Declaration) =>
  endpoint.team_role ? [(request: FastifyRequest) => requireTeamRole(http, endpoint, request)] : []

/** Checks the role of the caller in the app or team of the call; an app that calls with its own secret needs none. */
async function requireTeamRole({ authenticate }: Http, endpoint: Declaration, request: FastifyRequest) {
  const { path, team_role, allows_one_factor } = endpoint
  const { caller } = request
  if (team_role === undefined || !caller) return
  const { id } = request.params as { id: string }
  if ('grant_id' in caller) await authenticate.role(caller, team_role, { app_id: caller.app_id })
  else if ('session_id' in caller) {
    const place = path.startsWith('/api/teams/') ? { team_id: id } : { app_id: id }
    await authenticate.role(caller, team_role, place, allows_one_factor)
  } else return
  request.caller = { ...caller, team_role }
}

/** The check of a proof, for endpoints that declare one and do not check it in their service. */
function proofChecks({ authenticate }: Http, { proof }: Declaration) {
  if (proof === undefined || proof === 'asked') return []
  return [
    async ({ caller, body }: FastifyRequest) => {
      if (proof === 'recent' || isProved(proof, body as Record<string, unknown>))
        await authenticate.proof(caller as UserCaller, body)
    },
  ]
}

/** True if a body has the field that requires a proof, with one of the values that do. */
const isProved = (
  { recent_with, values }: Exclude<Declaration['proof'], string | undefined>,
  body: Record<string, unknown>,
) => Object.hasOwn(body, recent_with) && (values === undefined || values.includes(body[recent_with] as string))

/** Every call of an app counts as a use, including refused ones (D-38). Recorded last, so that a call only sees earlier uses. */
export function recordUse({ authenticate }: Http, { caller }: FastifyRequest) {
  if (caller && 'grant_id' in caller) authenticate.recordAppUse(caller)
}

/** Validates an absent body as an empty object; Fastify would validate `null`. */
function defaultToEmptyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
  if (request.body === undefined) request.body = {}
  done()
}

/** On creation, an optional field that is null counts as absent, unless null is one of its values. */
function nullDropper({ status = [200], body }: Declaration) {
  const { properties = {}, required = [] } = (body ?? {}) as { properties?: Record<string, Field>; required?: string[] }
  const names = Object.keys(properties).filter((name) => !required.includes(name) && !takesNull(properties[name]!))
  const creates = status.some((each) => each === 201)
  if (!creates || names.length === 0) return []
  return [
    ({ body: sent }: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      const fields = sent as Record<string, unknown> | null
      if (typeof fields === 'object' && fields !== null)
        for (const name of names) if (fields[name] === null) delete fields[name]
      done()
    },
  ]
}

interface Field {
  type?: string | string[]
}
const takesNull = ({ type }: Field) => type === undefined || [type].flat().includes('null')

/** Deletes query parameters without a value, for endpoints with `empty_is_absent`. */
function dropEmptyParameters({ query }: FastifyRequest, _reply: FastifyReply, done: () => void) {
  const parameters = query as Record<string, unknown>
  for (const [name, value] of Object.entries(parameters)) if (value === '') delete parameters[name]
  done()
}

/** Authenticates a call, checks admin right or scope, and counts it against the rate limit. */
async function authorizeCall(http: Http, endpoint: Declaration, request: FastifyRequest, reply: FastifyReply) {
  const caller = await authorize(http, endpoint, request, 'cached')
  const limit = limitOf(endpoint, http.limits.settings)
  if (limit) await countCall(http.limits, endpoint, limit, principalOf(caller), reply)
}

/** Authorizes a request and sets its caller. Fails with the error of the refused call. */
export async function authorize(http: Http, endpoint: Declaration, request: FastifyRequest, reading: Reading) {
  request.caller = undefined
  const caller = (request.caller = await callerOf(http.authenticate, endpoint, request, reading))
  await requireRight(http, endpoint, caller)
  if (endpoint.auth === 'admin') request.caller = { ...(caller as UserCaller), allowed_roles: allowedRoles(endpoint) }
  return caller
}

/** True if a new call with this credential would be authorized. Fails if that cannot be checked now. */
export async function isAuthorized(http: Http, endpoint: Declaration, request: FastifyRequest, reading: Reading) {
  try {
    await requireRight(http, endpoint, await callerOf(http.authenticate, endpoint, request, reading))
    await requireTeamRole(http, endpoint, request)
    return true
  } catch (error) {
    if (error instanceof Failure && [401, 403].includes(failures[error.code].status)) return false
    throw error
  }
}

/** Authorizes a call again when its body is complete: any process may have ended the credential since the head arrived. */
function authorizeLateBody(http: Http, endpoint: Declaration) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
    if (!request.has_late_body) done()
    else authorize(http, endpoint, request, 'current').then(() => done(), done)
  }
}

function callerOf(authenticate: Authenticators, endpoint: Declaration, request: FastifyRequest, reading: Reading) {
  const { auth, accepts_expired, secret_permission } = endpoint
  if (auth === 'none') return { address: request.ip }
  const { authorization } = request.headers
  if (auth === 'client') return clientOf(authenticate, secret_permission, request, reading)
  if (typeof auth === 'object' && auth.or_client && isBasic(authorization))
    return clientOf(authenticate, secret_permission, request, reading).then((client) => actorOf(client, auth.scope))
  const bound_token = takesAppToken(endpoint) ? boundToken(authorization) : undefined
  const token = bound_token ?? bearerToken(authorization)
  if (token === undefined)
    throw new Failure('unauthorized', { header: authorization === undefined ? 'absent' : 'malformed' })
  const is_of_person = bound_token === undefined && typeof auth === 'object' && auth.or_user && isJwt(token)
  if (!takesAppToken(endpoint) || is_of_person) return authenticate.user(token, reading, accepts_expired)
  const inner = innerCallOf(request.raw)
  if (bound_token !== undefined) request.proof ??= inner?.proof ?? sentProof(request)
  const resource = auth === 'agent' || inner ? 'mcp' : null
  const caller = authenticate.app(token, reading, request.proof, resource)
  return inner ? caller.then((app) => ({ ...app, agent: inner.agent })) : caller
}

const sentProof = ({ headers: { dpop = '' }, method, url }: FastifyRequest): SentProof => ({
  header: String(dpop),
  method,
  path: url,
})

/** The app that calls by HTTP Basic. */
async function clientOf(
  authenticate: Authenticators,
  permission: SecretPermission | undefined,
  { headers: { authorization }, ip: address }: FastifyRequest,
  reading: Reading,
) {
  if (authorization === undefined) throw new Failure('client_credentials_missing')
  if (permission === undefined) throw new Error('an endpoint for apps declares no secret_permission')
  return authenticate.client(authorization, { permission, address }, reading)
}

/** The app acting for its owner. Fails with `client_not_approved` or `client_lacks_scope`. */
function actorOf({ client_id, app_id, owner_id, is_approved, allowed_scopes }: ClientCaller, scope: Scope): AppActor {
  if (!is_approved) throw new Failure('client_not_approved', { client_id })
  if (!allowed_scopes.includes(scope)) throw new Failure('client_lacks_scope', { client_id, scope })
  return { user_id: owner_id, app_id, scopes: allowed_scopes }
}

/** Runs after the caller is set: a call that is refused for its scope is logged with its caller and counts as a use of the app. */
async function requireRight({ authenticate }: Http, endpoint: Declaration, caller: Caller) {
  const { auth } = endpoint
  if (auth === 'admin') return authenticate.admin(caller as UserCaller, allowedRoles(endpoint))
  if (typeof auth === 'object' && auth.or_user && 'session_id' in caller) return
  if (typeof auth === 'object' && !('scopes' in caller && caller.scopes.includes(auth.scope)))
    throw new Failure('insufficient_scope', { ...caller, scope: auth.scope })
}

/** The roles of admins that may call an endpoint. */
function allowedRoles({ method, path, admin_roles }: Declaration) {
  if (!admin_roles) throw new Error(`${method} ${path} declares no admin_roles`)
  return rolesAllowedAt({ method, admin_roles })
}

function principalOf(caller: Caller) {
  if ('address' in caller) return `address:${addressKey(caller.address)}`
  if ('owner_id' in caller) return `app:${caller.app_id}`
  return 'app_id' in caller ? `user:${caller.user_id} app:${caller.app_id}` : `user:${caller.user_id}`
}
