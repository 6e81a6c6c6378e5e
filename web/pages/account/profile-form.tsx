import { TextInput } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { updateProfile } from '../../../contract/profiles.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { notify } from '../../ui/notify.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'

/** The name shown next to the username, and the time zone, which defaults to the browser's. */
export function ProfileForm({ user }: { user: AnswerOf<typeof me>['user'] }) {
  const own_zone = user.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const form = useContractForm(updateProfile, {
    ignore_unsaved: 'by_leaving',
    initial: {
      display_name: user.display_name ?? '',
      time_zone: own_zone,
    },
    onDone: () => void notify(t('account.profile-form.saved')),
    invalidates: [me],
  })
  return (
    <Form form={form} maw={460} action={t('common.save')}>
      <TextInput
        {...form.field('display_name')}
        label={t('common.display-name')}
        description={t('account.profile-form.display-name-about')}
        autoComplete="name"
      />
      <Select
        {...form.field('time_zone')}
        label={t('account.profile-form.time-zone')}
        description={t('account.profile-form.time-zone-about')}
        data={[...new Set([own_zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
        searchable
        allowDeselect={false}
        limit={20}
      />
    </Form>
  )
}
