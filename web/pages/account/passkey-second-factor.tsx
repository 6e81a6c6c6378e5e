import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { listPasskeys, setPasskeySecondFactor } from '../../../contract/passkeys.ts'
import { callApi } from '../../api/call.ts'
import { queryClient, queryKeyOf } from '../../api/hooks.ts'
import { Modal } from '../../ui/dialog.tsx'
import { notify } from '../../ui/notify.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { ProofForm, type Proof } from './proof-form.tsx'
import { contractText, t } from '../../texts.ts'

/** Whether signing in with the password asks for a passkey too. */
export function PasskeySecondFactor({ enabled, totp_enabled }: { enabled: boolean; totp_enabled: boolean }) {
  const [opened, { open, close }] = useDisclosure()
  const [recovery_codes, setRecoveryCodes] = useState<readonly string[]>()
  async function change(proof: Proof) {
    const answer = await callApi(setPasskeySecondFactor, { body: { enabled: !enabled, ...proof } })
    close()
    if (answer.recovery_codes) setRecoveryCodes(answer.recovery_codes)
    notify(contractText(answer.message))
    await queryClient.invalidateQueries({ queryKey: queryKeyOf(listPasskeys) })
  }
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
          {enabled
            ? t('account.passkey-second-factor.no-longer-ask-for-a-passkey')
            : t('account.passkey-second-factor.ask-for-a-passkey-too')}
        </Button>
      </Group>
      <Modal
        opened={opened}
        onClose={close}
        title={
          enabled
            ? t('account.passkey-second-factor.no-longer-ask-for-a-passkey')
            : t('account.passkey-second-factor.ask-for-a-passkey-too')
        }
      >
        <ProofForm
          action={
            enabled
              ? t('account.passkey-second-factor.no-longer-ask')
              : t('account.passkey-second-factor.ask-from-now-on')
          }
          needs_code={enabled || totp_enabled}
          can_use_passkey
          send={change}
          onCancel={close}
        >
          <Text size="sm">
            {enabled
              ? t('account.passkey-second-factor.your-password-is-then-enough-to')
              : t('account.passkey-second-factor.somebody-who-knows-your-password-then')}
          </Text>
        </ProofForm>
      </Modal>
    </Stack>
  )
}

function textFor(enabled: boolean, totp_enabled: boolean) {
  if (enabled) return t('account.passkey-second-factor.signing-in-with-your-password-asks')
  return totp_enabled
    ? t('account.passkey-second-factor.when-you-sign-in-with-your')
    : t('account.passkey-second-factor.your-password-alone-signs-in-you')
}
