import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { takesAppToken, type Declaration } from '../../contract/endpoint.ts'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { framework_details } from '../../contract/framework-failures.ts'
import { isDatabaseUnavailable } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import {
  basic_challenge,
  bearerChallenge,
  bearerToken,
  boundToken,
  boundTokenChallenge,
  dpopChallenge,
  isBasic,
} from './bearer.ts'

export interface RenderOptions {
  resource_metadata: string
}

const endpointOf = (request: FastifyRequest) => request.routeOptions.config.endpoint

/** Sends a failure in the format of its endpoint; private details are logged only. */
export function renderFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, to: RenderOptions) {
  if (error instanceof Failure) return renderRefusal(error, request, reply, to)
  if (clientDisconnected(request)) return renderFrameworkFailure(400, request, reply)
  if (isDatabaseUnavailable(error)) {
    request.log.error({ request_id: request.id, err: error }, 'the database is unavailable')
    return renderFrameworkFailure(503, request, reply.header('retry-after', '1'))
  }
  const status = frameworkStatus(error)
  if (status >= 500) request.log.error({ request_id: request.id, err: error }, 'a request failed')
  return renderFrameworkFailure(status, request, reply)
}

/** True if the client disconnected while sending the body, which is not an error of the service. */
const clientDisconnected = ({ raw }: FastifyRequest) => raw.destroyed && !raw.complete

function frameworkStatus(error: unknown) {
  const status = (error as Partial<FastifyError>).statusCode ?? 500
  return status >= 400 && status < 600 && status in framework_details ? status : 500
}

/** Sends a failure of the framework; endpoints in the OAuth format keep that format. */
export function renderFrameworkFailure(status: number, request: FastifyRequest, reply: FastifyReply) {
  const detail = detailOf(status, request, reply)
  // The body keeps the format of D-03; the accepted types are in the header that RFC 9110 defines.
  if (status === 415 && !isOfCoding(reply)) void reply.header('accept', mediaTypesOf(request).join(', '))
  if (endpointOf(request)?.errors !== 'oauth') return sendJson(reply, status, { errors: { detail } })
  return sendJson(reply, status, { error: oauthErrorOf(status), error_description: detail })
}

/** True if a 415 concerns the content coding of the body rather than its media type. */
const isOfCoding = (reply: FastifyReply) => reply.hasHeader('accept-encoding')

function detailOf(status: number, request: FastifyRequest, reply: FastifyReply) {
  const detail = framework_details[status] ?? 'Internal Server Error'
  if (status === 415 && isOfCoding(reply)) return `${detail}: send the body without Content-Encoding`
  if (status !== 415 || request.headers['content-type'] !== undefined) return detail
  return `${detail}: send the header Content-Type: ${mediaTypesOf(request).join(' or ')}`
}

const mediaTypesOf = (request: FastifyRequest) =>
  endpointOf(request)?.accepts === 'form'
    ? ['application/json', 'application/x-www-form-urlencoded']
    : ['application/json']

/** The RFC 6749 error code for a failure of the framework. */
export function oauthErrorOf(status: number) {
  if (status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

function renderRefusal(failure: Failure, request: FastifyRequest, reply: FastifyReply, to: RenderOptions) {
  const endpoint = endpointOf(request)
  const { code, why, answer } = failure
  request.refusal = { code, ...why }
  if (answer.retry_after_seconds !== undefined) reply.header('retry-after', String(answer.retry_after_seconds))
  const error = publicError(code)
  if (endpoint?.errors === 'oauth') return renderOAuthRefusal(failure, error, request, reply)
  const { status } = failures[code]
  if (status === 401 && endpoint && endpoint.auth !== 'none')
    reply.header('www-authenticate', challengeOf(code, endpoint, request, to))
  return sendJson(reply, status, failureBody(failure))
}

/** The body of a failure, for the client. */
export const failureBody = ({ code, answer }: Failure) => ({
  error: publicError(code),
  message: failures[code].message,
  ...(answer.fields && { fields: answer.fields }),
  ...answer.body,
})

function challengeOf(
  code: FailureCode,
  endpoint: Declaration,
  request: FastifyRequest,
  { resource_metadata: of_api }: RenderOptions,
) {
  const { auth, path } = endpoint
  // RFC 9728 §3.1: the metadata of a resource below the address of the service.
  const resource_metadata = auth === 'agent' ? of_api + path : of_api
  const or_client = typeof auth === 'object' && auth.or_client
  if (auth === 'client' || (or_client && isBasic(request.headers.authorization))) return basic_challenge
  if (code === 'bound_token') return boundTokenChallenge(resource_metadata)
  const { authorization } = request.headers
  const is_bound = takesAppToken(endpoint) && boundToken(authorization) !== undefined
  const challenge = is_bound ? dpopChallenge : bearerChallenge
  if (code === 'insufficient_scope' && typeof auth === 'object') return challenge(resource_metadata, code, auth.scope)
  if (code === 'invalid_dpop_proof' || code === 'use_dpop_nonce') return challenge(resource_metadata, code)
  return challenge(
    resource_metadata,
    is_bound || bearerToken(authorization) !== undefined ? 'invalid_token' : undefined,
  )
}

/** The status of a refusal in the OAuth format. It has 401 only for a client in the Authorization header, and no 422. */
export function oauthStatusOf(code: FailureCode) {
  const { status } = failures[code]
  return status === 401 || status === 422 ? 400 : status
}

/** RFC 6749 §5.2: 400, or 401 with a challenge when client authentication by the Authorization header failed. */
function renderOAuthRefusal(
  { code, message, answer }: Failure,
  error: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const by_header = error === 'invalid_client' && request.headers.authorization !== undefined
  if (by_header) reply.header('www-authenticate', basic_challenge)
  const status = by_header ? 401 : oauthStatusOf(code)
  const fields = answer.fields?.map(({ path, message: field_error }) => `${path} ${field_error}`).join('; ')
  const is_ours = code === 'validation_failed' || status === 503
  return sendJson(reply, status, {
    error: is_ours ? oauthErrorOf(status) : error,
    error_description: fields ?? message,
  })
}

export const sendJson = (reply: FastifyReply, status: number, body: unknown) =>
  reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
