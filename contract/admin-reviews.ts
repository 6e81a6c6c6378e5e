import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { review, review_status } from './review-fields.ts'
import { described, page_of, page_query, partial, read_text, uuid } from './schema.ts'

const ours = { ...of_admins, admin_roles: ['finance'], decision: 'D-136' } as const
const review_param = Type.Object({ id: described('The id of the review', uuid) })
const { days } = decisions.reviews

export const adminListReviews = endpoint('GET /api/admin/reviews', {
  ...ours,
  summary: 'Awards and payout limits above REVIEW_AMOUNT, newest first',
  description: `A second person decides an open one within ${days} days; otherwise it becomes void.`,
  query: page_query({ status: Type.Optional(review_status) }),
  response: page_of(review),
})

export const approveReview = endpoint('POST /api/admin/reviews/{id}/approve', {
  ...ours,
  summary: 'Approve another person’s request: award the points, or set the payout limit',
  description:
    'Possible once. The person who asked cannot approve, and must still have the right to ask. If the award fails, the review stays open.',
  params: review_param,
  response: review,
  fails: ['not_found', 'own_review', 'already_decided', 'review_void', 'user_not_found', 'points_limit_reached'],
})

export const rejectReview = endpoint('POST /api/admin/reviews/{id}/reject', {
  ...ours,
  summary: 'Reject another person’s request',
  description: 'Possible once. The person who asked cannot reject it either; an undecided request becomes void.',
  params: review_param,
  body: partial({ reason: described('The reason, for the person who asked and the audit log', read_text(0, 1000)) }),
  response: review,
  fails: ['not_found', 'own_review', 'already_decided', 'review_void'],
})
