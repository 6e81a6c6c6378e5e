import { failures, publicError, type FailureCode } from '../../contract/errors.ts'

/** Status and body of an answer, whole: what tests compare. */
export const outcome = ({ status, body }: { status: number; body: unknown }): [number, unknown] => [status, body]

/** What a refusal with this code looks like from outside. */
export function refused(code: FailureCode, fields?: { path: string; message: string }[]): [number, unknown] {
  const { status, message } = failures[code]
  return [status, { error: publicError(code), message, ...(fields && { fields }) }]
}

/** The refusal of a code or refresh token that is worth nothing (RFC 6749, 5.2). */
export const invalid_grant = [400, { error: 'invalid_grant', error_description: failures.invalid_grant.message }]

/** The refusal of one field, for these reasons. */
export const invalid = (path: string, ...messages: string[]) =>
  refused(
    'validation_failed',
    messages.map((message) => ({ path, message })),
  )

/** What the service says of a field that is not as its schema wants it. */
export const required = 'is required'
export const no_text = 'must be string'
export const no_integer = 'must be integer'
export const no_id = 'must match format "uuid"'
export const blank = 'must not be blank'
export const unstorable = 'holds a NUL or half a surrogate pair'
export const fewer = (than: number, what = 'characters') => `must NOT have fewer than ${than} ${what}`
export const more = (than: number, what = 'characters') => `must NOT have more than ${than} ${what}`
