import { expect, test } from 'vitest'
import { latencyBelow, latencyPlace, latency_bounds_ms, slotOf } from './measuring.rules.ts'
import { usageOf } from './engine/docker/usage.ts'
import { instancesToMeasure, usedBetween } from './control/metrics/samples.rules.ts'

const counted = (...latencies: number[]) => {
  const counts = Array<number>(latency_bounds_ms.length + 1).fill(0)
  for (const ms of latencies) counts[latencyPlace(ms)]!++
  return counts
}

test('D-104: a slot begins at a quarter of a minute', () => {
  expect(slotOf(new Date('2026-01-01T00:00:14.999Z'))).toEqual(new Date('2026-01-01T00:00:00Z'))
  expect(slotOf(new Date('2026-01-01T00:00:15Z'))).toEqual(new Date('2026-01-01T00:00:15Z'))
})

test('D-104: percentiles of latencies lie between the bounds that contain them', () => {
  expect(latencyBelow(0.5, counted())).toBeNull()
  expect(latencyBelow(0.5, counted(1.5))).toBe(1.5)
  expect(latencyBelow(0.5, counted(30, 30, 30, 400))).toBeCloseTo(41.7)
  expect(latencyBelow(0.95, counted(30, 30, 30, 400))).toBeCloseTo(450)
  expect(latencyBelow(0.95, counted(60_000))).toBe(10_000)
})

test('D-104: usage is the difference of two measurements, and unknown if the counters were reset', () => {
  const usage = { memory_bytes: 1, processor_ns: 1e9, received_bytes: 100, sent_bytes: 200 }
  const before = { usage, measured_ms: 1_000 }
  const after = { ...usage, processor_ns: 4e9, received_bytes: 150 }
  expect(usedBetween(before, { usage: after, measured_ms: 16_000 })).toEqual({
    millicores: 200,
    received_bytes: 50,
    sent_bytes: 0,
  })
  const none = { millicores: null, received_bytes: null, sent_bytes: null }
  expect(usedBetween(undefined, before)).toEqual(none)
  expect(usedBetween({ usage: after, measured_ms: 1_000 }, { usage, measured_ms: 16_000 })).toEqual(none)
})

test('D-104: of two containers the serving or else the newer one is measured; none of an unknown deployment', () => {
  const [a, b, c] = [
    { id: 'a', generation: 1, replica: 1 },
    { id: 'a', generation: 2, replica: 1 },
    { id: 'b', generation: 7, replica: 3 },
  ]
  const chosen = (serving: [string, number | null][]) => instancesToMeasure([a, b, c], new Map(serving))
  expect(chosen([['a 1', 1]])).toEqual([a])
  expect(chosen([['a 1', 2]])).toEqual([b])
  expect(
    chosen([
      ['b 3', 7],
      ['a 1', null],
    ]),
  ).toEqual([b, c])
})

test('D-104: memory is without the inactive file cache, with either version of control groups; a stopped container has none', () => {
  const cpu_stats = { cpu_usage: { total_usage: 5 } }
  const networks = { eth0: { rx_bytes: 1, tx_bytes: 2 }, eth1: { rx_bytes: 10, tx_bytes: 20 } }
  const expected = { memory_bytes: 70, processor_ns: 5, received_bytes: 11, sent_bytes: 22 }
  for (const stats of [{ inactive_file: 30 }, { inactive_file: 99, total_inactive_file: 30 }])
    expect(usageOf({ cpu_stats, memory_stats: { usage: 100, stats }, networks })).toEqual(expected)
  expect(usageOf({ memory_stats: {} })).toBeUndefined()
  expect(usageOf({})).toBeUndefined()
})
