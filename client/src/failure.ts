import type { FailureCode } from './generated/codes.ts'

/** Codes of what goes wrong on this side, or on the way. */
export type ClientCode =
  /** The connection failed, or broke before the whole answer was here. */
  | 'no_answer'
  /** No answer within `timeout_seconds`. */
  | 'timed_out'
  /** The signal of the call was aborted: `cause` is its reason. */
  | 'aborted'
  /** What came is not what this service sends, such as a page of a proxy. */
  | 'not_understood'
  /** A stream that cannot be resumed broke. */
  | 'stream_broken'
  /** New tokens came, and `save` failed: `cause` is its error. They are saved before the next call. */
  | 'tokens_not_saved'
  /** The callback of a sign-in belongs to another one, or comes from elsewhere. */
  | 'sign_in_mismatch'
  /** A request to a webhook was not made by this service with this secret, or not now. */
  | 'webhook_not_verified'

/** A code of the service, of this client, or `http_…` with the status where an answer has no code. */
export type PlazaErrorCode = FailureCode | ClientCode | `http_${number}` | (string & {})

/** What is wrong with one field of a request. */
export interface FieldError {
  /** Where it is: `amount`, `/metadata/colour`. */
  path: string
  message: string
}

interface Facts {
  code: PlazaErrorCode
  detail: string
  operation?: string | undefined
  status?: number | undefined
  fields?: readonly FieldError[] | undefined
  request_id?: string | undefined
  retry_after?: number | undefined
  is_outcome_unknown?: boolean
  idempotency_key?: string | undefined
  body?: unknown
  cause?: unknown
}

/** Everything that can go wrong with a call, a stream, a sign-in or a webhook. */
export class PlazaError extends Error {
  /** What went wrong, for programs. */
  readonly code: PlazaErrorCode
  /** What went wrong, for people. */
  readonly detail: string
  /** The id of the operation that failed. For a refresh of tokens it is `token`, whatever was called. */
  readonly operation: string | undefined
  /** The status of the answer; undefined where none came. */
  readonly status: number | undefined
  /** What is wrong with which field, where the input was refused. */
  readonly fields: readonly FieldError[]
  /** Names the request in the service's log: tell it to who runs the service. */
  readonly request_id: string | undefined
  /** Seconds after which the call may succeed, where the service says so. */
  readonly retry_after: number | undefined
  /**
   * True where a call that changes something may have done it or not. Repeat it with the same `idempotency_key`, or look
   * before you repeat it.
   */
  readonly is_outcome_unknown: boolean
  /** The key that the call was sent with. */
  readonly idempotency_key: string | undefined
  /** The whole body of a refusal: some say more, such as the `hold` of `hold_settled`. */
  readonly body: unknown

  constructor(facts: Facts) {
    const { code, detail, operation, status, cause } = facts
    const where = [operation, status].filter((part) => part !== undefined).join(' ')
    super(`${where ? `${where}: ` : ''}${code}: ${detail}`, cause === undefined ? undefined : { cause })
    this.name = 'PlazaError'
    this.code = code
    this.detail = detail
    this.operation = operation
    this.status = status
    this.fields = facts.fields ?? []
    this.request_id = facts.request_id
    this.retry_after = facts.retry_after
    this.is_outcome_unknown = facts.is_outcome_unknown ?? false
    this.idempotency_key = facts.idempotency_key
    this.body = facts.body
  }
}

/** Whether this is a failure of this package, also one from another copy of it; with a code, whether it is that one. */
export const isPlazaError = <Code extends PlazaErrorCode>(
  error: unknown,
  code?: Code,
): error is PlazaError & { code: Code } =>
  error instanceof Error && error.name === 'PlazaError' && (code === undefined || (error as PlazaError).code === code)

/** Whether the input was refused: `fields` says why. */
export const isInvalidInput = (error: unknown): error is PlazaError => isPlazaError(error) && error.fields.length > 0

/** Whether a call that changes something may have done it or not. */
export const isOutcomeUnknown = (error: unknown): error is PlazaError & { is_outcome_unknown: true } =>
  isPlazaError(error) && error.is_outcome_unknown

/** Whether the person has to sign in again: the tokens ended, and nothing renews them. */
export const needsSignIn = (error: unknown): error is PlazaError =>
  isPlazaError(error, 'invalid_token') || isPlazaError(error, 'invalid_grant')

/** Refusals with 5xx that say for certain that nothing was done. */
const nothing_done: readonly string[] = ['overloaded', 'container_engine_unavailable']

/** The failure that an answer tells, or that it is when it should be a success and cannot be read. */
export function failureOf(operation: string, is_safe: boolean, { status, headers }: Response, text: string) {
  const body = parse(text)
  const { error, message, error_description, errors, fields } = (body ?? {}) as RefusalBody
  const is_refusal = body !== undefined && status >= 400
  const code = is_refusal ? (error ?? `http_${status}`) : 'not_understood'
  const seconds = headers.get('retry-after') ?? ''
  return new PlazaError({
    code,
    detail: (is_refusal && (message ?? error_description ?? errors?.detail)) || `the answer has no text: ${status}`,
    operation,
    status,
    fields,
    request_id: headers.get('x-request-id') ?? undefined,
    retry_after: /^\d+$/.test(seconds) ? Number(seconds) : undefined,
    is_outcome_unknown: !is_safe && (status < 400 || status >= 500) && !nothing_done.includes(code),
    body,
  })
}

interface RefusalBody {
  error?: string
  message?: string
  error_description?: string
  errors?: { detail?: string }
  fields?: FieldError[]
}

/** The object in a JSON text; undefined where there is none. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
