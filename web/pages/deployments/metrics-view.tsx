import { SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { adminGetDeploymentMetrics } from '../../../contract/admin-deployments.ts'
import { getDeploymentMetrics } from '../../../contract/deployment-metrics.ts'
import { Chart, RowDetail } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { HowFarBack } from '../../ui/how-far-back.tsx'
import { EmptyState, LoadingPart, Section } from '../../ui/page-parts.tsx'
import { useApiQuery, type Caller } from '../../api/hooks.ts'
import { cores, memory } from './labels.ts'
import {
  coresOf,
  lineOf,
  megabytesOf,
  networkRows,
  requestRows,
  summaryOf,
  usageRows,
  type Metrics,
  type Row,
} from './metrics.ts'
import { locale, t } from '../../texts.ts'

const height = 180
/** Points cover five minutes, so the data does not change more often; within the rate limit. */
const poll_ms = 60_000
const periods = () =>
  [
    { value: '24h', label: t('deployments.metrics-view.24-hours') },
    { value: '30d', label: t('common.30-days') },
  ] as const
const container_colors = ['plaza.5', 'yellow.6', 'grape.5', 'teal.6', 'orange.6', 'cyan.6', 'pink.5', 'lime.7']

const ticks = {
  '24h': new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hour12: false }),
  '30d': new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }),
}
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const rounded = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })

interface MetricsViewProps {
  /** The app of the deployment, or undefined to read as an admin. */
  as?: Caller
  deployment_id: string
}

/** A deployment's use of its limits, and its requests, over a day or a month (D-104). */
export default function MetricsView({ as, deployment_id }: MetricsViewProps) {
  const [period, setPeriod] = useState<Metrics['period']>('24h')
  const endpoint: typeof getDeploymentMetrics | typeof adminGetDeploymentMetrics = as
    ? getDeploymentMetrics
    : adminGetDeploymentMetrics
  const input = { params: { id: deployment_id }, query: { period } }
  const query = useApiQuery(endpoint, input, { as, refetchInterval: poll_ms })
  return (
    <Section
      title={t('deployments.metrics-view.use-and-requests')}
      about={t('deployments.metrics-view.measured-every-15-seconds-a-month')}
      actions={<HowFarBack spans={periods()} value={period} onChange={setPeriod} />}
    >
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      {query.data ? <Charts metrics={query.data} /> : !query.error && <LoadingPart h={height} />}
    </Section>
  )
}

function Charts({ metrics }: { metrics: Metrics }) {
  if (metrics.replicas.length === 0 && metrics.requests.length === 0)
    return (
      <EmptyState icon="chart" title={t('deployments.metrics-view.nothing-was-measured-in-this-time')}>
        {metrics.period === '24h'
          ? t('deployments.metrics-view.the-first-figures-show-within-half')
          : t('deployments.metrics-view.the-first-figures-show-when-the')}
      </EmptyState>
    )
  const requests = requestRows(metrics)
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      {metrics.replicas.length > 0 && <Usage metrics={metrics} />}
      <Figure
        title={t('deployments.metrics-view.requests')}
        about={t('deployments.metrics-view.in-all-by-class-of-the', {
          formatNumber: formatNumber(metrics.requests.reduce((sum, { total }) => sum + total, 0)),
        })}
        rows={requests}
        unit=""
        period={metrics.period}
        lines={[
          { name: t('deployments.metrics-view.2xx'), color: 'teal.6' },
          { name: t('deployments.metrics-view.3xx'), color: 'blue.5' },
          { name: t('deployments.metrics-view.4xx'), color: 'yellow.6' },
          { name: t('deployments.metrics-view.5xx'), color: 'red.6' },
        ]}
        stacked
      />
      <Figure
        title={t('deployments.metrics-view.time-to-answer')}
        about={t('deployments.metrics-view.until-an-answer-begins-half-of')}
        rows={requests}
        unit=" ms"
        period={metrics.period}
        lines={[
          { name: t('deployments.metrics-view.half'), color: 'plaza.5' },
          { name: t('deployments.metrics-view.95-of-100'), color: 'yellow.6' },
        ]}
      />
    </SimpleGrid>
  )
}

function Usage({ metrics }: { metrics: Metrics }) {
  const { period, memory_limit_mb, cpu_limit_millicores } = metrics
  const linesOf = (alone: string) =>
    metrics.replicas.map(({ replica }, place) => ({
      name: lineOf(metrics, replica, alone),
      color: container_colors[place % container_colors.length]!,
    }))
  return (
    <>
      <Figure
        title={t('common.memory')}
        about={t('deployments.metrics-view.of-for-each-container', { memory_limit_mb: memory(memory_limit_mb) })}
        rows={usageRows(metrics, t('common.memory'), megabytesOf)}
        unit=" MB"
        period={period}
        lines={linesOf(t('common.memory'))}
        limit={memory_limit_mb}
      />
      <Figure
        title={t('common.processor')}
        about={t('deployments.metrics-view.of-for-each-container-2', {
          cpu_limit_millicores: cores(cpu_limit_millicores),
        })}
        rows={usageRows(metrics, t('common.processor'), coresOf)}
        unit={` ${t('deployments.metrics-view.cores')}`}
        period={period}
        lines={linesOf(t('common.processor'))}
        limit={cpu_limit_millicores / 1000}
      />
      <Figure
        title={t('deployments.metrics-view.network')}
        about={t('deployments.metrics-view.what-came-in-and-went-out')}
        rows={networkRows(metrics)}
        unit=" MB"
        period={period}
        lines={[
          { name: t('common.in'), color: 'plaza.5' },
          { name: t('common.out'), color: 'yellow.6' },
        ]}
      />
    </>
  )
}

interface FigureProps {
  title: string
  about: string
  rows: Row[]
  unit: string
  period: Metrics['period']
  lines: { name: string; color: string }[]
  /** Draws stacked areas instead of lines. */
  stacked?: boolean
  /** The upper end of the scale. */
  limit?: number
}

function Figure({ title, about, rows, unit, period, lines, stacked = false, limit }: FigureProps) {
  const say = (value: number) => `${rounded.format(value)}${unit}`
  const sayOf = (value: number | null | undefined) => (typeof value === 'number' ? say(value) : '–')
  const names = lines.map(({ name }) => name)
  return (
    <div>
      <Text fw={600} size="sm">
        {title}
        {unit && <span> {t('deployments.metrics-view.in-2', { unit })}</span>}
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        {about}
      </Text>
      <Chart
        kind={stacked ? 'stack' : 'lines'}
        height={height}
        rows={rows}
        lines={lines.map(({ name, color }) => ({ name, color, valueOf: (row: Row) => row[name] ?? null }))}
        label={`${title}. ${summaryOf(rows, names, say)}`}
        tick={({ at }) => ticks[period].format(at)}
        mark={(value) => compact.format(value)}
        {...(limit !== undefined && { limit })}
        detail={(row) => (
          <RowDetail title={moment.format(row.at)} values={names.map((name) => [name, sayOf(row[name])])} />
        )}
      />
    </div>
  )
}
