import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { renewRecoveryCodes } from '../../../contract/account-upkeep.ts'
import { disableTotp, me, setupTotp } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'
import { t } from '../../texts.ts'

/** Turns the second factor on, in three steps (scan, verify, save the recovery codes), and off. */
export default function TwoFactor({ enabled }: { enabled: boolean }) {
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
      <Modal opened={renewing} onClose={keep} title={t('common.make-new-recovery-codes')}>
        <NewCodesForm onClose={keep} onMade={onNewCodes} />
      </Modal>
      <Modal opened={opened} onClose={close} title={t('account.two-factor-off.turn-two-factor-authentication-off')}>
        <OffForm onClose={close} />
      </Modal>
    </>
  )
}

/** Turns the second factor off. */
function OffForm({ onClose }: { onClose: () => void }) {
  const form = useContractForm(disableTotp, {
    initial: {},
    onDone: () => {
      onClose()
      notify(t('account.two-factor-off.two-factor-authentication-is-off-its'))
    },
    invalidates: [me],
  })
  return (
    <Form
      form={form}
      intro={<Text size="sm">{t('account.two-factor-off.after-that-your-password-alone-is')}</Text>}
      action={t('common.turn-it-off')}
      button={{ color: 'red' }}
      onCancel={onClose}
    />
  )
}

/** Makes new recovery codes. */
function NewCodesForm({ onClose, onMade }: { onClose: () => void; onMade: (codes: readonly string[]) => void }) {
  const form = useContractForm(renewRecoveryCodes, {
    initial: {},
    onDone: ({ recovery_codes }) => {
      onClose()
      onMade(recovery_codes)
    },
  })
  return (
    <Form
      form={form}
      intro={<Text size="sm">{t('account.new-recovery-codes.the-codes-that-you-have-now')}</Text>}
      action={t('account.new-recovery-codes.make-new-codes')}
      onCancel={onClose}
    />
  )
}
