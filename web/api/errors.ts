import type { FailureBody } from '../../contract/client.ts'
import { contractText, t } from '../texts.ts'

/** An error response of the API. */
export class ApiError extends Error {
  readonly status: number
  /** The API's original message, for apps; `message` is in the person's language. */
  readonly sent_message: string
  /** The code of contract/errors.ts, if any. */
  readonly code: string | undefined
  readonly fields: readonly { path: string; message: string }[]
  /** The request for a passkey after the password, if the refusal contains one (D-108). */
  readonly passkey_options: FailureBody['passkey_options']
  /** The id of the request in the service's log. */
  readonly request_id: string | undefined
  /** When the call may be retried, in milliseconds since the epoch. */
  readonly retry_at: number | undefined
  /** The whole body; some failures have further fields, such as the obstacle. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, headers: Headers, body: FailureBody | undefined) {
    const message = body?.message ?? body?.error_description ?? body?.errors?.detail ?? fallbackMessage(status)
    super(contractText(message))
    this.name = 'ApiError'
    this.sent_message = message
    this.status = status
    this.code = body?.error
    this.body = { ...body }
    this.fields = (body?.fields ?? []).map(({ path, message }) => ({ path, message: contractText(message) }))
    this.passkey_options = body?.passkey_options
    this.request_id = headers.get('x-request-id') ?? undefined
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.retry_at = Number.isFinite(seconds) ? Date.now() + seconds * 1000 : undefined
  }
}

const fallbackMessage = (status: number) =>
  status < 400 ? t('api.errors.a-proxy-between-you-and-plaza') : t('api.errors.the-service-answered', { status })

/** No response: the network or the service is unavailable. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super(t('api.errors.plaza-cannot-be-reached-check-your'), { cause })
    this.name = 'NetworkError'
  }
}

/** Whether this is an API error; with a code, whether it has that code. */
export const isApiError = (error: unknown, code?: string): error is ApiError =>
  error instanceof ApiError && (code === undefined || error.code === code)
