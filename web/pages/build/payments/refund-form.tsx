import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
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
import { newIdempotencyKey } from '../../../api/idempotency-key.ts'
import { useRefresh } from '../../../api/refresh.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { Confirm, useConfirmation } from '../../../ui/confirm.tsx'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { formatPoints } from '../../../ui/format.tsx'
import { notify } from '../../../ui/notify.tsx'
import type { MyApp } from '../access.ts'
import type { PaymentDetail } from './payments.ts'

const cancelled = new Error('not sent')

/** Returns a payment, or a part of it, after a question. Sent again after a lost answer, it returns the points once. */
export function RefundForm({ app, payment }: { app: MyApp; payment: PaymentDetail }) {
  const { transfer, refundable_amount } = payment
  const refresh = useRefresh([getTransferOfMyApp, listTransfersOfMyApp, getBalanceOfMyApp, getSeriesOfMyApp])
  const [key, setKey] = useState(newIdempotencyKey)
  const { ask, question } = useConfirmation()
  const { form, field, props, busy, failure } = useContractForm(refundOfMyApp, {
    initial: { amount: refundable_amount as number | string, reason: '' },
    validators: {
      amount: (amount) =>
        amount === '' || Number(amount) > refundable_amount
          ? `Between 1 and ${refundable_amount}: more is not left of this payment.`
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
      // Another form than the one that was answered late.
      if (isApiError(error, 'idempotency_key_reused')) setKey(newIdempotencyKey())
      refresh()
      return false
    },
    onDone: (_answer, { amount }) => {
      setKey(newIdempotencyKey())
      refresh()
      notify(`${formatPoints(Number(amount))} are returned.`)
    },
  })
  const amount = Number(form.values.amount)
  return (
    <form {...props}>
      <Stack gap="sm">
        <FailureNote error={failure} />
        <Group align="flex-start" gap="sm">
          <NumberInput
            {...field('amount')}
            label="Points"
            w={140}
            min={1}
            max={refundable_amount}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            inputMode="numeric"
          />
          <TextInput {...field('reason')} label="Reason" placeholder="The person sees it" flex={1} miw={180} />
        </Group>
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {formatPoints(refundable_amount)} can be returned.
          </Text>
          <Button type="submit" loading={busy}>
            Refund…
          </Button>
        </Group>
      </Stack>
      <Confirm {...question} title={`Return ${formatPoints(amount)}?`} action={`Return ${formatPoints(amount)}`}>
        <bdi>{transfer.username ?? 'The person'}</bdi> gets <strong>{formatPoints(amount)}</strong> back from the app.
        This cannot be undone.
      </Confirm>
    </form>
  )
}
