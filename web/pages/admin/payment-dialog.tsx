import type { adminListDeployments } from '../../../contract/admin-deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { recordDeploymentPayment } from '../../../contract/admin-deployments.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { RelativeTime } from '../../ui/format.tsx'

export type AdminDeployment = AnswerOf<typeof adminListDeployments>['data'][number]

interface PaymentDialogProps {
  deployment: AdminDeployment
  onDone: () => void
  onClose: () => void
}

/** Records that a billing cycle was paid. The API refuses when none is due. */
export function PaymentDialog({ deployment, onDone, onClose }: PaymentDialogProps) {
  const { id, subdomain, paid_until } = deployment
  const { field, props, busy, failure } = useContractForm(recordDeploymentPayment, {
    initial: { note: '' },
    toInput: (body) => ({ params: { id }, body }),
    onDone: () => {
      onDone()
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={`Record a payment for ${subdomain}`}>
      <form {...props}>
        <Stack>
          <Text size="sm">
            The next cycle counts as paid. So far it is paid until <RelativeTime at={paid_until} never="nothing" />.
            This cannot be undone.
          </Text>
          <FailureNote error={failure} />
          <TextInput
            {...field('note')}
            label="Note"
            description="Such as the id of the transaction. Kept in the audit log."
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Record it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
