import { Text } from '@mantine/core'
import { useState } from 'react'
import {
  getBalanceOfMyApp,
  getSeriesOfMyApp,
  listTransfersOfMyApp,
  withdrawFromMyApp,
} from '../../../../contract/app-payments.ts'
import { me } from '../../../../contract/accounts.ts'
import { isApiError } from '../../../api/errors.ts'
import { newIdempotencyKey } from '../../../api/idempotency-key.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { FormDialog } from '../../../forms/form.tsx'
import { NumberField } from '../../../forms/number-field.tsx'
import { formatPoints } from '../../../ui/format.tsx'
import { notify } from '../../../ui/notify.tsx'
import { t } from '../../../texts.ts'
import type { MyApp } from '../access.ts'

interface WithdrawDialogProps {
  app: MyApp
  /** Points that can be withdrawn now. */
  available: number
  /** Points earned too recently. */
  held: number
  onClose: () => void
}

/** Moves the app's income to the owner's account. Resending after a lost response moves the points once. */
export default function WithdrawDialog({ app, available, held, onClose }: WithdrawDialogProps) {
  const [key, setKey] = useState(newIdempotencyKey)
  const between = t('build.withdrawal.between-1-and', { available: formatPoints(available) })
  const form = useContractForm(withdrawFromMyApp, {
    initial: { amount: available as number | string },
    validators: { amount: (amount) => (amount === '' || Number(amount) > available ? between : undefined) },
    toInput: (body) => ({ params: { id: app.id }, body, headers: { 'idempotency-key': key } }),
    onError: (error) => {
      // The amount has changed since the request whose response was lost.
      if (isApiError(error, 'idempotency_key_reused')) setKey(newIdempotencyKey())
      return false
    },
    onDone: ({ withdrawal }) => {
      onClose()
      notify(t('build.withdrawal.are-in-your-account', { amount: formatPoints(withdrawal.amount) }))
    },
    invalidates: [getBalanceOfMyApp, getSeriesOfMyApp, listTransfersOfMyApp, me],
  })
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('build.withdrawal.withdraw-points')}
      action={t('build.withdrawal.withdraw-points')}
    >
      <Text size="sm">
        {t('build.withdrawal.the-points-move-to-your-account', { available: formatPoints(available) })}{' '}
        {held > 0 && t('build.withdrawal.held', { held: formatPoints(held) })}
      </Text>
      <NumberField {...form.field('amount')} label={t('common.points')} data-autofocus />
    </FormDialog>
  )
}
