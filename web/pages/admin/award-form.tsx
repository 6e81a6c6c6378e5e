import { Button, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { adminListApps, adminListUsers, awardPoints, listAudit } from '../../../contract/admin.ts'
import { useQueryOf } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { points } from '../../ui/when.tsx'
import { useRefresh } from './refresh.ts'
import { UserPicker } from './user-picker.tsx'

/** Awards points; with a `user`, to that one. */
export function AwardForm({ user }: { user?: { id: string; username: string } }) {
  const refresh = useRefresh([adminListUsers, listAudit])
  const apps = useQueryOf(adminListApps, { query: { status: 'approved', limit: 100 } })
  const { form, field, submit, busy, failure } = useContractForm(awardPoints, {
    initial: { user_id: user?.id ?? '', amount: '' as number | string, description: '', app_id: '' },
    onDone: (answer, { amount }) => {
      refresh()
      form.setValues({ amount: '', description: '' })
      form.resetDirty()
      notify(`${points(Number(amount))} awarded. The balance is ${points(answer.points)} now.`)
    },
  })
  const amount = Number(form.values.amount)
  return (
    <form onSubmit={submit} noValidate>
      <Stack maw={460}>
        <FailureNote error={failure} />
        {!user && (
          <UserPicker
            {...field('user_id')}
            label="User"
            description="The beginning of a username or e-mail address, or an id"
            clearable
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
        <TextInput {...field('description')} label="What for" description="The user reads it beside the points." />
        <Select
          {...field('app_id')}
          value={form.values.app_id || null}
          label="On behalf of an app"
          description="Without one the award is the platform’s. The newest hundred approved apps can be chosen."
          data={(apps.data?.data ?? []).map(({ id, app_name }) => ({ value: id, label: app_name }))}
          searchable
          clearable
          nothingFoundMessage="No approved app has that name."
        />
        <Button type="submit" loading={busy}>
          {amount > 0 ? `Award ${points(amount)}${user ? ` to ${user.username}` : ''}` : 'Award points'}
        </Button>
      </Stack>
    </form>
  )
}
