import { Button, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { adminListApps, adminListUsers, awardPoints, listAudit } from '../../../contract/admin.ts'
import { adminGetUser, adminListMovements } from '../../../contract/admin-users.ts'
import { callApi } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Confirm, useConfirmation } from '../../ui/confirm.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { useRefresh } from '../../api/refresh.ts'
import { UserPicker } from './user-picker.tsx'

/** The idempotency key of one award, renewed when its outcome is known: a resubmitted form pays once. */
function useIdempotencyKey() {
  const [key, setKey] = useState(newIdempotencyKey)
  return [key, () => setKey(newIdempotencyKey())] as const
}

const outcome_unknown = new Error(
  'No answer came. The points may have been awarded: check the latest awards. You can send this form again without changes; the points are awarded only once.',
)
const already_awarded = new Error(
  'The previous award was made, with the values that the form had then. This one was not made. Check the latest awards before you send it again.',
)

const isOutcomeUnknown = (error: Error) =>
  !isApiError(error) || error.status === 500 || error.code === 'outcome_unknown'

const cancelled = new Error('not sent')

/** Awards points after a confirmation; to `user` if given. The reason is for the audit log, the description for the user. */
export function AwardForm({ user }: { user?: { id: string; username: string; email: string } }) {
  const refresh = useRefresh([adminListUsers, adminGetUser, adminListMovements, listAudit])
  const apps = useApiQuery(adminListApps, { query: { status: 'approved', limit: 100 } })
  const [key, renewKey] = useIdempotencyKey()
  const { ask, question } = useConfirmation()
  const [recipient, setRecipient] = useState(user && `${user.username} · ${user.email}`)
  const { form, field, props, busy, failure, setFailure } = useContractForm(awardPoints, {
    initial: { user_id: user?.id ?? '', amount: '' as number | string, description: '', app_id: '', reason: '' },
    validators: { reason: (value) => (String(value).trim() === '' ? 'Write why: the audit log keeps it.' : undefined) },
    toInput: (body) => ({ body, headers: { 'idempotency-key': key } }),
    call: async (...input) => {
      if (!(await ask())) throw cancelled
      return callApi(...input)
    },
    onError: (error) => {
      if (error === cancelled) return true
      const reused = isApiError(error, 'idempotency_key_reused')
      if (!reused && !isOutcomeUnknown(error)) return false
      refresh()
      if (reused) renewKey()
      setFailure(reused ? already_awarded : outcome_unknown)
      return true
    },
    onDone: (answer, { amount }) => {
      refresh()
      renewKey()
      form.setValues({ amount: '', description: '', reason: '' })
      form.resetDirty()
      notify(`${formatPoints(Number(amount))} awarded. The balance is ${formatPoints(answer.points)} now.`)
    },
  })
  const amount = Number(form.values.amount)
  return (
    <form {...props}>
      <Stack maw={460}>
        <FailureNote error={failure} />
        {!user && (
          <UserPicker
            {...field('user_id')}
            label="User"
            description="The beginning of a username or e-mail address, or an id"
            clearable
            onChange={(id, option) => {
              form.setFieldValue('user_id', id ?? '')
              setRecipient(option?.label)
            }}
          />
        )}
        <NumberInput
          {...field('amount')}
          label="Points"
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          inputMode="numeric"
        />
        <TextInput
          {...field('description')}
          label="Description"
          description="The user sees it in the points history."
        />
        <TextInput {...field('reason')} label="Reason" description="Only admins see it, in the audit log." />
        <Select
          {...field('app_id')}
          value={form.values.app_id || null}
          label="On behalf of an app"
          description="Optional. Without an app, the award comes from the platform. The list has the newest 100 approved apps."
          data={(apps.data?.data ?? []).map(({ id, app_name }) => ({ value: id, label: app_name }))}
          searchable
          clearable
          nothingFoundMessage="No approved app has that name."
        />
        <Button type="submit" loading={busy}>
          {amount > 0 ? `Award ${formatPoints(amount)}…` : 'Award points…'}
        </Button>
      </Stack>
      <Confirm {...question} title={`Award ${formatPoints(amount)}?`} action={`Award ${formatPoints(amount)}`}>
        <bdi>{recipient ?? form.values.user_id}</bdi> gets <strong>{formatPoints(amount)}</strong>. This cannot be
        undone.
      </Confirm>
    </form>
  )
}
