import { decisions } from '../../contract/decisions.ts'
import { failures, type FailureCode } from '../../contract/errors.ts'
import { fieldMessage, type FieldFault } from '../../contract/field-errors.ts'

/** A validation error of one field of a request; `path` is like `redirect_uris.1`. */
export interface FieldError {
  path: string
  message: string
}

/** The fields of the response besides the code and its message. */
export interface FailureAnswer {
  fields?: FieldError[]
  retry_after_seconds?: number
  /** More fields of the body, such as the thing that is in the way. */
  body?: Record<string, unknown>
}

/**
 * An error that the client is meant to see: its code, the message from `contract/errors.ts` and `answer`.
 * `why` goes to the log only and must hold no secret.
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

/** The field errors of one field: none where nothing is wrong with it. */
export const fieldErrors = (path: string, fault: FieldFault | undefined | false): FieldError[] =>
  fault ? [{ path, message: fieldMessage(fault) }] : []

/** `validation_failed` for one field. */
export const invalidField = (path: string, fault: FieldFault) =>
  new Failure('validation_failed', {}, { fields: fieldErrors(path, fault) })

/** The fields of a body of any shape: none where it is not an object. */
export const fieldsOf = (body: unknown) =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}

const { field_errors_max } = decisions.request_bounds

/** Throws `validation_failed` with the field errors, at most as many as a refusal lists (D-83); does nothing where there are none. */
export function refuseFieldErrors(fields: FieldError[]) {
  if (fields.length > 0) throw new Failure('validation_failed', {}, { fields: fields.slice(0, field_errors_max) })
}
