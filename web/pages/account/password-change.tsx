import { Text } from '@mantine/core'
import { changePassword, listLoginSessions } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { replaceToken } from '../../session/session.ts'
import { NewPasswordInput } from '../../forms/new-password-input.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'

const { password_min } = decisions.passwords

/** Changes the password. All other sessions end; this one continues with a new token. */
export default function PasswordChange({ email }: { email: string }) {
  const form = useContractForm(changePassword, {
    ignore_unsaved: true,
    initial: { new_password: '' },
    onDone: ({ token }) => {
      replaceToken(token)
      form.form.reset()
      notify(t('account.password-change.your-password-is-changed-all-other'))
    },
    invalidates: [listLoginSessions],
  })
  return (
    <Form form={form} maw={420} action={t('account.password-change.change-the-password')}>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordInput
        {...form.field('new_password')}
        label={t('common.new-password')}
        description={t('account.password-change.at-least-characters-a-few-words', { password_min })}
        visibilityToggleButtonProps={{ 'aria-label': t('account.password-change.show-the-new-password') }}
      />
      <Text size="sm" c="dimmed">
        {t('account.password-change.you-stay-signed-in-here-and')}
      </Text>
    </Form>
  )
}
