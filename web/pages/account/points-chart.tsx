import { Group, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { myPointsHistory, pointsSeries } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf } from '../../api/hooks.ts'
import { Chart } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { HowFarBack } from '../../ui/how-far-back.tsx'
import { LoadingPart, Section } from '../../ui/page-parts.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { locale, t } from '../../texts.ts'

const height = 220
const spans = () => [
  { value: '30', label: t('common.30-days') },
  { value: '90', label: t('common.90-days') },
  { value: '365', label: t('account.points-chart.a-year') },
]
const short_day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })
const long_day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

interface DailyBalance {
  /** The start of the day in the browser's time zone, in milliseconds. */
  day: number
  /** The balance at the end of the day. */
  balance: number
  earned: number
  spent: number
}

/** Parses `2026-11-22` as midnight in the browser's time zone. */
function startOfDay(day: string) {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

async function fetchDays(days: number): Promise<DailyBalance[]> {
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
  const series = await callApi(pointsSeries, { query: { days, time_zone } })
  return series.days.map((row) => ({ ...row, day: startOfDay(row.day) }))
}

/** Earned, spent and closing balance of each of the last `days`, in the browser's time zone. Invalidated with the history. */
const useDailyBalances = (days: number) =>
  useQuery({
    queryKey: [...queryKeyOf(myPointsHistory), 'days', days],
    queryFn: () => fetchDays(days),
    placeholderData: keepPreviousData,
  })

/** The balance over time as a step chart of days. */
export function PointsChart() {
  const [span, setSpan] = useState('30')
  const query = useDailyBalances(Number(span))
  return (
    <Section
      title={t('common.balance-over-time')}
      actions={<HowFarBack spans={spans()} value={span} onChange={setSpan} />}
    >
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      {query.data ? <Balances days={query.data} /> : !query.error && <LoadingPart h={height} />}
    </Section>
  )
}

const Balances = ({ days }: { days: DailyBalance[] }) => (
  <Chart
    kind="steps"
    height={height}
    rows={days}
    lines={[{ name: t('common.balance'), color: 'plaza.5', valueOf: ({ balance }) => balance }]}
    label={chartLabel(days)}
    tick={({ day }) => short_day.format(day)}
    mark={(amount) => compact.format(amount)}
    whole
    detail={(day) => <Detail day={day} />}
  />
)

const Detail = ({ day: { day, balance, earned, spent } }: { day: DailyBalance }) => (
  <>
    <Text size="xs" c="dimmed">
      {long_day.format(day)}
    </Text>
    <Text fw={600} size="sm">
      {formatPoints(balance)}
    </Text>
    {(earned > 0 || spent > 0) && (
      <Group gap="sm" fz="xs">
        {earned > 0 && <span>{t('account.points-chart.in', { earned: formatNumber(earned) })}</span>}
        {spent > 0 && <span>{t('account.points-chart.out', { spent: formatNumber(spent) })}</span>}
      </Group>
    )}
  </>
)

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
