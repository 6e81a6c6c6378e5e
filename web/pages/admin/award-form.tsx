import { TextInput, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import { adminListUsers, awardPoints } from '../../../contract/admin.ts'
import { adminListApps } from '../../../contract/admin-apps.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { adminGetUser, adminListMovements } from '../../../contract/admin-users.ts'
import { callApi } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { invalidate, useApiQuery } from '../../api/hooks.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { Confirm, useConfirmation } from '../../ui/confirm.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { UserPicker } from './user-picker.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

/** The idempotency key of one award, renewed when its outcome is known: a resubmitted form pays once. */
function useIdempotencyKey() {
  const [key, setKey] = useState(newIdempotencyKey)
  return [key, () => setKey(newIdempotencyKey())] as const
}

const isOutcomeUnknown = (error: Error) =>
  !isApiError(error) || error.status === 500 || error.code === 'outcome_unknown'

const cancelled = new Error('not sent')

const award_reads = [adminListUsers, adminGetUser, adminListMovements, listAudit]

/**
 * Awards points after a confirmation; to `user` if given. The reason goes to the audit log, the description to the
 * user.
 */
export function AwardForm({ user }: { user?: { id: string; username: string; email: string } }) {
  const [key, renewKey] = useIdempotencyKey()
  const { ask, question } = useConfirmation()
  const [recipient, setRecipient] = useState(user && `${user.username} · ${user.email}`)
  const contract_form = useContractForm(awardPoints, {
    initial: { user_id: user?.id ?? '', amount: '' as number | string, description: '', app_id: '', reason: '' },
    validators: {
      reason: (value) => (String(value).trim() === '' ? t('common.write-why-the-audit-log-keeps') : undefined),
    },
    toInput: (body) => ({ body, headers: { 'idempotency-key': key } }),
    call: async (...input) => {
      if (!(await ask())) throw cancelled
      return callApi(...input)
    },
    onError: (error) => {
      if (error === cancelled) return true
      const reused = isApiError(error, 'idempotency_key_reused')
      if (!reused && !isOutcomeUnknown(error)) return false
      void invalidate(award_reads)
      if (reused) renewKey()
      contract_form.setFailure(
        new Error(t(reused ? 'admin.award-form.already-awarded' : 'admin.award-form.outcome-unknown')),
      )
      return true
    },
    invalidates: award_reads,
    done: (answer, { amount }) =>
      'points' in answer
        ? t('admin.award-form.awarded-the-balance-is-now', {
            formatPoints: formatPoints(Number(amount)),
            points: formatPoints(answer.points),
          })
        : t('admin.second-person.waits'),
    onDone: () => {
      renewKey()
      form.setValues({ amount: '', description: '', reason: '' })
      form.resetDirty()
    },
  })
  const { form, field } = contract_form
  const amount = Number(form.values.amount)
  return (
    <>
      <Form
        form={contract_form}
        maw={460}
        button={{ flex: 1 }}
        action={
          amount > 0
            ? t('admin.award-form.award', { amount: formatPoints(amount) })
            : t('admin.award-form.award-points')
        }
      >
        {!user && (
          <UserPicker
            {...field('user_id')}
            label={t('common.user')}
            description={t('admin.award-form.the-beginning-of-a-username-or')}
            clearable
            onChange={(id, option) => {
              form.setFieldValue('user_id', id ?? '')
              setRecipient(option?.label)
            }}
          />
        )}
        <NumberField {...field('amount')} label={t('common.points')} />
        <TextInput
          {...field('description')}
          label={t('common.description')}
          description={t('admin.award-form.the-user-sees-it-in-the')}
        />
        <TextInput
          {...field('reason')}
          label={t('common.reason')}
          description={t('admin.award-form.only-admins-see-it-in-the')}
        />
        <AppSelect {...field('app_id')} value={form.values.app_id} />
      </Form>
      <Question {...question} to={recipient ?? form.values.user_id} points={formatPoints(amount)} />
    </>
  )
}

const AppSelect = (props: SelectProps) => {
  const apps = useApiQuery(adminListApps, { query: { status: 'approved', limit: 100 } })
  return (
    <Select
      {...props}
      value={props.value || null}
      label={t('admin.award-form.on-behalf-of-an-app')}
      description={t('admin.award-form.optional-without-an-app-the-award')}
      data={(apps.data?.data ?? []).map(({ id, app_name }) => ({ value: id, label: app_name }))}
      searchable
      clearable
      nothingFoundMessage={t('admin.award-form.no-approved-app-has-that-name')}
    />
  )
}

type Asked = ReturnType<typeof useConfirmation>['question']

const Question = ({ to, points, ...question }: Asked & { to: string; points: string }) => (
  <Confirm
    {...question}
    title={t('admin.award-form.award-2', { amount: points })}
    action={t('admin.award-form.award-3', { amount: points })}
  >
    <RichText
      k="admin.award-form.gets-this-cannot-be-undone"
      bdi={<bdi>{to}</bdi>}
      strong={<strong>{points}</strong>}
    />
  </Confirm>
)
