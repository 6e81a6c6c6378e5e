import type { PlazaClient } from '../../contract/client.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import type { DeploymentStatus } from '../../contract/states.ts'

/** The parts of a request, which may be invalid for its endpoint. */
export interface Sent {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
}

/** Calls an endpoint with values that its types do not allow. */
export const send = (api: PlazaClient, endpoint: Declaration, sent: Sent) => api.call(endpoint, sent as never)

/** Status and complete body of a response. */
export const outcome = ({ status, body }: { status: number; body: unknown }): [number, unknown] => [status, body]

/** The status and body of the error with this code. */
export function refused(code: FailureCode, fields?: { path: string; message: string }[]): [number, unknown] {
  const { status, message } = failures[code]
  return [status, { error: publicError(code), message, ...(fields && { fields }) }]
}

/** `not_allowed_now` for a deployment, with the state that prevents it (D-126). */
export function refusedInState(status: DeploymentStatus, state: { is_stopping?: true; is_being_removed?: true } = {}) {
  const [code, body] = refused('not_allowed_now')
  return [code, { ...(body as object), status, is_stopping: false, is_being_removed: false, ...state }]
}

/** The status and body of the error with this code at the token and revocation endpoints (RFC 6749, 5.2). */
export const refusedByOAuth = (code: FailureCode, status: number = failures[code].status): [number, unknown] => [
  status,
  { error: publicError(code), error_description: failures[code].message },
]

/** The error for an invalid code or refresh token. */
export const invalid_grant = refusedByOAuth('invalid_grant')

/** `validation_failed` for one field, with these messages. */
export const invalid = (path: string, ...messages: string[]) =>
  refused(
    'validation_failed',
    messages.map((message) => ({ path, message })),
  )

/** Messages of validation errors. */
export const required = 'is required'
export const no_text = 'must be string'
export const no_integer = 'must be integer'
export const no_id = 'must match format "uuid"'
export const blank = 'must not be blank'
export const unstorable = 'holds a NUL or half a surrogate pair'
export const fewer = (than: number, what = 'characters') => `must NOT have fewer than ${than} ${what}`
export const more = (than: number, what = 'characters') => `must NOT have more than ${than} ${what}`
