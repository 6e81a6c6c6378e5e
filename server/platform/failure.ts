import { failures, type FailureCode } from '../../contract/errors.ts'

/** What is wrong with one field of a request: `redirect_uris.1`. */
export interface FieldError {
  path: string
  message: string
}

/** What an answer may say beside the code and its sentence. */
export interface FailureAnswer {
  fields?: FieldError[]
  retry_after_seconds?: number
}

/**
 * A refusal. The client sees the code, its sentence from `contract/errors.ts` and `answer`;
 * `why` is for the log only and must hold no secret.
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

/** A refusal of one field: `validation_failed` that names it. */
export const invalidField = (path: string, message: string) =>
  new Failure('validation_failed', {}, { fields: [{ path, message }] })

/** Refuses with all that is wrong at once; passes where nothing is. */
export function refuseFieldErrors(fields: FieldError[]) {
  if (fields.length > 0) throw new Failure('validation_failed', {}, { fields })
}
