import { Paper, SegmentedControl, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAnalytics } from '../../../contract/operators.ts'
import { getAppBalance, myPointsHistory } from '../../../contract/points.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Chart, RowDetail } from '../../ui/chart.tsx'
import { DataTable, textColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { EmptyState, QueryResult, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { callAsApp, useAppQuery, type MyApp } from './access.ts'
import { AccessGate, AccessNote } from './access-gate.tsx'
import { barsOf, ranges, windowsOf } from './activity-windows.ts'
import { t } from '../../texts.ts'

export default function AppFigures({ app }: { app: MyApp }) {
  return (
    <AccessGate app={app} scope="app:balance:read" what={t('build.app-figures.see-its-figures')}>
      <Stack>
        <AccessNote app_id={app.id} />
        <Tiles app={app} />
        <Activity app_id={app.id} />
        <OwnMovements app_id={app.id} />
      </Stack>
    </AccessGate>
  )
}

const Tile = ({ label, value, about }: { label: string; value: string; about: string }) => (
  <Paper withBorder p="md" bg="var(--plaza-card)">
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fz="1.5rem" fw={650} className="number" lh={1.3}>
      {value}
    </Text>
    <Text size="xs" c="dimmed">
      {about}
    </Text>
  </Paper>
)

/**
 * The API counts every user who ever connected (D-49). The owner is one of them: this page reads the figures with a grant
 * of the owner.
 */
const otherUsers = (total: number | undefined) => (total === undefined ? undefined : Math.max(0, total - 1))

function Tiles({ app }: { app: MyApp }) {
  const balance = useAppQuery(app.id, getAppBalance, {})
  const analytics = useAppQuery(app.id, getAnalytics, {})
  const { total_users, total_spends, total_awards, window_days } = analytics.data?.analytics ?? {}
  const last = window_days === undefined ? 'reading…' : t('build.app-figures.in-the-last-days', { window_days })
  const shown = (amount: number | undefined) => (amount === undefined ? '…' : formatNumber(amount))
  return (
    <Stack>
      <FailureNote error={balance.error ?? analytics.error} onRetry={() => void balance.refetch()} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Tile
          label={t('common.balance')}
          value={shown(balance.data?.points)}
          about={t('build.app-figures.points-that-people-spent-in-the')}
        />
        <Tile
          label={t('common.users')}
          value={shown(otherUsers(total_users))}
          about={t('build.app-figures.besides-you-ever-connected-left-or')}
        />
        <Tile label={t('build.app-figures.spends')} value={shown(total_spends)} about={last} />
        <Tile label={t('build.app-figures.awards')} value={shown(total_awards)} about={last} />
      </SimpleGrid>
    </Stack>
  )
}

/** Reads the totals of growing windows; a bar is the difference between two consecutive windows. */
function useActivity(app_id: string, days: number) {
  return useQuery({
    queryKey: [t('common.as-app'), app_id, 'activity', days],
    queryFn: async () => {
      const fetchTotals = async (window_days: number) => {
        const { analytics } = await callAsApp(app_id, getAnalytics, { query: { window_days } })
        return analytics
      }
      return barsOf(await Promise.all(windowsOf(days).map(fetchTotals)))
    },
    staleTime: 60_000,
  })
}

function Activity({ app_id }: { app_id: string }) {
  const [days, setDays] = useState(30)
  const query = useActivity(app_id, days)
  return (
    <Section
      title={t('build.app-figures.spends-and-awards')}
      about={t('build.app-figures.the-number-of-transfers-not-their')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('common.how-far-back')}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={ranges.map((range) => ({
            value: String(range),
            label: range === 365 ? t('build.app-figures.1-year') : t('build.app-figures.days', { range }),
          }))}
        />
      }
    >
      {query.error && <FailureNote error={query.error} onRetry={() => void query.refetch()} />}
      {query.data ? <Bars bars={query.data} days={days} /> : !query.error && <LoadingSkeleton rows={6} />}
    </Section>
  )
}

type Bar = ReturnType<typeof barsOf>[number]

function Bars({ bars, days }: { bars: Bar[]; days: number }) {
  if (bars.every(({ Spends, Awards }) => Spends + Awards === 0))
    return (
      <EmptyState icon="chart" title={t('build.app-figures.nothing-moved-in-the-last-days', { days })}>
        {t('build.app-figures.a-spend-shows-here-as-soon')}
      </EmptyState>
    )
  return (
    <>
      <Chart
        kind="bars"
        height={240}
        rows={bars}
        lines={[
          { name: t('build.app-figures.spends'), color: 'plaza.6', valueOf: ({ Spends }) => Spends },
          { name: t('build.app-figures.awards'), color: 'yellow.6', valueOf: ({ Awards }) => Awards },
        ]}
        tick={({ until }) => until}
        mark={formatNumber}
        whole
        detail={({ until, Spends, Awards }) => (
          <RowDetail
            title={until}
            values={[
              [t('build.app-figures.spends'), formatNumber(Spends)],
              [t('build.app-figures.awards'), formatNumber(Awards)],
            ]}
          />
        )}
      />
      <VisuallyHidden>
        <table>
          <caption>{t('build.app-figures.spends-and-awards-in-the-last', { days })}</caption>
          <thead>
            <tr>
              <th>{t('common.until')}</th>
              <th>{t('build.app-figures.spends')}</th>
              <th>{t('build.app-figures.awards')}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ until, Spends, Awards }) => (
              <tr key={until}>
                <th>{until}</th>
                <td>{Spends}</td>
                <td>{Awards}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}

const history_limit = 100

/** The API lists single transfers only in the user's own history; this filters them by app. */
function OwnMovements({ app_id }: { app_id: string }) {
  const query = useApiQuery(myPointsHistory, { query: { limit: history_limit } })
  return (
    <Section
      title={t('build.app-figures.your-own-transfers-with-this-app')}
      about={t('build.app-figures.plaza-lists-single-transfers-only-to')}
    >
      <QueryResult query={query}>
        {({ data }) => {
          const mine = data.filter((entry) => entry.app_id === app_id)
          return mine.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('build.app-figures.none-among-your-own-last-transfers', { history_limit })}
            </Text>
          ) : (
            <DataTable
              label={t('build.app-figures.your-own-transfers-with-this-app')}
              rows={mine}
              columns={columns()}
              miw={420}
            />
          )
        }}
      </QueryResult>
    </Section>
  )
}

type Movement = AnswerOf<typeof myPointsHistory>['data'][number]

const columns = (): Column<Movement>[] => [
  textColumn(t('common.what'), ({ description, kind }) => description || kind),
  {
    head: t('common.points'),
    ta: 'right',
    className: 'number',
    cell: ({ direction, amount }) => (
      <span aria-label={`${direction === 'in' ? 'got' : 'gave'} ${formatPoints(amount)}`}>
        {direction === 'in' ? '+' : '−'}
        {formatNumber(amount)}
      </span>
    ),
  },
  timeColumn(t('common.when'), ({ inserted_at }) => inserted_at),
]
