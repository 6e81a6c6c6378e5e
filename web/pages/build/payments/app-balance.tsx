import { Stack } from '@mantine/core'
import { useState } from 'react'
import { Chart, RowDetail } from '../../../ui/chart.tsx'
import { DataTable, numberColumn, type Column } from '../../../ui/data-table.tsx'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { formatNumber } from '../../../ui/format.tsx'
import { HowFarBack } from '../../../ui/how-far-back.tsx'
import { EmptyState, LoadingPart, Section } from '../../../ui/page-parts.tsx'
import type { MyApp } from '../access.ts'
import { nameOfPeriod, useSeries, type Period, type Unit } from './series.ts'
import { locale, t } from '../../../texts.ts'

const height = 240
const spans = () =>
  [
    { value: 'days-30', label: t('common.30-days'), unit: 'day', days: 30 },
    { value: 'days-90', label: t('common.90-days'), unit: 'day', days: 90 },
    { value: 'months', label: t('build.app-balance.12-months'), unit: 'month', days: 365 },
  ] as const

type Span = ReturnType<typeof spans>[number]['value']

const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })

/** The balance of an app over time, and the points earned and refunded per day or month. */
export function AppBalance({ app }: { app: MyApp }) {
  const [chosen, setChosen] = useState<Span>('days-30')
  const span = spans().find(({ value }) => value === chosen) ?? spans()[0]
  const query = useSeries(app, span.unit, span.days)
  return (
    <Section
      title={t('common.balance-over-time')}
      about={t('build.app-balance.days-and-months-of-utc')}
      actions={
        <HowFarBack spans={spans().map(({ value, label }) => ({ value, label }))} value={chosen} onChange={setChosen} />
      }
    >
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      {query.data ? (
        <Series unit={query.data.unit} periods={query.data.periods} />
      ) : (
        !query.error && <LoadingPart h={height} />
      )}
    </Section>
  )
}

function Series({ unit, periods }: { unit: Unit; periods: Period[] }) {
  const moved = periods.filter(({ transfers }) => transfers > 0).toReversed()
  const last = periods.at(-1)
  if (moved.length === 0 && (last?.balance ?? 0) === 0)
    return (
      <EmptyState icon="chart" title={t('build.app-balance.nothing-moved-in-this-time')}>
        {t('build.app-balance.the-chart-begins-with-the-first')}
      </EmptyState>
    )
  return (
    <Stack>
      <Chart
        kind="steps"
        height={height}
        rows={periods}
        lines={[{ name: t('common.balance'), color: 'plaza.5', valueOf: ({ balance }) => balance }]}
        label={t('build.app-balance.the-balance-at-the-end', { formatNumber: formatNumber(last?.balance ?? 0) })}
        tick={(period) => nameOfPeriod(unit, period)}
        mark={(amount) => compact.format(amount)}
        whole
        detail={(period) => (
          <RowDetail
            title={nameOfPeriod(unit, period)}
            values={[[t('common.balance'), formatNumber(period.balance)]]}
          />
        )}
      />
      {moved.length > 0 && (
        <DataTable
          label={unit === 'day' ? t('build.app-balance.days') : t('build.app-balance.months')}
          rows={moved}
          columns={columnsOf(unit)}
          keyOf={({ starts_on }) => starts_on}
        />
      )}
    </Stack>
  )
}

const columnsOf = (unit: Unit): Column<Period>[] => [
  {
    head: unit === 'day' ? t('build.app-balance.day') : t('build.app-balance.month'),
    cell: (period) => nameOfPeriod(unit, period),
    sortBy: ({ starts_on }) => starts_on,
    heads_row: true,
  },
  numberColumn(t('build.app-balance.earned'), ({ earned }) => earned, { sortable: true }),
  numberColumn(t('common.returned'), ({ spent }) => spent, { sortable: true }),
  numberColumn(t('build.app-balance.payments-and-refunds'), ({ transfers }) => transfers, {
    sortable: true,
    visibleFrom: 'sm',
  }),
  numberColumn(t('common.balance'), ({ balance }) => balance, { sortable: true }),
]
