import { Button, Stack, TextInput } from '@mantine/core'
import { updateUser } from '../../../../contract/admin.ts'
import { useRefresh } from '../../../api/refresh.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { NumberField } from '../../../forms/number-field.tsx'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { notify } from '../../../ui/notify.tsx'
import { person_reads, type Person } from './types.ts'
import { t } from '../../../texts.ts'

const required = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? t('common.fill-this-in') : undefined

/** Tier and multiplier of a person, with the reason of the change. */
export function TierForm({ person }: { person: Person }) {
  const refresh = useRefresh(person_reads)
  const { form, field, props, busy, failure } = useContractForm(updateUser, {
    initial: { tier: person.tier, signup_multiplier: person.signup_multiplier as number | string, reason: '' },
    validators: { tier: required, signup_multiplier: required, reason: required },
    changes_only: true,
    toInput: (body) => ({ params: { id: person.id }, body }),
    onDone: (_, values) => {
      form.setValues({ ...values, reason: '' })
      form.resetDirty({ ...values, reason: '' })
      refresh()
      notify(t('common.saved'))
    },
  })
  const changed = form.isDirty('tier') || form.isDirty('signup_multiplier')
  return (
    <form {...props}>
      <Stack gap="sm" maw={460}>
        <FailureNote error={failure} />
        <TextInput {...field('tier')} label={t('common.tier')} />
        <NumberField
          {...field('signup_multiplier')}
          label={t('admin.tier-form.sign-up-multiplier')}
          description={t('admin.tier-form.times-the-points-for-each-person')}
        />
        {changed && (
          <TextInput {...field('reason')} label={t('common.reason')} description={t('common.kept-in-the-audit-log')} />
        )}
        <Button type="submit" variant="default" loading={busy} disabled={!changed}>
          {t('common.save-changes')}
        </Button>
      </Stack>
    </form>
  )
}
