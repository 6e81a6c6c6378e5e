import { SimpleGrid, Stack, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAnalyticsOfMyApp } from '../../../contract/operators.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import { Chart, RowDetail } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { HowFarBack } from '../../ui/how-far-back.tsx'
import { EmptyState, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { Tile } from '../../ui/tile.tsx'
import type { MyApp } from './access.ts'
import { barsOf, ranges, windowsOf } from './activity-windows.ts'
import { t } from '../../texts.ts'

/** The number of the app's users, and how often they pay. */
export default function AppPeople({ app }: { app: MyApp }) {
  const { analytics } = useApiQuery(getAnalyticsOfMyApp, { params: { id: app.id } }).data ?? {}
  const last = analytics && t('build.app-people.in-the-last-days', { window_days: analytics.window_days })
  const shown = (amount: number | undefined) => (amount === undefined ? '…' : formatNumber(amount))
  const to_payments = { to: '/apps/$id', params: { id: app.id } } as const
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Tile
          {...to_payments}
          search={{ tab: 'people' }}
          label={t('build.app.people')}
          value={shown(analytics?.total_users)}
          about={t('common.connected-now-or-once')}
        />
        <Tile
          {...to_payments}
          search={{ tab: 'payments', kind: 'spend' }}
          label={t('build.app-people.spends')}
          value={shown(analytics?.total_spends)}
          about={last}
        />
        <Tile
          {...to_payments}
          search={{ tab: 'payments' }}
          label={t('build.app-people.awards')}
          value={shown(analytics?.total_awards)}
          about={last}
        />
      </SimpleGrid>
      <Activity app_id={app.id} />
    </Stack>
  )
}

/** Reads the totals of growing windows; a bar is the difference between two consecutive windows. */
function useActivity(app_id: string, days: number) {
  const params = { id: app_id }
  return useQuery({
    queryKey: queryKeyOf(getAnalyticsOfMyApp, { params, days }),
    queryFn: async () => {
      const fetchTotals = async (window_days: number) => {
        const { analytics } = await callApi(getAnalyticsOfMyApp, { params, query: { window_days } })
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
      title={t('build.app-people.spends-and-awards')}
      about={t('build.app-people.the-number-of-transfers-not-their')}
      actions={
        <HowFarBack
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          spans={ranges.map((range) => ({
            value: String(range),
            label: range === 365 ? t('build.app-people.1-year') : t('build.app-people.days', { range }),
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
      <EmptyState icon="chart" title={t('build.app-people.nothing-moved-in-the-last-days', { days })}>
        {t('build.app-people.a-spend-shows-here-as-soon')}
      </EmptyState>
    )
  return (
    <>
      <Chart
        kind="bars"
        height={240}
        rows={bars}
        lines={[
          { name: t('build.app-people.spends'), color: 'plaza.6', valueOf: ({ Spends }) => Spends },
          { name: t('build.app-people.awards'), color: 'yellow.6', valueOf: ({ Awards }) => Awards },
        ]}
        tick={({ until }) => until}
        mark={formatNumber}
        whole
        detail={({ until, Spends, Awards }) => (
          <RowDetail
            title={until}
            values={[
              [t('build.app-people.spends'), formatNumber(Spends)],
              [t('build.app-people.awards'), formatNumber(Awards)],
            ]}
          />
        )}
      />
      <VisuallyHidden>
        <table>
          <caption>{t('build.app-people.spends-and-awards-in-the-last', { days })}</caption>
          <thead>
            <tr>
              <th>{t('common.until')}</th>
              <th>{t('build.app-people.spends')}</th>
              <th>{t('build.app-people.awards')}</th>
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
