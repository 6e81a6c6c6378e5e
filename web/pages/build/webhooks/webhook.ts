import type { listWebhooks } from '../../../../contract/webhooks.ts'
import type { AnswerOf } from '../../../api/call.ts'

export type Webhook = AnswerOf<typeof listWebhooks>['webhooks'][number]

/** Of badges, by the status of a delivery. */
export const status_colours = { pending: 'yellow', succeeded: 'plaza', failed: 'red' } as const
