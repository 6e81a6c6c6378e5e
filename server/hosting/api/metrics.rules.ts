import { decisions } from '../../../contract/decisions.ts'
import { latencyBelow } from '../measuring.rules.ts'

const { day, month } = decisions.deployment_upkeep

export type Period = '24h' | '30d'

export interface UsageRow {
  replica: number
  at: Date
  memory_bytes: number
  memory_bytes_max: number
  millicores: number | null
  millicores_max: number | null
  received_bytes: number | null
  sent_bytes: number | null
}

export interface RequestsRow {
  at: Date
  status_2xx: number
  status_3xx: number
  status_4xx: number
  status_5xx: number
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
