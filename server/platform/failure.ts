import { decisions } from '../../contract/decisions.ts'
import { failures, type FailureCode } from '../../contract/errors.ts'
import { fieldMessage, type FieldFault } from '../../contract/field-errors.ts'

/** A validation error of one field of a request. `path` has the form `redirect_uris.1`. */
export interface FieldError {
  path: string
  message: string
}

/** Parts of the response besides the code and its message. */
export interface FailureAnswer {
  fields?: FieldError[]
  retry_after_seconds?: number
  /** Further fields of the body, such as the object that prevents the operation. */
  body?: Record<string, unknown>
}

/**
 * An error for the client: its code, the message from `contract/errors.ts`, and `answer`. `why` is only logged and must
 * not contain a secret.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly why: Record<string, unknown>
  readonly answer: FailureAnswer

  constructor(code: FailureCode, why: Record<string, unknown> = {}, answer: FailureAnswer = {}) {
    super(failures[code].message)
    this.name = 'Failure'
    this.code = code
    this.why = why
    this.answer = answer
  }
}

/** The field errors of one field; empty if it is valid. */
export const fieldErrors = (path: string, fault: FieldFault | undefined | false): FieldError[] =>
  fault ? [{ path, message: fieldMessage(fault) }] : []

/** `validation_failed` for one field. */
export const invalidField = (path: string, fault: FieldFault) =>
  new Failure('validation_failed', {}, { fields: fieldErrors(path, fault) })

/** The fields of a body of any shape; empty if it is not an object. */
export const fieldsOf = (body: unknown) =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}

const { field_errors_max } = decisions.request_bounds

/** Throws `validation_failed` with the field errors, up to the maximum of a refusal (D-83). Does nothing if there are none. */
export function refuseFieldErrors(fields: FieldError[]) {
  if (fields.length > 0) throw new Failure('validation_failed', {}, { fields: fields.slice(0, field_errors_max) })
}

/** The value of a lookup. Fails with this code if there is none. */
export async function orFail<Value>(found: Promise<Value | undefined>, code: FailureCode, why?: Failure['why']) {
  const value = await found
  if (value === undefined) throw new Failure(code, why)
  return value
}
