import { Button, Group, Stack, Text } from '@mantine/core'
import { renewRecoveryCodes } from '../../../contract/account-upkeep.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { no_proof, ProofFields, showProofError } from './proof-fields.tsx'
import { t } from '../../texts.ts'

interface NewRecoveryCodesProps {
  opened: boolean
  onClose: () => void
  onMade: (codes: readonly string[]) => void
}

/** Asks for both factors, then makes new recovery codes. */
export const NewRecoveryCodes = ({ opened, onClose, onMade }: NewRecoveryCodesProps) => (
  <Modal opened={opened} onClose={onClose} title={t('common.make-new-recovery-codes')}>
    <CodesForm onClose={onClose} onMade={onMade} />
  </Modal>
)

function CodesForm({ onClose, onMade }: Omit<NewRecoveryCodesProps, 'opened'>) {
  const { form, field, props, sendWith, busy, failure } = useContractForm(renewRecoveryCodes, {
    ignore_unsaved: true,
    initial: { ...no_proof },
    onDone: ({ recovery_codes }) => {
      onClose()
      onMade(recovery_codes)
    },
    onError: (error): boolean => showProofError(error, form),
  })
  return (
    <form {...props}>
      <Stack>
        <Text size="sm">{t('account.new-recovery-codes.the-codes-that-you-have-now')}</Text>
        <FailureNote error={failure} />
        <ProofFields field={field} with_code busy={busy} sendWith={sendWith} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('account.new-recovery-codes.make-new-codes')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
