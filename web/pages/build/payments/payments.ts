import type { getTransferOfMyApp, listHoldsOfMyApp, listTransfersOfMyApp } from '../../../../contract/app-payments.ts'
import { transfer_kinds } from '../../../../contract/kinds/transfers.ts'
import type { AnswerOf } from '../../../api/call.ts'
import { spanOf } from '../../../ui/day-range.ts'
import { formatNumber } from '../../../ui/format.tsx'
import { t } from '../../../texts.ts'

export type Payment = AnswerOf<typeof listTransfersOfMyApp>['data'][number]
export type PaymentDetail = AnswerOf<typeof getTransferOfMyApp>
export type Hold = AnswerOf<typeof listHoldsOfMyApp>['data'][number]

/** The kinds of an app's own payments, and of those it makes between people. */
const names = (): Partial<Record<Payment['kind'], string>> => ({
  spend: t('common.payment'),
  refund: t('common.refund'),
  payout: t('build.payments.payout'),
  withdrawal: t('build.payments.withdrawal'),
  transfer: t('build.payments.between-people'),
})

export const kindName = ({ kind, hold_id }: Pick<Payment, 'kind' | 'hold_id'>) =>
  hold_id === null ? (names()[kind] ?? kind) : t('build.payments.captured-hold')

/** The points with their sign for the app; without a sign between people. */
export const signedPoints = ({ direction, amount }: Pick<Payment, 'direction' | 'amount'>) =>
  ({ in: '+', out: '−', between: '' })[direction] + formatNumber(amount)

/** The filter in the URL. Days are in the browser's time zone; `to` is inclusive. */
export interface Filter {
  kind?: string
  reference?: string
  username?: string
  from?: string
  to?: string
}

/** The query of the API for a filter. */
export function queryOf({ kind, reference, username, from, to }: Filter) {
  const known = transfer_kinds.find((one) => one === kind)
  return {
    ...(known && { kind: known }),
    ...(reference && { reference }),
    ...(username && { username }),
    ...spanOf({ from, to }),
  }
}
