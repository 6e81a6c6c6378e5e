import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { changePassword, listLoginSessions } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, queryClient } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { replaceToken } from '../../session/session.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'

const { password_min } = decisions['D-13'].value

/** Changes the password. All other sessions end; this one continues with a new token. */
export function PasswordChange({ email }: { email: string }) {
  const { form, field, props, busy, failure } = useContractForm(changePassword, {
    ignore_unsaved: true,
    initial: { current_password: '', new_password: '' },
    validators: {
      new_password: (value, { current_password }) =>
        value === current_password ? 'This is the password that you have now.' : undefined,
    },
    onDone: async ({ token }) => {
      replaceToken(token)
      form.reset()
      notify('Your password is changed. All other sign-ins are ended.')
      await queryClient.invalidateQueries({ queryKey: queryKeyOf(listLoginSessions) })
    },
    onError: (error) => {
      if (!isApiError(error, 'invalid_credentials')) return false
      form.setFieldError('current_password', error.message)
      form.getInputNode('current_password')?.focus()
      return true
    },
  })
  return (
    <form {...props}>
      <Stack maw={420}>
        <FailureNote error={failure} />
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          {...field('current_password')}
          label="Current password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
        />
        <PasswordInput
          {...field('new_password')}
          label="New password"
          description={`At least ${password_min} characters. A few words that only you put together are best.`}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
        />
        <Text size="sm" c="dimmed">
          You stay signed in here and are signed out everywhere else. Connected apps keep their access.
        </Text>
        <Group>
          <Button type="submit" loading={busy}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
