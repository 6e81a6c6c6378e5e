import { Type, type Static } from 'typebox'
import { app_id, id, inserted_at, nullable_app_id, nullable_app_name, nullable_username, user_id } from './fields.ts'
import {
  available_points,
  held_points,
  kept_reference,
  moved_amount,
  refunded_transfer_id,
  transfer_description,
  transfer_kind,
} from './point-fields.ts'
import {
  date_time,
  decided,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  nullable_uuid,
  one_of,
  uuid,
} from './schema.ts'
import { hold_statuses, release_reasons } from './states.ts'

/** The reasons why a payout is refused; the other payouts of its batch are not affected. */
export const payout_refusals = [
  'recipient_not_connected',
  'insufficient_points',
  'payout_limit_reached',
  'points_limit_reached',
] as const
export type PayoutRefusal = (typeof payout_refusals)[number]

export const hold_status = described(
  '`open` until the points are `captured` or `released`; then final',
  one_of(hold_statuses),
)
export const release_reason = described(
  'Why held points were released: a void, the expiry, or because the app lost the person or its approval',
  one_of(release_reasons),
)
export const nullable_release_reason = described(
  'Why the points were released; null if they were not',
  Type.Unsafe<(typeof release_reasons)[number] | null>({ type: ['string', 'null'], enum: [...release_reasons, null] }),
)
export const nullable_metadata = described(
  'Private notes of the app; null if there are none',
  Type.Unsafe<Record<string, string> | null>({ type: ['object', 'null'], additionalProperties: { type: 'string' } }),
)
export const nullable_user_id = described('The id of the person; null if no person is involved', nullable_uuid)
const hold_id = described('The id of the hold that was captured by it; null if there was none', nullable_uuid)

/** The fields of a hold that the person also sees. */
const hold_state_fields = {
  amount: described('The number of held points', integer),
  status: hold_status,
  captured_amount: described('The number of captured points; null if none were captured', nullable_integer),
}
const hold_times = {
  expires_at: described('When it expires, unless it is settled before', date_time),
  settled_at: described('When it was captured or released; null while it is open', nullable_date_time),
}

/** A hold as its app sees it. */
export const hold_fields = {
  id,
  app_id,
  user_id,
  ...hold_state_fields,
  release_reason: nullable_release_reason,
  transfer_id: described('The movement that the capture made; null if there was none', nullable_uuid),
  reference: kept_reference,
  metadata: nullable_metadata,
  inserted_at,
  ...hold_times,
}
export const hold = Type.Object(hold_fields)
export const nullable_hold = described(
  'The hold that the movement captured; null if there was none',
  Type.Unsafe<Static<typeof hold> | null>({ ...hold, type: ['object', 'null'] }),
)
/** The response to a new hold. */
export const made_hold = Type.Object({
  hold: described('The new hold', hold),
  points: available_points,
  held: held_points,
})
/** The response to a capture or release of a hold. */
export const settled_hold = Type.Object({ hold: described('The current hold', hold) })
export const owner_hold = Type.Object({ ...hold_fields, username: nullable_username })

const { metadata: _, ...hold_without_metadata } = hold_fields
export const admin_hold = Type.Object({
  ...hold_without_metadata,
  username: nullable_username,
  app_name: nullable_app_name,
})

/** A hold as the person whose points are held sees it. */
export const own_hold = Type.Object({
  id,
  app_id,
  app_name: nullable_app_name,
  ...hold_state_fields,
  reference: kept_reference,
  inserted_at,
  ...hold_times,
})

/** A transfer of an app's account, or one that the app made between people, as the app sees it. */
export const app_transfer = Type.Object({
  id,
  kind: transfer_kind,
  direction: described(
    '`in` if the app received the points, `out` if it gave them, `between` if it sent them from one person to another',
    one_of(['in', 'out', 'between']),
  ),
  amount: moved_amount,
  points_after: described(
    'The app’s balance afterwards; null for `between`, which does not change it',
    nullable_integer,
  ),
  user_id: nullable_user_id,
  to_user_id: described('Between people, the id of the recipient; otherwise null', nullable_uuid),
  description: transfer_description,
  reference: kept_reference,
  metadata: nullable_metadata,
  hold_id,
  refunded_transfer_id,
  inserted_at,
})
/** A transfer with the names of the people, who may have left. */
export const owner_transfer = Type.Object({
  ...app_transfer.properties,
  username: nullable_username,
  to_username: described('Between people, the name of the recipient; null if there is none', nullable_text),
})

/** An account of the ledger: a person's, an app's, or a system account. */
export const account = Type.Object({
  id: described('The id of the account, which is that of its person or app', uuid),
  kind: described(
    'The kind of owner; system accounts issue points and receive the costs of hosting',
    one_of(['user', 'app', 'system']),
  ),
  name: described('The name of the person or app; null for the system, and if it is gone', nullable_text),
})

export const admin_transfer = Type.Object({
  id,
  kind: transfer_kind,
  amount: moved_amount,
  from: described('The sender of the points', account),
  to: described('The recipient of the points', account),
  app_id: nullable_app_id,
  app_name: nullable_app_name,
  description: transfer_description,
  reference: kept_reference,
  hold_id,
  refunded_transfer_id,
  inserted_at,
})

const points_of_app = described('The balance of the app, in points', integer)
export const refund_result = Type.Object({
  refund: described('The refund', app_transfer),
  points: points_of_app,
})
export const payout_result = Type.Object({
  payout: described('The movement that paid the points', app_transfer),
  points: points_of_app,
})
export const withdrawal_result = Type.Object({
  withdrawal: described('The movement to the account of the owner', app_transfer),
  points: points_of_app,
})
/** One item of a batch: paid or refused. */
export const payout_outcome = Type.Object({
  payout: described(
    'The movement that paid the points; null if the item was refused',
    Type.Unsafe<Static<typeof app_transfer> | null>({ ...app_transfer, type: ['object', 'null'] }),
  ),
  error: described(
    'Why the item was refused, as a single payout would be; null if it was paid',
    Type.Unsafe<PayoutRefusal | null>({ type: ['string', 'null'], enum: [...payout_refusals, null] }),
  ),
  message: described('The same in words; null if it was paid', nullable_text),
})
export const refunded_amount = described('The points refunded so far', integer)

export const app_balance = Type.Object({
  points: points_of_app,
  total_earned: described('All points ever received', integer),
  total_spent: described('All points ever paid in refunds, payouts and withdrawals', integer),
  held_for_app: described(
    'Points of people in open holds for the app; not included in `points`',
    decided('D-97', integer),
  ),
  held_earnings: described(
    'Points of the balance earned too recently to be paid out or withdrawn; they can be refunded',
    decided('D-131', integer),
  ),
})
