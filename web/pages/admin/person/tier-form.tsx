import { TextInput } from '@mantine/core'
import { updateUser } from '../../../../contract/admin.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { Form } from '../../../forms/form.tsx'
import { NumberField } from '../../../forms/number-field.tsx'
import { person_reads, type Person } from './types.ts'
import { t } from '../../../texts.ts'

const required = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? t('common.fill-this-in') : undefined

/** Tier and multiplier of a person, with the reason of the change. */
export function TierForm({ person }: { person: Person }) {
  const contract_form = useContractForm(updateUser, {
    initial: { tier: person.tier, signup_multiplier: person.signup_multiplier as number | string, reason: '' },
    validators: { tier: required, signup_multiplier: required, reason: required },
    changes_only: true,
    toInput: (body) => ({ params: { id: person.id }, body }),
    done: () => t('common.saved'),
    onDone: (_, values) => {
      form.setValues({ ...values, reason: '' })
      form.resetDirty({ ...values, reason: '' })
    },
    invalidates: person_reads,
  })
  const { form, field } = contract_form
  const changed = form.isDirty('tier') || form.isDirty('signup_multiplier')
  return (
    <Form
      form={contract_form}
      gap="sm"
      maw={460}
      action={t('common.save-changes')}
      button={{ flex: 1, variant: 'default', disabled: !changed }}
    >
      <TextInput {...field('tier')} label={t('common.tier')} />
      <NumberField
        {...field('signup_multiplier')}
        label={t('admin.tier-form.sign-up-multiplier')}
        description={t('admin.tier-form.times-the-points-for-each-person')}
      />
      {changed && (
        <TextInput {...field('reason')} label={t('common.reason')} description={t('common.kept-in-the-audit-log')} />
      )}
    </Form>
  )
}
