import type { FailureCode } from './generated/codes.ts'

/** Codes of failures in the client or the network. */
export type ClientCode =
  /** The connection failed, or broke before the response was complete. */
  | 'no_answer'
  /** No response within `timeout_seconds`. */
  | 'timed_out'
  /** The signal of the call was aborted; `cause` is its reason. */
  | 'aborted'
  /** The response does not come from this service, for example a proxy's error page. */
  | 'not_understood'
  /** A stream that cannot be resumed broke. */
  | 'stream_broken'
  /** `save` failed for new tokens; `cause` is its error. The next call saves them first. */
  | 'tokens_not_saved'
  /** The callback belongs to another sign-in or another service. */
  | 'sign_in_mismatch'
  /** The signature or timestamp of a webhook request is invalid. */
  | 'webhook_not_verified'

/** A code of the service or of this client, or `http_…` with the status if a response has no code. */
export type PlazaErrorCode = FailureCode | ClientCode | `http_${number}` | (string & {})

/** The error of one field of a request. */
export interface FieldError {
  /** The path of the field: `amount`, `/metadata/colour`. */
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

/** The error of every failed call, stream, sign-in or webhook verification. */
export class PlazaError extends Error {
  /** The reason, for programs. */
  readonly code: PlazaErrorCode
  /** The reason, for people. */
  readonly detail: string
  /** The id of the failed operation; `token` for a refresh of tokens. */
  readonly operation: string | undefined
  /** The status of the response; undefined without a response. */
  readonly status: number | undefined
  /** The errors by field, if the input was refused. */
  readonly fields: readonly FieldError[]
  /** Identifies the request in the service's log; include it in reports to the service's operator. */
  readonly request_id: string | undefined
  /** Seconds after which a retry may succeed, from `Retry-After`. */
  readonly retry_after: number | undefined
  /**
   * True if a call that makes a change may or may not have been applied. Repeat it with the same `idempotency_key`, or check
   * the state before you repeat it.
   */
  readonly is_outcome_unknown: boolean
  /** The key that the call was sent with. */
  readonly idempotency_key: string | undefined
  /** The whole error body; some have further fields, such as the `hold` of `hold_settled`. */
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

/** Whether this is a `PlazaError`, even from another copy of this package; with a code, whether it has that code. */
export const isPlazaError = <Code extends PlazaErrorCode>(
  error: unknown,
  code?: Code,
): error is PlazaError & { code: Code } =>
  error instanceof Error && error.name === 'PlazaError' && (code === undefined || (error as PlazaError).code === code)

/** Whether the input was refused; `fields` says why. */
export const isInvalidInput = (error: unknown): error is PlazaError => isPlazaError(error) && error.fields.length > 0

/** Whether the outcome of a call that makes a change is unknown. */
export const isOutcomeUnknown = (error: unknown): error is PlazaError & { is_outcome_unknown: true } =>
  isPlazaError(error) && error.is_outcome_unknown

/** Whether the person has to sign in again because the tokens have expired and cannot be renewed. */
export const needsSignIn = (error: unknown): error is PlazaError =>
  isPlazaError(error, 'invalid_token') || isPlazaError(error, 'invalid_grant')

/** 5xx errors after which the call has certainly had no effect. */
const nothing_done: readonly string[] = ['overloaded', 'container_engine_unavailable']

/** The failure that a response describes, or that of a successful response which cannot be parsed. */
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

/** Parses a JSON object; undefined for anything else. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
