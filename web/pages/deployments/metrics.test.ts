import { expect, test } from 'vitest'
import { megabytesOf, networkRows, requestRows, summaryOf, usageRows, type Metrics } from './metrics.ts'

const point = (minute: number, megabytes: number) => ({
  at: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`,
  memory_bytes: megabytes * 1024 * 1024,
  memory_bytes_max: 0,
  millicores: null,
  millicores_max: null,
  received_bytes: 1024 * 1024,
  sent_bytes: null,
})
const metrics: Metrics = {
  period: '24h',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-01-01T00:15:00.000Z',
  step_seconds: 300,
  memory_limit_mb: 128,
  cpu_limit_millicores: 250,
  replicas: [
    { replica: 1, points: [point(0, 10), point(10, 30)] },
    { replica: 2, points: [point(10, 5)] },
  ],
  requests: [
    {
      at: point(5, 0).at,
      total: 3,
      status_2xx: 2,
      status_3xx: 0,
      status_4xx: 0,
      status_5xx: 1,
      p50_ms: 4,
      p95_ms: 9,
    },
  ],
}

test('D-104: a chart has a row for every interval; a container that did not run has no value', () => {
  const rows = usageRows(metrics, 'Memory', megabytesOf)
  expect(rows.map((row) => [row['Container 1'], row['Container 2']])).toEqual([
    [10, null],
    [null, null],
    [30, 5],
  ])
  const alone = usageRows({ ...metrics, replicas: metrics.replicas.slice(0, 1) }, 'Memory', megabytesOf)
  expect(alone.map((row) => row.Memory)).toEqual([10, null, 30])
  expect(networkRows(metrics).map(({ In, Out }) => [In, Out])).toEqual([
    [1, 0],
    [0, 0],
    [2, 0],
  ])
})

test('D-104: an interval without requests has none, and no latency; words say what the chart shows', () => {
  const rows = requestRows(metrics)
  expect(rows.map((row) => [row['2xx'], row['5xx'], row.Half])).toEqual([
    [0, 0, null],
    [2, 1, 4],
    [0, 0, null],
  ])
  expect(summaryOf(rows, ['2xx', 'Half'], String)).toBe('2xx: 0 at the end, at most 2. Half: 4 at the end, at most 4')
  expect(summaryOf([], ['2xx'], String)).toBe('nothing was measured')
})
