import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { listPasskeys, setPasskeySecondFactor } from '../../../contract/passkeys.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { notify } from '../../ui/notify.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { contractText, t } from '../../texts.ts'

/** Whether signing in with the password also asks for a passkey. */
export function PasskeySecondFactor({ enabled, totp_enabled }: { enabled: boolean; totp_enabled: boolean }) {
  const [opened, { open, close }] = useDisclosure()
  const [recovery_codes, setRecoveryCodes] = useState<readonly string[]>()
  const label = enabled
    ? t('account.passkey-second-factor.no-longer-ask-for-a-passkey')
    : t('account.passkey-second-factor.ask-for-a-passkey-too')
  if (recovery_codes)
    return (
      <RecoveryCodes
        done={t('account.passkey-second-factor.signing-in-with-your-password-now')}
        lost={t('account.passkey-second-factor.your-passkeys')}
        codes={recovery_codes}
        onSaved={() => setRecoveryCodes(undefined)}
      />
    )
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text fw={550}>{t('account.passkey-second-factor.after-the-password')}</Text>
        {enabled ? (
          <Badge>{t('account.passkey-second-factor.asked-for')}</Badge>
        ) : (
          <Badge color="gray">
            {totp_enabled
              ? t('account.passkey-second-factor.may-be-used')
              : t('account.passkey-second-factor.not-asked-for')}
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {textFor(enabled, totp_enabled)}
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={open}>
          {label}
        </Button>
      </Group>
      <Modal opened={opened} onClose={close} title={label}>
        <ChangeForm enabled={enabled} onClose={close} onCodes={setRecoveryCodes} />
      </Modal>
    </Stack>
  )
}

interface ChangeProps {
  enabled: boolean
  onClose: () => void
  onCodes: (codes: readonly string[]) => void
}

function ChangeForm({ enabled, onClose, onCodes }: ChangeProps) {
  const form = useContractForm(setPasskeySecondFactor, {
    initial: {},
    toInput: () => ({ body: { enabled: !enabled } }),
    onDone: ({ recovery_codes, message }) => {
      onClose()
      if (recovery_codes) onCodes(recovery_codes)
      notify(contractText(message))
    },
    invalidates: [listPasskeys],
  })
  return (
    <Form
      form={form}
      onCancel={onClose}
      action={
        enabled ? t('account.passkey-second-factor.no-longer-ask') : t('account.passkey-second-factor.ask-from-now-on')
      }
    >
      <Text size="sm">
        {enabled
          ? t('account.passkey-second-factor.your-password-is-then-enough-to')
          : t('account.passkey-second-factor.somebody-who-knows-your-password-then')}
      </Text>
    </Form>
  )
}

function textFor(enabled: boolean, totp_enabled: boolean) {
  if (enabled) return t('account.passkey-second-factor.signing-in-with-your-password-asks')
  return totp_enabled
    ? t('account.passkey-second-factor.when-you-sign-in-with-your')
    : t('account.passkey-second-factor.your-password-alone-signs-in-you')
}
