import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { me, setupTotp } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { NewRecoveryCodes } from './new-recovery-codes.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TwoFactorOff } from './two-factor-off.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'
import { t } from '../../texts.ts'

/** Turns the second factor on, in three steps (scan, verify, save the recovery codes), and off. */
export function TwoFactor({ enabled }: { enabled: boolean }) {
  const [set_up, setSetUp] = useState<AnswerOf<typeof setupTotp>>()
  const [recovery_codes, setRecoveryCodes] = useState<readonly string[]>()
  const begin = useApiMutation(setupTotp, { invalidates: [me], onDone: setSetUp })
  if (recovery_codes) return <RecoveryCodes codes={recovery_codes} onSaved={() => setRecoveryCodes(undefined)} />
  if (enabled) return <Enabled onNewCodes={setRecoveryCodes} />
  if (set_up)
    return (
      <TwoFactorSetup
        {...set_up}
        onCancel={() => setSetUp(undefined)}
        onEnabled={(codes) => {
          setSetUp(undefined)
          setRecoveryCodes(codes)
        }}
      />
    )
  return (
    <>
      <FailureNote error={begin.error} />
      <Text size="sm" mb="md">
        {t('account.two-factor.you-need-an-authenticator-app-such')}
      </Text>
      <Button onClick={() => begin.mutate({})} loading={begin.isPending}>
        {t('account.two-factor.set-up-two-factor-authentication')}
      </Button>
    </>
  )
}

function Enabled({ onNewCodes }: { onNewCodes: (codes: readonly string[]) => void }) {
  const [opened, { open, close }] = useDisclosure()
  const [renewing, { open: renew, close: keep }] = useDisclosure()
  return (
    <>
      <Text size="sm" mb="md">
        {t('account.two-factor.without-your-phone-you-can-sign')}
      </Text>
      <Group>
        <Button variant="default" onClick={open}>
          {t('common.turn-it-off')}
        </Button>
        <Button variant="default" onClick={renew}>
          {t('common.make-new-recovery-codes')}
        </Button>
      </Group>
      <NewRecoveryCodes opened={renewing} onClose={keep} onMade={onNewCodes} />
      <TwoFactorOff opened={opened} onClose={close} />
    </>
  )
}
