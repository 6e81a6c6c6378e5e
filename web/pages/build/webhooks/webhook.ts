import type { listDeliveries, listWebhooks } from '../../../../contract/webhooks.ts'
import type { AnswerOf } from '../../../api/call.ts'
import { formatNumber } from '../../../ui/format.tsx'
import { t } from '../../../texts.ts'

export type Webhook = AnswerOf<typeof listWebhooks>['webhooks'][number]
export type Delivery = AnswerOf<typeof listDeliveries>['data'][number]

/** The badge colours, by the status of a delivery. */
export const status_colours = { pending: 'yellow', succeeded: 'plaza', failed: 'red' } as const

/**
 * The last response to a delivery: `200 in 77 ms`, `500: boom`, or why there was none; empty before the first attempt.
 */
export function answerText({ last_attempt, status }: Pick<Delivery, 'last_attempt' | 'status'>) {
  if (!last_attempt) return ''
  const { status_code, error, answer, duration_ms } = last_attempt
  if (status_code === null) return error ?? t('common.no-answer')
  return status !== 'succeeded' && answer
    ? t('build.webhook.answer-with-body', { status_code, answer })
    : t('build.webhook.answer-in-ms', { status_code, duration_ms: formatNumber(duration_ms) })
}
