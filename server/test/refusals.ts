import { failures, publicError, type FailureCode } from '../../contract/errors.ts'

/** Status and body of an answer, whole: what tests compare. */
export const outcome = ({ status, body }: { status: number; body: unknown }): [number, unknown] => [status, body]

/** What a refusal with this code looks like from outside. */
export function refused(code: FailureCode, fields?: { path: string; message: string }[]): [number, unknown] {
  const { status, message } = failures[code]
  return [status, { error: publicError(code), message, ...(fields && { fields }) }]
}
