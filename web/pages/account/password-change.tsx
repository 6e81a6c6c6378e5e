import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { changePassword, listLoginSessions } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, queryClient } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { replaceToken } from '../../session/session.ts'
import { NewPasswordInput } from '../../forms/new-password-input.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { PasskeyButton, useCanUsePasskey } from './proof-fields.tsx'
import { t } from '../../texts.ts'

const { password_min } = decisions.passwords

/** Changes the password. All other sessions end; this one continues with a new token. */
export function PasswordChange({ email }: { email: string }) {
  const can_use_passkey = useCanUsePasskey()
  const { form, field, props, sendWith, busy, failure } = useContractForm(changePassword, {
    ignore_unsaved: true,
    initial: { current_password: '', new_password: '' },
    validators: {
      current_password: (value) => (value === '' && !can_use_passkey ? t('common.fill-this-in') : undefined),
      new_password: (value, { current_password }) =>
        value === current_password ? t('account.password-change.this-is-the-password-that-you') : undefined,
    },
    onDone: async ({ token }) => {
      replaceToken(token)
      form.reset()
      notify(t('account.password-change.your-password-is-changed-all-other'))
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
          required={!can_use_passkey}
          label={t('account.password-change.current-password')}
          description={can_use_passkey && t('account.proof-form.or-use-a-passkey-below')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t('account.password-change.show-the-current-password') }}
        />
        <NewPasswordInput
          {...field('new_password')}
          label={t('common.new-password')}
          description={t('account.password-change.at-least-characters-a-few-words', { password_min })}
          visibilityToggleButtonProps={{ 'aria-label': t('account.password-change.show-the-new-password') }}
        />
        <Text size="sm" c="dimmed">
          {t('account.password-change.you-stay-signed-in-here-and')}
        </Text>
        <Group>
          <Button type="submit" loading={busy}>
            {t('account.password-change.change-the-password')}
          </Button>
          {can_use_passkey && <PasskeyButton busy={busy} sendWith={sendWith} />}
        </Group>
      </Stack>
    </form>
  )
}
