import type { Static } from 'typebox'
import { decisions } from '../../../contract/decisions.ts'
import type { requests_point, usage_point } from '../../../contract/deployment-metrics.ts'
import { latencyBelow } from '../measuring.rules.ts'

const { day, month } = decisions.deployment_upkeep

export type Period = '24h' | '30d'

export interface UsageRow extends Static<typeof usage_point> {
  replica: number
}

export interface RequestsRow extends Omit<Static<typeof requests_point>, 'total' | 'p50_ms' | 'p95_ms'> {
  latencies: number[]
}

/** The intervals of a period; the last one contains `now`. */
export function intervalsOf(period: Period, now: Date) {
  const { step_seconds, points_max } = period === '24h' ? day : month
  const step_ms = step_seconds * 1000
  const to = (Math.floor(now.getTime() / step_ms) + 1) * step_ms
  return { step_seconds, from: new Date(to - points_max * step_ms), to: new Date(to) }
}

/** Groups the rows by replica. They must be ordered by replica. */
export function byReplica(rows: readonly UsageRow[]) {
  const replicas = new Map<number, UsageRow[]>()
  for (const row of rows) replicas.set(row.replica, [...(replicas.get(row.replica) ?? []), row])
  return [...replicas].map(([replica, points]) => ({ replica, points }))
}

export const requestsPoint = ({ latencies, ...row }: RequestsRow) => ({
  ...row,
  total: row.status_2xx + row.status_3xx + row.status_4xx + row.status_5xx,
  p50_ms: latencyBelow(0.5, latencies),
  p95_ms: latencyBelow(0.95, latencies),
})
