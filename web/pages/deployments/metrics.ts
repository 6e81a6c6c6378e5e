import type { getDeploymentMetrics } from '../../../contract/deployment-metrics.ts'
import type { AnswerOf } from '../../api/call.ts'
import { t } from '../../texts.ts'

export type Metrics = AnswerOf<typeof getDeploymentMetrics>
export type Row = { at: number } & Record<string, number | null>

const megabyte = 1024 * 1024

/** The starts of all intervals: the response omits those without a measurement. */
function intervals({ from, to, step_seconds }: Metrics) {
  const [first, end] = [new Date(from).getTime(), new Date(to).getTime()]
  const step_ms = step_seconds * 1000
  return Array.from({ length: Math.round((end - first) / step_ms) }, (_, place) => first + place * step_ms)
}

/** The name of a container's line; a single container needs no number. */
export const lineOf = ({ replicas }: Metrics, replica: number, alone: string) =>
  replicas.length > 1 ? t('deployments.metrics.container', { replica }) : alone

type UsagePoint = Metrics['replicas'][number]['points'][number]

/** A row for each interval with a value for each container; null if it did not run, which breaks the line. */
export function usageRows(metrics: Metrics, alone: string, valueOf: (point: UsagePoint) => number | null): Row[] {
  const rows = new Map(intervals(metrics).map((at): [number, Row] => [at, { at }]))
  for (const { replica, points } of metrics.replicas) {
    const name = lineOf(metrics, replica, alone)
    for (const row of rows.values()) row[name] = null
    for (const point of points) {
      const row = rows.get(new Date(point.at).getTime())
      if (row) row[name] = valueOf(point)
    }
  }
  return [...rows.values()]
}

export const megabytesOf = ({ memory_bytes }: UsagePoint) => Math.round((memory_bytes / megabyte) * 10) / 10
export const coresOf = ({ millicores }: UsagePoint) => (millicores === null ? null : millicores / 1000)

/** The traffic in and out in each interval, over all containers. */
export function networkRows(metrics: Metrics): Row[] {
  const [into, out_of] = [t('common.in'), t('common.out')]
  const rows = new Map(intervals(metrics).map((at): [number, Row] => [at, { at, [into]: 0, [out_of]: 0 }]))
  for (const { at, received_bytes, sent_bytes } of metrics.replicas.flatMap(({ points }) => points)) {
    const row = rows.get(new Date(at).getTime())
    if (!row) continue
    row[into] = (row[into] ?? 0) + (received_bytes ?? 0) / megabyte
    row[out_of] = (row[out_of] ?? 0) + (sent_bytes ?? 0) / megabyte
  }
  return [...rows.values()]
}

/** The requests of each interval by class of status, and the duration of responses; null without requests. */
export function requestRows(metrics: Metrics): Row[] {
  const points = new Map(metrics.requests.map((point) => [new Date(point.at).getTime(), point]))
  return intervals(metrics).map((at) => {
    const point = points.get(at)
    return {
      at,
      '2xx': point?.status_2xx ?? 0,
      '3xx': point?.status_3xx ?? 0,
      '4xx': point?.status_4xx ?? 0,
      '5xx': point?.status_5xx ?? 0,
      [t('deployments.metrics-view.half')]: point?.p50_ms ?? null,
      [t('deployments.metrics-view.95-of-100')]: point?.p95_ms ?? null,
    }
  })
}

/** The last and the highest value of some lines in words, for people who cannot see the chart. */
export function summaryOf(rows: readonly Row[], names: readonly string[], say: (value: number) => string) {
  const parts = names.flatMap((name) => {
    const values = rows.flatMap((row) => (typeof row[name] === 'number' ? [row[name]] : []))
    const last = values.at(-1)
    return last === undefined
      ? []
      : [t('deployments.metrics.at-the-end-at-most', { name, last: say(last), say: say(Math.max(...values)) })]
  })
  return parts.length === 0 ? t('deployments.metrics.nothing-was-measured') : parts.join('. ')
}
