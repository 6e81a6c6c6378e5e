import { Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  getBalanceOfMyApp,
  getSeriesOfMyApp,
  getTransferOfMyApp,
  listTransfersOfMyApp,
  refundOfMyApp,
} from '../../../../contract/app-payments.ts'
import { callApi } from '../../../api/call.ts'
import { isApiError } from '../../../api/errors.ts'
import { invalidate } from '../../../api/hooks.ts'
import { newIdempotencyKey } from '../../../api/idempotency-key.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { Form } from '../../../forms/form.tsx'
import { Confirm, useConfirmation } from '../../../ui/confirm.tsx'
import { NumberField } from '../../../forms/number-field.tsx'
import { formatPoints } from '../../../ui/format.tsx'
import type { MyApp } from '../access.ts'
import type { PaymentDetail } from './payments.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

const cancelled = new Error('not sent')

const stale = [getTransferOfMyApp, listTransfersOfMyApp, getBalanceOfMyApp, getSeriesOfMyApp]

/** Refunds a payment or a part of it, after a confirmation. Resending after a lost response refunds it once. */
export function RefundForm({ app, payment }: { app: MyApp; payment: PaymentDetail }) {
  const { transfer, refundable_amount } = payment
  const [key, setKey] = useState(newIdempotencyKey)
  const { ask, question } = useConfirmation()
  const form = useContractForm(refundOfMyApp, {
    initial: { amount: refundable_amount as number | string, reason: '' },
    validators: {
      amount: (amount) =>
        amount === '' || Number(amount) > refundable_amount
          ? t('build.refund-form.between-1-and-more-is-not', { refundable_amount })
          : undefined,
    },
    toInput: (body) => ({
      params: { id: app.id },
      body: { ...body, transfer_id: transfer.id },
      headers: { 'idempotency-key': key },
    }),
    call: async (...input) => {
      if (!(await ask())) throw cancelled
      return callApi(...input)
    },
    onError: (error) => {
      if (error === cancelled) return true
      // The form has changed since the request whose response was lost.
      if (isApiError(error, 'idempotency_key_reused')) setKey(newIdempotencyKey())
      void invalidate(stale)
      return false
    },
    done: (_answer, { amount }) => t('build.refund-form.are-returned', { formatPoints: formatPoints(Number(amount)) }),
    onDone: () => setKey(newIdempotencyKey()),
    invalidates: stale,
  })
  const amount = Number(form.form.values.amount)
  return (
    <>
      <Form
        form={form}
        gap="sm"
        action={t('build.refund-form.refund')}
        buttons={
          <Text size="sm" c="dimmed">
            {t('build.refund-form.can-be-returned', { refundable_amount: formatPoints(refundable_amount) })}
          </Text>
        }
      >
        <Group align="flex-start" gap="sm">
          <NumberField {...form.field('amount')} label={t('common.points')} w={140} />
          <TextInput
            {...form.field('reason')}
            label={t('common.reason')}
            placeholder={t('build.refund-form.the-person-sees-it')}
            flex={1}
            miw={180}
          />
        </Group>
      </Form>
      <Confirm
        {...question}
        title={t('build.refund-form.return', { amount: formatPoints(amount) })}
        action={t('build.refund-form.return-2', { amount: formatPoints(amount) })}
      >
        <RichText
          k="build.refund-form.gets-back-from-the-app-this"
          bdi={<bdi>{transfer.username ?? t('common.the-person')}</bdi>}
          strong={<strong>{formatPoints(amount)}</strong>}
        />
      </Confirm>
    </>
  )
}
