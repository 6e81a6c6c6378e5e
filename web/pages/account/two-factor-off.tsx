import { Button, Group, Stack, Text } from '@mantine/core'
import { disableTotp, me } from '../../../contract/accounts.ts'
import { queryKeyOf, queryClient } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { no_proof, ProofFields, showProofError } from './proof-fields.tsx'
import { t } from '../../texts.ts'

/** Asks for both factors, or a passkey, then turns the second one off. */
export const TwoFactorOff = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title={t('account.two-factor-off.turn-two-factor-authentication-off')}>
    <OffForm onClose={onClose} />
  </Modal>
)

function OffForm({ onClose }: { onClose: () => void }) {
  const { form, field, props, sendWith, busy, failure } = useContractForm(disableTotp, {
    ignore_unsaved: true,
    initial: { ...no_proof },
    onDone: async () => {
      onClose()
      notify(t('account.two-factor-off.two-factor-authentication-is-off-its'))
      await queryClient.invalidateQueries({ queryKey: queryKeyOf(me) })
    },
    onError: (error): boolean => showProofError(error, form),
  })
  return (
    <form {...props}>
      <Stack>
        <Text size="sm">{t('account.two-factor-off.after-that-your-password-alone-is')}</Text>
        <FailureNote error={failure} />
        <ProofFields field={field} with_code busy={busy} sendWith={sendWith} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" loading={busy}>
            {t('common.turn-it-off')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
