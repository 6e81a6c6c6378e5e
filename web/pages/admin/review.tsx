import { Group, SegmentedControl, Stack, Tabs } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { app_statuses, scope_request_statuses } from '../../../contract/app-fields.ts'
import { PageHead } from '../../ui/page-parts.tsx'
import { AppQueue } from './app-queue.tsx'
import { ScopeQueue } from './scope-queue.tsx'
import { knownValue } from './search.ts'

export default function Review() {
  const { what, status } = useSearch({ from: '/admin/review' })
  const router = useRouter()
  const show = (search: { what: typeof what; status: typeof status }) =>
    void router.navigate({ to: '/admin/review', search, replace: true, ignoreBlocker: true })
  const scopes = what === 'scopes'
  const changed = what === 'changed'
  const statuses = scopes ? scope_request_statuses : app_statuses
  const all = status === 'all'
  return (
    <>
      <PageHead
        title="Review"
        about="New apps, apps that request more scopes, and apps that changed after they were approved. Every decision is recorded in the audit log."
      />
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Tabs
            value={what ?? 'apps'}
            onChange={(tab) =>
              show({ what: knownValue(['scopes', 'changed'] as const, tab ?? undefined), status: undefined })
            }
            variant="pills"
          >
            <Tabs.List aria-label="What to review">
              <Tabs.Tab value="apps">Apps</Tabs.Tab>
              <Tabs.Tab value="scopes">Scope requests</Tabs.Tab>
              <Tabs.Tab value="changed">Changed since approval</Tabs.Tab>
            </Tabs.List>
          </Tabs>
          {!changed && (
            <SegmentedControl
              size="xs"
              aria-label="Status"
              value={all ? 'all' : (knownValue<string>(statuses, status) ?? 'pending')}
              onChange={(word) => show({ what, status: word === 'pending' ? undefined : word })}
              data={[...statuses.map((word) => ({ value: word, label: labels[word] })), { value: 'all', label: 'All' }]}
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

const labels = { pending: 'Pending', approved: 'Approved', rejected: 'Rejected', denied: 'Denied' }

const statusOf = <Word extends string>(all: boolean, word: Word | undefined) =>
  all ? {} : { status: word ?? ('pending' as const) }
