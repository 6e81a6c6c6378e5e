import { adminGetApp, adminListApps, setPayoutLimit } from '../../../contract/admin-apps.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'
import type { AdminApp } from './app-changes.tsx'
import { ReasonField } from './decision-dialogs.tsx'

/** The form that limits an app's payouts in 24 hours (D-132). */
export default function PayoutLimitDialog({ app, onClose }: { app: AdminApp; onClose: () => void }) {
  const form = useContractForm(setPayoutLimit, {
    initial: { payout_limit: (app.payout_limit ?? '') as number | string, reason: '' },
    toInput: (body) => ({ params: { id: app.id }, body: { ...body, payout_limit: body.payout_limit ?? null } }),
    onDone: (answer) => {
      onClose()
      notify(t('review' in answer ? 'admin.second-person.waits' : 'admin.payout-limit.the-limit-is-set'))
    },
    invalidates: [adminGetApp, adminListApps, listAudit],
  })
  return (
    <FormDialog form={form} onClose={onClose} title={t('admin.payout-limit.payout-limit')} action={t('common.save')}>
      <NumberField
        {...form.field('payout_limit')}
        required={false}
        label={t('common.points-in-24-hours')}
        description={t('admin.payout-limit.empty-for-the-limit-of')}
        data-autofocus
      />
      <ReasonField {...form.field('reason')} />
    </FormDialog>
  )
}
