import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { app_id, user_id } from './fields.ts'
import * as fields from './point-fields.ts'
import { while_muted } from './moderation-fields.ts'
import { decided, described, integer, page_of, page_query, text, time_zone_name } from './schema.ts'

const { series_days_max } = decisions.point_history

const of_user = { tag: 'Points', auth: 'user', origin: 'extension' } as const

const repeatable = 'With an `Idempotency-Key` the call may be repeated safely: it is applied once.'

export const getPoints = endpoint('GET /api/external/points', {
  tag: 'Points',
  summary: 'The balance of the user',
  description: 'The current balance. Another app may change it at any time: only a spend or a hold secures points.',
  auth: { scope: 'points:read' },
  tool: 'reads',
  response: fields.points_balance,
})

export const spendPoints = endpoint('POST /api/external/points/spend', {
  tag: 'Points',
  summary: 'Spend points of the user; the app earns them',
  description: `${repeatable} Spends the full amount or nothing.`,
  auth: { scope: 'points:spend' },
  tool: 'pays_app',
  decision: 'D-46',
  headers: fields.idempotency_headers,
  body: Type.Object({
    amount: fields.amount,
    description: Type.Optional(fields.description),
    reference: Type.Optional(fields.reference),
    metadata: Type.Optional(fields.metadata),
  }),
  response: fields.spend_result,
  fails: ['insufficient_points', 'spending_limit_reached', 'points_limit_reached', ...fields.ledger_failures],
})

export const transferPoints = endpoint('POST /api/external/points/transfer', {
  tag: 'Points',
  summary: 'Send points of the user to another user',
  description: `${repeatable} Sending to oneself gets 422. Bad words in the description are masked; a muted person cannot send one.`,
  auth: { scope: 'points:transfer' },
  tool: 'pays_person',
  decision: 'D-46',
  headers: fields.idempotency_headers,
  body: Type.Object({
    amount: fields.amount,
    to_user_id: described(
      'The recipient; 404 if the account is unknown or suspended, or has blocked the sender',
      decided('D-89', user_id),
    ),
    description: Type.Optional(fields.description),
    reference: Type.Optional(fields.reference),
    metadata: Type.Optional(fields.metadata),
  }),
  response: fields.transfer_result,
  failure_fields: while_muted,
  fails: [
    'user_not_found',
    'muted',
    'insufficient_points',
    'spending_limit_reached',
    'points_limit_reached',
    ...fields.ledger_failures,
  ],
})

export const getAppBalance = endpoint('GET /api/external/app/balance', {
  tag: 'Points',
  summary: 'The points that the app has earned',
  description: 'The balance of the token’s app, after refunds. `/api/app/balance` returns more to the app itself.',
  auth: { scope: 'app:balance:read' },
  response: Type.Object({ points: described('The balance of the app, in points', integer) }),
})

const history_filters = {
  kind: Type.Optional(fields.transfer_kind),
  direction: Type.Optional(fields.direction),
  app_id: Type.Optional(decided('D-99', app_id)),
  reference: Type.Optional(fields.reference),
  ...fields.span_filters,
}
const history_query = page_query(history_filters)
const history_description =
  'A hold is not a movement until it is captured. Filters restrict the list; `from` is included and `to` is not.'

const by_agent = Type.Optional(
  described('Only movements made by agents, or all others', decided('D-156', Type.Boolean())),
)

export const myPointsHistory = endpoint('GET /api/points/history', {
  ...of_user,
  summary: 'Every movement of your points, newest first',
  description: history_description,
  decision: 'D-48',
  query: page_query({ ...history_filters, by_agent }),
  response: page_of(fields.my_history_entry),
})

export const exportMyHistory = endpoint('GET /api/points/history.csv', {
  ...of_user,
  summary: 'The same list as CSV (RFC 4180), newest first',
  description:
    'The complete list, streamed, without pages. A cell that a spreadsheet would read as a formula begins with an apostrophe.',
  decision: 'D-99',
  query: Type.Object(history_filters),
  response: text,
  download: 'text/csv',
})

export const pointsHistory = endpoint('GET /api/external/points/history', {
  tag: 'Points',
  summary: 'Every movement of the user’s points, newest first',
  description: `${history_description} Includes movements by other apps, without their \`reference\`.`,
  auth: { scope: 'points:read' },
  tool: 'reads',
  origin: 'extension',
  decision: 'D-48',
  query: history_query,
  response: page_of(fields.history_entry),
})

export const pointsSeries = endpoint('GET /api/points/series', {
  ...of_user,
  summary: 'Points earned and spent, and the balance, on each of the last days',
  description:
    'One row for each day, oldest first, ending today; includes days without movements. `balance` is your balance at the end of the ' +
    'day. Days begin at midnight in `time_zone`.',
  decision: 'D-48',
  query: Type.Object({
    days: Type.Optional(
      described(
        'The number of days, including today',
        Type.Integer({ minimum: 1, maximum: series_days_max, default: 30 }),
      ),
    ),
    time_zone: Type.Optional(
      described('The time zone of the days: an IANA name such as Europe/Berlin', { ...time_zone_name, default: 'UTC' }),
    ),
  }),
  response: Type.Object({
    time_zone: described('The time zone of the days', Type.String()),
    days: described('One row for each day, oldest first', Type.Array(fields.day_of_points)),
  }),
})
