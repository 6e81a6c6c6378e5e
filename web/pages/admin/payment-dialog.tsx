import type { AnswerOf } from '../../api/call.ts'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { adminListDeployments, recordDeploymentPayment } from '../../../contract/admin-deployments.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export type AdminDeployment = AnswerOf<typeof adminListDeployments>['data'][number]

/** Records that a billing cycle was paid. The API refuses when none is due. */
export function PaymentDialog({ deployment, onClose }: { deployment: AdminDeployment; onClose: () => void }) {
  const refresh = useRefresh([adminListDeployments])
  const { id, subdomain, paid_until } = deployment
  const { field, props, busy, failure } = useContractForm(recordDeploymentPayment, {
    initial: { note: '' },
    toInput: (body) => ({ params: { id }, body }),
    onDone: () => {
      refresh()
      notify(t('admin.deployments.the-payment-for-is-recorded', { subdomain }))
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('admin.payment-dialog.record-a-payment-for', { subdomain })}>
      <form {...props}>
        <Stack>
          <Text size="sm">
            <RichText
              k="admin.payment-dialog.the-next-cycle-counts-as-paid"
              time={<RelativeTime at={paid_until} never={t('common.nothing')} />}
            />
          </Text>
          <FailureNote error={failure} />
          <TextInput
            {...field('note')}
            label={t('common.note')}
            description={t('admin.payment-dialog.such-as-the-id-of-the')}
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('admin.payment-dialog.record-it')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
