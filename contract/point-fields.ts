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
  '`in` where the account got the points, `out` where it gave them',
  one_of(['in', 'out']),
)

// Requests

export const whole_points = Type.Integer({ minimum: 1, maximum: amount_max })
export const amount = described('How many points, a whole number', decided('D-45', whole_points))
export const description = described('The purpose; the person reads it in the history', read_text(0, 500))
export const reference = described(
  'The app’s own name for it, such as an order number; the person sees it too',
  decided('D-96', read_text(1, reference_max)),
)
export const metadata = described(
  `Texts by name for the app alone: at most ${metadata_keys_max}, of ${metadata_value_max} characters each`,
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
  'Makes repeating safe: the same request with the same key is applied once and answered alike. Make a new key for each order',
  decided('D-09', bounded_text(1, decisions.idempotency_keys.key_max)),
)
export const idempotency_headers = Type.Object({ 'idempotency-key': Type.Optional(idempotency_key) })

export const from = described('From this moment on', decided('D-99', moment))
export const to = described('Before this moment, which is left out itself', decided('D-99', moment))
/** Filters of `inserted_at` in the query of a list. */
export const span_filters = { from: Type.Optional(from), to: Type.Optional(to) }

// Answers

export const success = described('Always true: a refusal has another status', Type.Boolean())
export const available_points = described('The spendable points: the balance less the held points', integer)
export const held_points = described('Points of the person that apps hold, beside `points`', integer)
export const moved_amount = described('How many points moved', integer)
export const points_after = described('The balance afterwards, held points included', integer)
export const transfer_id = described('The id of the movement, for refunds, lists and questions', uuid)
export const transfer_description = described(
  'The description given at the time; null if there was none',
  nullable_text,
)
export const kept_reference = described('The app’s own name for it; null if it gave none', nullable_text)
export const refunded_transfer_id = described(
  'For a refund, the id of the spend that it returns; else null',
  nullable_uuid,
)
export const earned = described('Points that came in', integer)
export const spent = described('Points that went out', integer)

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
  other_user_id: described('For a transfer between people, the id of the other person; else null', nullable_uuid),
  inserted_at,
})

/** The same for the person, with the name of the counterparty. */
export const my_history_entry = Type.Object({
  ...history_entry.properties,
  other_username: described(
    'For a transfer between people, the username of the other person; else null',
    decided('D-137', nullable_text),
  ),
  by_agent: described('Whether an agent made it, by a tool of the MCP server', decided('D-156', Type.Boolean())),
})

export const day_of_points = Type.Object({
  day: described('The day, in the time zone of the answer', Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  earned,
  spent,
  balance: described('The balance at the end of the day', integer),
})

export const spend_result = Type.Object({
  success,
  points: available_points,
  amount_spent: described('How many points were spent: the `amount` of the request', integer),
  transfer_id: decided('D-96', transfer_id),
})

export const transfer_result = Type.Object({
  success,
  points: available_points,
  amount_transferred: described('How many points were sent: the `amount` of the request', integer),
  transfer_id: decided('D-96', transfer_id),
})

export const points_balance = Type.Object({ points: available_points, held: decided('D-97', held_points) })
