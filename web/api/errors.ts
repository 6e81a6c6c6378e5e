import type { FailureBody } from '../../client/client.ts'

/** A call that the API refused, as the pages show it. */
export class ApiError extends Error {
  readonly status: number
  /** The stable code of contract/errors.ts, where there is one. */
  readonly code: string | undefined
  readonly fields: readonly { path: string; message: string }[]
  /** Names the request in the service's log. */
  readonly request_id: string | undefined
  /** The moment, in milliseconds, from which the call may be tried again. */
  readonly retry_at: number | undefined

  constructor(status: number, headers: Headers, body: FailureBody | undefined) {
    super(body?.message ?? body?.error_description ?? body?.errors?.detail ?? withoutWords(status))
    this.name = 'Refusal'
    this.status = status
    this.code = body?.error
    this.fields = body?.fields ?? []
    this.request_id = headers.get('x-request-id') ?? undefined
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.retry_at = Number.isFinite(seconds) ? Date.now() + seconds * 1000 : undefined
  }
}

const withoutWords = (status: number) =>
  status < 400 ? 'Something between you and Plaza answered in its place.' : `The service answered ${status}.`

/** No answer came: the network or the service is away. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('Plaza cannot be reached. Check your connection and try again.', { cause })
    this.name = 'Unreachable'
  }
}

/** Is this the refusal with that code? */
export const isApiError = (error: unknown, code?: string): error is ApiError =>
  error instanceof ApiError && (code === undefined || error.code === code)
