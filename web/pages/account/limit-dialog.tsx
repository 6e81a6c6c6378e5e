import { Button, Group, NumberInput, Stack } from '@mantine/core'
import { listConnectedApps, setDailyLimit } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'

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
      notify(daily_limit === null ? 'The limit is removed.' : `At most ${formatPoints(daily_limit)} in 24 hours.`)
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          Daily limit of <bdi>{app.app_name}</bdi>
        </>
      }
      dirty={form.isDirty()}
      busy={busy}
    >
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          <NumberInput
            {...field('daily_limit')}
            required={false}
            label="Points in 24 hours"
            description="What the app spends, sends or holds counts. Empty: no limit. 0: it may spend nothing."
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            inputMode="numeric"
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
