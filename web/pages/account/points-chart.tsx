import '@mantine/charts/styles.css'
import { AreaChart } from '@mantine/charts'
import { Box, Group, Paper, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { useDailyBalances, type DailyBalance } from './daily-balances.ts'
import { locale, t } from '../../texts.ts'

const height = 220
const spans = () => [
  { value: '30', label: t('common.30-days') },
  { value: '90', label: t('account.points-chart.90-days') },
  { value: '365', label: t('account.points-chart.a-year') },
]
const short_day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })
const long_day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

/** The balance over time as a step chart of days. */
export default function PointsChart() {
  const [span, setSpan] = useState('30')
  const query = useDailyBalances(Number(span))
  return (
    <Section
      title={t('account.points-chart.balance-over-time')}
      actions={
        <SegmentedControl
          size="xs"
          data={spans()}
          value={span}
          onChange={setSpan}
          aria-label={t('account.points-chart.how-far-back')}
        />
      }
    >
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      {query.data ? (
        <Chart days={query.data} />
      ) : (
        !query.error && <Skeleton h={height} aria-label={t('common.loading')} />
      )}
    </Section>
  )
}

const Chart = ({ days }: { days: DailyBalance[] }) => (
  <Box component="figure" m={0} aria-label={chartLabel(days)}>
    <AreaChart
      h={height}
      data={days}
      dataKey="day"
      series={[{ name: 'balance', color: 'plaza.5' }]}
      curveType="stepBefore"
      withDots={false}
      tickLine="none"
      gridAxis="x"
      strokeDasharray="0"
      valueFormatter={formatNumber}
      xAxisProps={{ tickFormatter: (day: number) => short_day.format(day), minTickGap: 40 }}
      yAxisProps={{ width: 'auto', tickFormatter: (amount: number) => compact.format(amount), allowDecimals: false }}
      tooltipProps={{ content: ({ payload }) => <Detail day={payload?.[0]?.payload as DailyBalance | undefined} /> }}
    />
  </Box>
)

const Detail = ({ day }: { day: DailyBalance | undefined }) =>
  day ? (
    <Paper withBorder shadow="sm" px="sm" py={6} fz="sm">
      <Text size="xs" c="dimmed">
        {long_day.format(day.day)}
      </Text>
      <Text fw={600} size="sm">
        {formatPoints(day.balance)}
      </Text>
      {(day.earned > 0 || day.spent > 0) && (
        <Group gap="sm" fz="xs">
          {day.earned > 0 && <span>{t('account.points-chart.in', { earned: formatNumber(day.earned) })}</span>}
          {day.spent > 0 && <span>{t('account.points-chart.out', { spent: formatNumber(day.spent) })}</span>}
        </Group>
      )}
    </Paper>
  ) : null

function chartLabel(days: readonly DailyBalance[]) {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return t('account.points-chart.no-days-to-show')
  const balances = days.map(({ balance }) => balance)
  const [low, high] = [Math.min(...balances), Math.max(...balances)]
  return (
    `${t('account.points-chart.balance-from-to-today-at-first', { day: short_day.format(first.day), balance: formatNumber(first.balance) })} ` +
    t('account.points-chart.now-between-and', {
      balance: formatNumber(last.balance),
      low: formatNumber(low),
      high: formatNumber(high),
    })
  )
}
