import type { AnswerOf } from '../../api/call.ts'
import { Text, TextInput } from '@mantine/core'
import { adminListDeployments, recordDeploymentPayment } from '../../../contract/admin-deployments.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export type AdminDeployment = AnswerOf<typeof adminListDeployments>['data'][number]

/** Records that a billing cycle was paid. The API refuses when none is due. */
export function PaymentDialog({ deployment, onClose }: { deployment: AdminDeployment; onClose: () => void }) {
  const { id, subdomain, paid_until } = deployment
  const form = useContractForm(recordDeploymentPayment, {
    initial: { note: '' },
    toInput: (body) => ({ params: { id }, body }),
    done: () => t('admin.deployments.the-payment-for-is-recorded', { subdomain }),
    onDone: onClose,
    invalidates: [adminListDeployments],
  })
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('admin.payment-dialog.record-a-payment-for', { subdomain })}
      intro={
        <Text size="sm">
          <RichText
            k="admin.payment-dialog.the-next-cycle-counts-as-paid"
            time={<RelativeTime at={paid_until} never={t('common.nothing')} />}
          />
        </Text>
      }
      action={t('admin.payment-dialog.record-it')}
    >
      <TextInput
        {...form.field('note')}
        label={t('common.note')}
        description={t('admin.payment-dialog.such-as-the-id-of-the')}
        data-autofocus
      />
    </FormDialog>
  )
}
