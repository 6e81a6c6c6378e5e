import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { disableTotp, me } from '../../../contract/accounts.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, queryClient } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'

/** Asks for both factors, then turns the second one off. */
export const TwoFactorOff = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title={t('account.two-factor-off.turn-two-factor-authentication-off')}>
    <OffForm onClose={onClose} />
  </Modal>
)

function OffForm({ onClose }: { onClose: () => void }) {
  const { form, field, props, busy, failure } = useContractForm(disableTotp, {
    ignore_unsaved: true,
    initial: { password: '', totp_code: '' },
    onDone: async () => {
      onClose()
      notify(t('account.two-factor-off.two-factor-authentication-is-off-its'))
      await queryClient.invalidateQueries({ queryKey: queryKeyOf(me) })
    },
    onError: (error) => {
      const name = isApiError(error, 'invalid_credentials')
        ? 'password'
        : isApiError(error, 'invalid_code')
          ? 'totp_code'
          : undefined
      if (!name) return false
      form.setFieldError(
        name,
        name === 'password' ? error.message : t('account.two-factor-off.this-code-is-wrong-or-was'),
      )
      form.getInputNode(name)?.focus()
      return true
    },
  })
  return (
    <form {...props}>
      <Stack>
        <Text size="sm">{t('account.two-factor-off.after-that-your-password-alone-is')}</Text>
        <FailureNote error={failure} />
        <PasswordInput
          {...field('password')}
          label={t('common.password')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t('account.two-factor-off.show-the-password') }}
          data-autofocus
        />
        <TextInput
          {...field('totp_code')}
          label={t('common.two-factor-code')}
          description={t('account.two-factor-off.from-your-authenticator-app-or-a')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" loading={busy}>
            {t('account.two-factor-off.turn-it-off')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
