import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { disableTotp, me } from '../../../contract/accounts.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, queryClient } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'

/** Asks for both factors, then turns the second one off. */
export const TwoFactorOff = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title="Turn two-factor authentication off">
    <OffForm onClose={onClose} />
  </Modal>
)

function OffForm({ onClose }: { onClose: () => void }) {
  const { form, field, props, busy, failure } = useContractForm(disableTotp, {
    ignore_unsaved: true,
    initial: { password: '', totp_code: '' },
    onDone: async () => {
      onClose()
      notify('Two-factor authentication is off. Its recovery codes no longer work.')
      await queryClient.invalidateQueries({ queryKey: queryKeyOf(me) })
    },
    onError: (error) => {
      const name = isApiError(error, 'invalid_credentials')
        ? 'password'
        : isApiError(error, 'invalid_code')
          ? 'totp_code'
          : undefined
      if (!name) return false
      form.setFieldError(name, name === 'password' ? error.message : 'This code is wrong or was used already.')
      form.getInputNode(name)?.focus()
      return true
    },
  })
  return (
    <form {...props}>
      <Stack>
        <Text size="sm">After that, your password alone is enough to sign in.</Text>
        <FailureNote error={failure} />
        <PasswordInput
          {...field('password')}
          label="Password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          data-autofocus
        />
        <TextInput
          {...field('totp_code')}
          label="Two-factor code"
          description="From your authenticator app, or a recovery code."
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={busy}>
            Turn it off
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
