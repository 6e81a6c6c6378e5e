import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { Chart } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { useDailyBalances, type DailyBalance } from './daily-balances.ts'
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

/** The balance over time as a step chart of days. */
export function PointsChart() {
  const [span, setSpan] = useState('30')
  const query = useDailyBalances(Number(span))
  return (
    <Section
      title={t('common.balance-over-time')}
      actions={
        <SegmentedControl
          size="xs"
          data={spans()}
          value={span}
          onChange={setSpan}
          aria-label={t('common.how-far-back')}
        />
      }
    >
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      {query.data ? (
        <Balances days={query.data} />
      ) : (
        !query.error && <Skeleton h={height} aria-label={t('common.loading')} />
      )}
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
