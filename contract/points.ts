import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  patterned_text,
  integer,
  moment,
  nullable_text,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'

const { amount_max } = decisions['D-45'].value

export const amount = decided('D-45', Type.Integer({ minimum: 1, maximum: amount_max }))
export const description = bounded_text(0, 500)

const { reference_max, metadata_keys_max, metadata_key_max, metadata_value_max } = decisions['D-96'].value
/** The app's own name for a movement, such as an order number. */
export const reference = decided('D-96', bounded_text(1, reference_max))
/** `propertyNames` refuses a name that is too long, which would otherwise be dropped as an unknown field. */
export const metadata = decided(
  'D-96',
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { type: 'string', pattern: `^[A-Za-z0-9_.-]{1,${metadata_key_max}}$` },
    additionalProperties: { type: 'string', maxLength: metadata_value_max },
    maxProperties: metadata_keys_max,
  }),
)

/** The kinds of transfers. The ledger fixes the two accounts of each kind (server/points/rules.ts). */
export const transfer_kinds = [
  'award',
  'spend',
  'refund',
  'transfer',
  'signup',
  'referral',
  'reward',
  'charge',
  'stipend',
] as const

export const idempotency_headers = Type.Object({
  'idempotency-key': Type.Optional(decided('D-09', bounded_text(1, decisions['D-09'].value.key_max))),
})

export const getPoints = endpoint({
  method: 'GET',
  path: '/api/external/points',
  tag: 'Points',
  summary: 'The balance of the user',
  auth: { scope: 'points:read' },
  response: Type.Object({ points: integer, held: decided('D-97', integer) }),
})

export const spendPoints = endpoint({
  method: 'POST',
  path: '/api/external/points/spend',
  tag: 'Points',
  summary: 'Spend points of the user; the app earns them',
  description: 'With an `Idempotency-Key` the call may be repeated safely: it is applied once.',
  auth: { scope: 'points:spend' },
  decision: 'D-46',
  headers: idempotency_headers,
  body: Type.Object({
    amount,
    description: Type.Optional(description),
    reference: Type.Optional(reference),
    metadata: Type.Optional(metadata),
  }),
  response: Type.Object({
    success: boolean,
    points: integer,
    amount_spent: integer,
    transfer_id: decided('D-96', uuid),
  }),
  fails: [
    'insufficient_points',
    'spending_limit_reached',
    'points_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
    'overloaded',
  ],
})

export const transferPoints = endpoint({
  method: 'POST',
  path: '/api/external/points/transfer',
  tag: 'Points',
  summary: 'Send points of the user to another user',
  description: 'With an `Idempotency-Key` the call may be repeated safely: it is applied once.',
  auth: { scope: 'points:transfer' },
  decision: 'D-46',
  headers: idempotency_headers,
  body: Type.Object({
    amount,
    to_user_id: decided('D-89', uuid),
    description: Type.Optional(description),
    reference: Type.Optional(reference),
    metadata: Type.Optional(metadata),
  }),
  response: Type.Object({
    success: boolean,
    points: integer,
    amount_transferred: integer,
    transfer_id: decided('D-96', uuid),
  }),
  fails: [
    'user_not_found',
    'insufficient_points',
    'spending_limit_reached',
    'points_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
    'overloaded',
  ],
})

export const getAppBalance = endpoint({
  method: 'GET',
  path: '/api/external/app/balance',
  tag: 'Points',
  summary: 'The points that the app has earned',
  auth: { scope: 'app:balance:read' },
  response: Type.Object({ points: integer }),
})

export const history_entry = Type.Object({
  id: uuid,
  kind: one_of(transfer_kinds),
  direction: one_of(['in', 'out']),
  amount: integer,
  points_after: integer,
  description: nullable_text,
  app_id: nullable_uuid,
  app_name: decided('D-96', nullable_text),
  reference: decided('D-96', nullable_text),
  refunded_transfer_id: decided('D-98', nullable_uuid),
  other_user_id: nullable_uuid,
  inserted_at: date_time,
})
const history_filters = {
  kind: Type.Optional(one_of(transfer_kinds)),
  direction: Type.Optional(one_of(['in', 'out'])),
  app_id: Type.Optional(decided('D-99', uuid)),
  reference: Type.Optional(reference),
  from: Type.Optional(decided('D-99', moment)),
  to: Type.Optional(decided('D-99', moment)),
}
const history_query = page_query(history_filters)

export const myPointsHistory = endpoint({
  method: 'GET',
  path: '/api/points/history',
  tag: 'Points',
  summary: 'Every movement of your points, newest first',
  auth: 'user',
  origin: 'extension',
  decision: 'D-48',
  query: history_query,
  response: page_of(history_entry),
})

export const exportMyHistory = endpoint({
  method: 'GET',
  path: '/api/points/history.csv',
  tag: 'Points',
  summary: 'The same list as CSV (RFC 4180), newest first',
  auth: 'user',
  origin: 'extension',
  decision: 'D-99',
  query: Type.Object(history_filters),
  response: text,
})

export const pointsHistory = endpoint({
  method: 'GET',
  path: '/api/external/points/history',
  tag: 'Points',
  summary: 'Every movement of the user’s points, newest first',
  auth: { scope: 'points:read' },
  origin: 'extension',
  decision: 'D-48',
  query: history_query,
  response: page_of(history_entry),
})

/** The form of an IANA time zone name; the service checks that the zone exists. */
const time_zone = patterned_text(
  '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  'be a time zone such as Europe/Berlin',
  {
    maxLength: 64,
  },
)

export const pointsSeries = endpoint({
  method: 'GET',
  path: '/api/points/series',
  tag: 'Points',
  summary: 'What you earned, spent and had on each of the last days',
  description:
    'One row for each day, the oldest first, the last one today; days without movements too. `balance` is what you ' +
    'had when the day ended. Days begin at midnight of `time_zone`.',
  auth: 'user',
  origin: 'extension',
  decision: 'D-48',
  query: Type.Object({
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: decisions['D-48'].value.series_days_max, default: 30 })),
    time_zone: Type.Optional({ ...time_zone, default: 'UTC' }),
  }),
  response: Type.Object({
    time_zone: Type.String(),
    days: Type.Array(
      Type.Object({
        day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
        earned: integer,
        spent: integer,
        balance: integer,
      }),
    ),
  }),
})
