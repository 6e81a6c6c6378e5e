import { Group, SegmentedControl, Stack } from '@mantine/core'
import { app_statuses, scope_request_statuses } from '../../../contract/app-fields.ts'
import { PageHead } from '../../ui/page-parts.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { AppQueue } from './app-queue.tsx'
import { ScopeQueue } from './scope-queue.tsx'
import { knownValue } from './search.ts'
import { t } from '../../texts.ts'

export default function Review() {
  const [{ what, status }] = useUrlState('/admin/review')
  const all = status === 'all'
  return (
    <>
      <PageHead title={t('common.review')} about={t('admin.review.new-apps-apps-that-request-more')} />
      <PageTabs
        label={t('admin.review.what-to-review')}
        title={t('common.review')}
        param="what"
        tab={what}
        tabs={{
          apps: [
            t('common.apps'),
            () => (
              <Stack gap="sm">
                <StatusFilter statuses={app_statuses} />
                <AppQueue {...statusOf(all, knownValue(app_statuses, status))} />
              </Stack>
            ),
          ],
          scopes: [
            t('common.scope-requests'),
            () => (
              <Stack gap="sm">
                <StatusFilter statuses={scope_request_statuses} />
                <ScopeQueue {...statusOf(all, knownValue(scope_request_statuses, status))} />
              </Stack>
            ),
          ],
          changed: [t('common.changed-since-approval'), () => <AppQueue changed />],
        }}
      />
    </>
  )
}

function StatusFilter({ statuses }: { statuses: readonly (keyof ReturnType<typeof labels>)[] }) {
  const [{ status }, change] = useUrlState('/admin/review')
  return (
    <Group>
      <SegmentedControl
        size="xs"
        aria-label={t('common.status')}
        value={status === 'all' ? status : (knownValue<string>(statuses, status) ?? 'pending')}
        onChange={(word) => change({ status: word === 'pending' ? undefined : word })}
        data={[
          ...statuses.map((word) => ({ value: word, label: labels()[word] })),
          { value: 'all', label: t('common.all') },
        ]}
      />
    </Group>
  )
}

const labels = () => ({
  pending: t('common.pending'),
  approved: t('common.approved'),
  rejected: t('common.rejected'),
  denied: t('common.denied'),
})

const statusOf = <Word extends string>(all: boolean, word: Word | undefined) =>
  all ? {} : { status: word ?? ('pending' as const) }
