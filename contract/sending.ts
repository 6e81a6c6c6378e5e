import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { inserted_at, id, nullable_username, user_id } from './fields.ts'
import { while_muted } from './moderation-fields.ts'
import { amount, description, idempotency_headers, moved_amount, transfer_result } from './point-fields.ts'
import {
  date_time,
  described,
  nullable_date_time,
  nullable_text,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  uuid,
} from './schema.ts'
import { point_request_statuses } from './states.ts'

const { asked, request_days, requests_open_max } = decisions.sending

const sending = { tag: 'Points', auth: 'user', origin: 'extension', decision: 'D-137' } as const

const send_failures = [
  'email_not_verified',
  'user_not_found',
  'muted',
  'proof_required',
  'insufficient_points',
  'send_limit_reached',
  'points_limit_reached',
] as const

export const sendPoints = endpoint('POST /api/points/transfers', {
  ...sending,
  summary: 'Send your points to somebody',
  description:
    'With an `Idempotency-Key` the call may be repeated safely: it is applied once. Sending to yourself is 422. Bad words of the description are ' +
    'masked. Above an amount that the operator sets, the call needs a proof (`POST /api/auth/proof`) or a sign-in of the last minutes.',
  headers: idempotency_headers,
  body: Type.Object({
    to_user_id: described(
      'The recipient; 404 if the account is unknown or suspended, or if either of you has blocked the other',
      user_id,
    ),
    amount,
    description: Type.Optional(description),
  }),
  response: transfer_result,
  failure_fields: while_muted,
  fails: [...send_failures, 'idempotency_key_reused'],
})

const request_direction = described('`in` for requests to you, `out` for your own', one_of(['in', 'out']))
const request_status = described('`expired` if nobody answered in time', one_of(point_request_statuses))

const point_request = Type.Object({
  id,
  direction: request_direction,
  status: request_status,
  amount: moved_amount,
  description: described('The purpose; null if there is none', nullable_text),
  other_user_id: described('The other person of the request', uuid),
  other_username: nullable_username,
  transfer_id: described('The movement that paid it; otherwise null', nullable_uuid),
  inserted_at,
  expires_at: described('When it expires and can no longer be paid', date_time),
  closed_at: described('When it was paid, declined or cancelled; otherwise null', nullable_date_time),
})

export const requestPoints = endpoint('POST /api/points/requests', {
  ...sending,
  summary: 'Ask a friend for points',
  description:
    `The friend is notified, and pays or declines within ${request_days} days. At most ${requests_open_max} of your requests are open at a time. ` +
    'Bad words of the description are masked.',
  limit: asked,
  body: Type.Object({
    from_user_id: described('The friend who should pay', user_id),
    amount,
    description: Type.Optional(description),
  }),
  status: [201],
  response: point_request,
  failure_fields: while_muted,
  fails: ['email_not_verified', 'user_not_found', 'muted', 'not_friends', 'too_many_open_requests'],
})

export const listPointRequests = endpoint('GET /api/points/requests', {
  ...sending,
  summary: 'Requests for points, to you and by you, newest first',
  description: 'Includes closed ones.',
  query: page_query({ direction: Type.Optional(request_direction), status: Type.Optional(request_status) }),
  response: page_of(point_request),
})

const request_params = { params: Type.Object({ id }), response: point_request }

export const payPointRequest = endpoint('POST /api/points/requests/{id}/pay', {
  ...sending,
  ...request_params,
  summary: 'Pay a request',
  description: 'Only the person asked can pay, and only once. The limits are those of `POST /api/points/transfers`.',
  failure_fields: while_muted,
  fails: ['not_found', 'request_closed', ...send_failures],
})

export const declinePointRequest = endpoint('POST /api/points/requests/{id}/decline', {
  ...sending,
  ...request_params,
  summary: 'Decline a request',
  description: 'Only the person asked can decline. The other person is notified.',
  fails: ['not_found', 'request_closed'],
})

export const cancelPointRequest = endpoint('POST /api/points/requests/{id}/cancel', {
  ...sending,
  ...request_params,
  summary: 'Withdraw your own request',
  description: 'Only the person who made it can cancel. The notice to the other person is withdrawn.',
  fails: ['not_found', 'request_closed'],
})
