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

/** Whether signing in with the password asks for a passkey too. */
export function PasskeySecondFactor({ enabled, totp_enabled }: { enabled: boolean; totp_enabled: boolean }) {
  const [opened, { open, close }] = useDisclosure()
  const [recovery_codes, setRecoveryCodes] = useState<readonly string[]>()
  async function change(proof: Proof) {
    const answer = await callApi(setPasskeySecondFactor, { body: { enabled: !enabled, ...proof } })
    close()
    if (answer.recovery_codes) setRecoveryCodes(answer.recovery_codes)
    notify(answer.message)
    await queryClient.invalidateQueries({ queryKey: queryKeyOf(listPasskeys) })
  }
  if (recovery_codes)
    return (
      <RecoveryCodes
        done="Signing in with your password now asks for a passkey too."
        lost="your passkeys"
        codes={recovery_codes}
        onSaved={() => setRecoveryCodes(undefined)}
      />
    )
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text fw={550}>After the password</Text>
        {enabled ? (
          <Badge>Asked for</Badge>
        ) : (
          <Badge color="gray">{totp_enabled ? 'May be used' : 'Not asked for'}</Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {textFor(enabled, totp_enabled)}
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={open}>
          {enabled ? 'No longer ask for a passkey' : 'Ask for a passkey too'}
        </Button>
      </Group>
      <Modal opened={opened} onClose={close} title={enabled ? 'No longer ask for a passkey' : 'Ask for a passkey too'}>
        <ProofForm
          action={enabled ? 'No longer ask' : 'Ask from now on'}
          needs_code={enabled || totp_enabled}
          can_use_passkey
          send={change}
          onCancel={close}
        >
          <Text size="sm">
            {enabled
              ? 'Your password is then enough to sign in, unless you have an authenticator app.'
              : 'Whoever knows your password then still needs one of your passkeys, or a recovery code.'}
          </Text>
        </ProofForm>
      </Modal>
    </Stack>
  )
}

function textFor(enabled: boolean, totp_enabled: boolean) {
  if (enabled)
    return 'Signing in with your password asks for a passkey too. Without it you can use one of your recovery codes.'
  return totp_enabled
    ? 'When you sign in with your password, a passkey may stand in for the code of your authenticator app.'
    : 'Your password alone signs in. You can have it ask for a passkey too.'
}
