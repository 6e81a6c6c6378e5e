import { withParameters } from '../../../contract/addresses.ts'
import { describeReturn } from '../../../contract/oauth.ts'
import type { ApiError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'

/** The redirect URI with the response parameters. */
export const responseUrl = (
  { redirect_uri, iss }: { redirect_uri: string; iss: string },
  answer: Record<string, string>,
) => withParameters(redirect_uri, { ...answer, iss })

/** Error codes of RFC 6749 §4.1.2.1 by the API's error code. */
const oauth_errors: Record<string, string> = {
  validation_failed: 'invalid_request',
  invalid_request: 'invalid_request',
  unsupported_response_type: 'unsupported_response_type',
  unauthorized_client: 'unauthorized_client',
  invalid_scope: 'invalid_scope',
  invalid_target: 'invalid_target',
  request_not_supported: 'request_not_supported',
  request_uri_not_supported: 'request_uri_not_supported',
  invalid_request_uri: 'invalid_request_uri',
  registration_not_supported: 'registration_not_supported',
  login_required: 'login_required',
  consent_required: 'consent_required',
}

/**
 * The error response to the app for a refused request. `address` is undefined unless the API has verified that the
 * redirect URI belongs to a known client; `problem` is the reason if it has not. Repeated parameters are sent neither
 * to the API nor to the app.
 */
export function useErrorRedirect(
  parameters: readonly [string, string][],
  refusal: Pick<ApiError, 'code' | 'sent_message'> | undefined,
) {
  const once = (name: string) => {
    const values = parameters.flatMap(([key, value]) => (key === name ? [value] : []))
    return values.length === 1 && values[0] !== '' ? values[0] : undefined
  }
  const wasSent = (name: string) => parameters.some(([key, value]) => key === name && value !== '')
  const error = oauth_errors[refusal?.code ?? '']
  const [client_id, redirect_uri, state] = [once('client_id'), once('redirect_uri'), once('state')]
  const is_unambiguous = client_id !== undefined && (redirect_uri !== undefined || !wasSent('redirect_uri'))
  const query = { client_id: client_id ?? '', ...(redirect_uri !== undefined && { redirect_uri }) }
  const can_return = error !== undefined && is_unambiguous
  const { data: app_return, error: problem } = useApiQuery(
    describeReturn,
    { query },
    { enabled: can_return, retryOnMount: false },
  )
  if (!app_return || error === undefined || refusal === undefined)
    return { problem: can_return || refusal === undefined ? problem : refusal }
  const error_description = refusal.sent_message.replace(/[^\x20-\x7e]|["\\]/g, '')
  const address = responseUrl(app_return, { error, error_description, ...(state !== undefined && { state }) })
  return { problem: null, way_back: { ...app_return, address } }
}
