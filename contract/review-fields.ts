import { Type } from 'typebox'
import {
  date_time,
  described,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  nullable_uuid,
  one_of,
  uuid,
} from './schema.ts'

export const review_kinds = ['award', 'payout_limit'] as const
export const review_statuses = ['open', 'approved', 'rejected', 'void'] as const
export const review_status = described('`void` if it was not decided in time', one_of(review_statuses))

/** An admin's act that waits for a second person (D-136). */
export const review = Type.Object({
  id: described('The id of the review', uuid),
  kind: described('The act', one_of(review_kinds)),
  status: review_status,
  user_id: described('The recipient of the award; null for a payout limit', nullable_uuid),
  username: described('The name of that person; null if there is none', nullable_text),
  app_id: described('The app of the award or of the payout limit; null for an award of the platform', nullable_uuid),
  app_name: described('The name of that app; null if there is none', nullable_text),
  amount: described(
    'The points of the award, or the payout limit; null for the limit of the installation',
    nullable_integer,
  ),
  description: described('The description of the award; null without one', nullable_text),
  reason: described('The reason of the person who asked; null without one', nullable_text),
  transfer_id: described('The movement of the approved award; null for a payout limit', nullable_uuid),
  asked_by: described('The id of the admin who asked', uuid),
  asked_by_username: described('The name of that admin; null if the account is gone', nullable_text),
  inserted_at: described('When it was requested', date_time),
  expires_at: described('When it becomes void without a decision', date_time),
  decided_by: described('The id of the admin who decided; null until then', nullable_uuid),
  decided_by_username: described('The name of that admin; null until then, or if the account is gone', nullable_text),
  decided_at: described('When it was decided; null until then', nullable_date_time),
  decision_reason: described('The reason of the rejection; null without one', nullable_text),
})

/** The 202 response of an act that waits. */
export const waiting_review = Type.Object({ review: described('The review that waits for a second person', review) })
