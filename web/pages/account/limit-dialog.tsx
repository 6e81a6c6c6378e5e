import { listConnectedApps, setDailyLimit } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type App = Pick<AnswerOf<typeof listConnectedApps>['connected_apps'][number], 'app_id' | 'app_name' | 'daily_limit'>

/** The form that limits an app's spending in 24 hours. */
export default function LimitDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const form = useContractForm(setDailyLimit, {
    initial: { daily_limit: (app.daily_limit ?? '') as number | string },
    toInput: ({ daily_limit }) => ({ params: { app_id: app.app_id }, body: { daily_limit: daily_limit ?? null } }),
    onDone: ({ daily_limit }) => {
      onClose()
      notify(
        daily_limit === null
          ? t('account.limit-dialog.the-limit-is-removed')
          : t('account.limit-dialog.at-most-in-24-hours', { daily_limit: formatPoints(daily_limit) }),
      )
    },
    invalidates: [listConnectedApps],
  })
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={<RichText k="account.limit-dialog.daily-limit-of" bdi={<bdi>{app.app_name}</bdi>} />}
      action={t('common.save')}
    >
      <NumberField
        {...form.field('daily_limit')}
        required={false}
        label={t('common.points-in-24-hours')}
        description={t('account.limit-dialog.what-the-app-spends-sends-or')}
        data-autofocus
      />
    </FormDialog>
  )
}
