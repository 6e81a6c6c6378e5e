import { Button, Group, Stack } from '@mantine/core'
import { listConnectedApps, setDailyLimit } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type App = Pick<AnswerOf<typeof listConnectedApps>['connected_apps'][number], 'app_id' | 'app_name' | 'daily_limit'>

/** The form in which a person bounds what an app may spend in 24 hours. */
export default function LimitDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const refresh = useRefresh([listConnectedApps])
  const { form, field, props, busy, failure } = useContractForm(setDailyLimit, {
    initial: { daily_limit: (app.daily_limit ?? '') as number | string },
    toInput: ({ daily_limit }) => ({ params: { app_id: app.app_id }, body: { daily_limit: daily_limit ?? null } }),
    onDone: ({ daily_limit }) => {
      refresh()
      onClose()
      notify(
        daily_limit === null
          ? t('account.limit-dialog.the-limit-is-removed')
          : t('account.limit-dialog.at-most-in-24-hours', { daily_limit: formatPoints(daily_limit) }),
      )
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          <RichText k="account.limit-dialog.daily-limit-of" bdi={<bdi>{app.app_name}</bdi>} />
        </>
      }
      dirty={form.isDirty()}
      busy={busy}
    >
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          <NumberField
            {...field('daily_limit')}
            required={false}
            label={t('account.limit-dialog.points-in-24-hours')}
            description={t('account.limit-dialog.what-the-app-spends-sends-or')}
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
