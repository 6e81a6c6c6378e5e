import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { inserted_at, nullable_app_id, nullable_app_name, id } from './fields.ts'
import { transfer_kinds } from './kinds/transfers.ts'
import {
  bounded_text,
  decided,
  described,
  integer,
  moment,
  nullable_text,
  nullable_uuid,
  one_of,
  uuid,
  read_text,
} from './schema.ts'

const { amount_max } = decisions.amounts
const { reference_max, metadata_keys_max, metadata_key_max, metadata_value_max } = decisions.payment_details

export const transfer_kind = described(
  'Why points moved: `payout` from an app to a person, `withdrawal` to its owner, `transfer` by an app, `direct` by the person, `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when somebody left',
  one_of(transfer_kinds),
)
export const direction = described(
  '`in` if the account received the points, `out` if it gave them',
  one_of(['in', 'out']),
)

// Requests

export const whole_points = Type.Integer({ minimum: 1, maximum: amount_max })
export const amount = described('The number of points, a whole number', decided('D-45', whole_points))
export const description = described('The purpose, shown to the person in the history', read_text(0, 500))
export const reference = described(
  'The app’s own reference, such as an order number; the person also sees it',
  decided('D-96', read_text(1, reference_max)),
)
export const metadata = described(
  `Texts by name, only for the app: at most ${metadata_keys_max}, of ${metadata_value_max} characters each`,
  decided(
    'D-96',
    // `propertyNames` refuses a name that is too long; without it, the name would be dropped as an unknown field.
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      propertyNames: { type: 'string', pattern: `^[A-Za-z0-9_.-]{1,${metadata_key_max}}$` },
      additionalProperties: { type: 'string', maxLength: metadata_value_max },
      maxProperties: metadata_keys_max,
    }),
  ),
)
export const idempotency_key = described(
  'Makes repetitions safe: the same request with the same key is applied once and gets the same response. Use a new key for each order',
  decided('D-09', bounded_text(1, decisions.idempotency_keys.key_max)),
)
export const idempotency_headers = Type.Object({ 'idempotency-key': Type.Optional(idempotency_key) })

export const from = described('At or after this time', decided('D-99', moment))
export const to = described('Before this time', decided('D-99', moment))
/** Filters of `inserted_at` in the query of a list. */
export const span_filters = { from: Type.Optional(from), to: Type.Optional(to) }

// Answers

export const success = described('Always true: refusals have other statuses', Type.Boolean())
export const available_points = described('The spendable points: the balance minus the held points', integer)
export const held_points = described('Points of the person that apps hold, not included in `points`', integer)
export const moved_amount = described('The number of points moved', integer)
export const points_after = described('The balance afterwards, including held points', integer)
export const transfer_id = described('The id of the movement, for refunds, lists and questions', uuid)
export const transfer_description = described('The given description; null if there was none', nullable_text)
export const kept_reference = described('The app’s own reference; null if there is none', nullable_text)
export const refunded_transfer_id = described(
  'For a refund, the id of the refunded spend; otherwise null',
  nullable_uuid,
)
export const earned = described('Points received', integer)
export const spent = described('Points spent', integer)

export const history_entry = Type.Object({
  id,
  kind: transfer_kind,
  direction,
  amount: moved_amount,
  points_after,
  description: transfer_description,
  app_id: nullable_app_id,
  app_name: decided('D-96', nullable_app_name),
  reference: decided('D-96', kept_reference),
  refunded_transfer_id: decided('D-98', refunded_transfer_id),
  other_user_id: described('For a transfer between people, the id of the other person; otherwise null', nullable_uuid),
  inserted_at,
})

/** The same for the person, with the name of the counterparty. */
export const my_history_entry = Type.Object({
  ...history_entry.properties,
  other_username: described(
    'For a transfer between people, the username of the other person; otherwise null',
    decided('D-137', nullable_text),
  ),
  by_agent: described('Whether an agent made it, through the MCP server', decided('D-156', Type.Boolean())),
})

export const day_of_points = Type.Object({
  day: described('The day, in the time zone of the response', Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  earned,
  spent,
  balance: described('The balance at the end of the day', integer),
})

export const spend_result = Type.Object({
  success,
  points: available_points,
  amount_spent: described('The number of points spent: the `amount` of the request', integer),
  transfer_id: decided('D-96', transfer_id),
})

export const transfer_result = Type.Object({
  success,
  points: available_points,
  amount_transferred: described('The number of points sent: the `amount` of the request', integer),
  transfer_id: decided('D-96', transfer_id),
})

/** The failures of a call that moves points and takes an `Idempotency-Key`. */
export const ledger_failures = [
  'idempotency_key_reused',
  'outcome_unknown',
  'outcome_unknown_keyed',
  'overloaded',
] as const

export const points_balance = Type.Object({ points: available_points, held: decided('D-97', held_points) })
