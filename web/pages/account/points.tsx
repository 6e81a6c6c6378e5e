import { Group, Select, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { me } from '../../../contract/accounts.ts'
import { myPointsHistory } from '../../../contract/points.ts'
import { usePagedQuery, useApiQuery } from '../../api/hooks.ts'
import { Statistics } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link } from '../../ui/link.tsx'
import { LoadMore, EmptyState, PageHead, QueryResult, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { ExportButton } from './export-button.tsx'
import { filterOf, kind_names, kinds, type Filter } from './movements.ts'
import { MovementTable } from './movement-table.tsx'

const PointsChart = lazyComponent(() => import('./points-chart.tsx'))

export default function Points() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead title="Points" about="Your balance and its full history." />
      <Stack gap="lg">
        <Section>
          <QueryResult query={profile} rows={2}>
            {({ user: { points, stats } }) => (
              <Statistics
                items={[
                  ['Balance', formatNumber(points)],
                  ['Earned in all', formatNumber(stats.total_earned)],
                  ['Spent in all', formatNumber(stats.total_spent)],
                ]}
              />
            )}
          </QueryResult>
        </Section>
        <Suspense fallback={<Skeleton h={308} />}>
          <PointsChart />
        </Suspense>
        <History />
      </Stack>
    </>
  )
}

function History() {
  const filter = filterOf(useSearch({ from: '/points' }))
  const list = usePagedQuery(myPointsHistory, { query: filter })
  const is_filtered = Object.keys(filter).length > 0
  return (
    <Section title="History" actions={<ExportButton filter={filter} disabled={list.rows.length === 0} />}>
      <FilterBar filter={filter} />
      {list.error && !list.data ? (
        <FailureNote error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <LoadingSkeleton rows={6} />
      ) : list.rows.length === 0 ? (
        <Empty is_filtered={is_filtered} />
      ) : (
        <>
          <MovementTable movements={list.rows} />
          <LoadMore query={list} />
          <Text size="sm" c="dimmed" mt="md" ta="center" role="status">
            {list.hasNextPage
              ? `The newest ${formatNumber(list.rows.length)} are shown.`
              : `${formatNumber(list.rows.length)} in all.`}
          </Text>
        </>
      )}
    </Section>
  )
}

function FilterBar({ filter }: { filter: Filter }) {
  const router = useRouter()
  const change = (next: Filter) => {
    void router.navigate({ to: '/points', search: next, replace: true, resetScroll: false })
  }
  const { kind, direction } = filter
  return (
    <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filter">
      <SegmentedControl
        size="sm"
        aria-label="Direction"
        value={direction ?? 'all'}
        data={[
          { value: 'all', label: 'All' },
          { value: 'in', label: 'In' },
          { value: 'out', label: 'Out' },
        ]}
        onChange={(value) => change({ ...(kind && { kind }), ...filterOf({ direction: value }) })}
      />
      <Select
        size="sm"
        w={200}
        aria-label="Kind"
        placeholder="Every kind"
        clearable
        clearButtonProps={{ 'aria-label': 'Every kind' }}
        value={kind ?? null}
        data={kinds.map((value) => ({ value, label: kind_names[value] }))}
        onChange={(value) => change({ ...filterOf({ kind: value }), ...(direction && { direction }) })}
      />
    </Group>
  )
}

const Empty = ({ is_filtered }: { is_filtered: boolean }) =>
  is_filtered ? (
    <EmptyState icon="coins" title="Nothing matches the filter">
      <Link to="/points">Show every movement</Link>
    </EmptyState>
  ) : (
    <EmptyState icon="coins" title="No points have moved yet">
      Earn your first ones by <Link to="/learning">learning</Link>, or let a friend send you some.
    </EmptyState>
  )
