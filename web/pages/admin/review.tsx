import { Group, SegmentedControl, Stack, Tabs } from '@mantine/core'
import { app_statuses, scope_request_statuses } from '../../../contract/app-fields.ts'
import { PageHead } from '../../ui/page-parts.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { AppQueue } from './app-queue.tsx'
import { ScopeQueue } from './scope-queue.tsx'
import { knownValue } from './search.ts'
import { t } from '../../texts.ts'

export default function Review() {
  const [{ what, status }, change] = useUrlState('/admin/review')
  const scopes = what === 'scopes'
  const changed = what === 'changed'
  const statuses = scopes ? scope_request_statuses : app_statuses
  const all = status === 'all'
  return (
    <>
      <PageHead title={t('common.review')} about={t('admin.review.new-apps-apps-that-request-more')} />
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Tabs
            value={what ?? 'apps'}
            onChange={(tab) =>
              change({ what: knownValue(['scopes', 'changed'] as const, tab ?? undefined), status: undefined })
            }
          >
            <Tabs.List aria-label={t('admin.review.what-to-review')}>
              <Tabs.Tab value="apps">{t('common.apps')}</Tabs.Tab>
              <Tabs.Tab value="scopes">{t('common.scope-requests')}</Tabs.Tab>
              <Tabs.Tab value="changed">{t('common.changed-since-approval')}</Tabs.Tab>
            </Tabs.List>
          </Tabs>
          {!changed && (
            <SegmentedControl
              size="xs"
              aria-label={t('common.status')}
              value={all ? 'all' : (knownValue<string>(statuses, status) ?? 'pending')}
              onChange={(word) => change({ status: word === 'pending' ? undefined : word })}
              data={[
                ...statuses.map((word) => ({ value: word, label: labels()[word] })),
                { value: 'all', label: t('common.all') },
              ]}
            />
          )}
        </Group>
        {changed ? (
          <AppQueue changed />
        ) : scopes ? (
          <ScopeQueue {...statusOf(all, knownValue(scope_request_statuses, status))} />
        ) : (
          <AppQueue {...statusOf(all, knownValue(app_statuses, status))} />
        )}
      </Stack>
    </>
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
