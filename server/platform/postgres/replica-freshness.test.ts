import { expect, test } from 'vitest'
import { ReplicaFreshness } from './replica-freshness.ts'

const sample = (lsn: number, at_ms: number) => ({ lsn: BigInt(lsn), at_ms, version: 0 })

test('a replica that has replayed everything is current, however long the primary has been idle', () => {
  const freshness = new ReplicaFreshness()
  expect(freshness.lagMs()).toBeUndefined()
  for (const at_ms of [1_000, 2_000, 3_000]) {
    freshness.add(sample(500, at_ms))
    freshness.replayed(500n)
    expect([freshness.lagMs(), freshness.newest?.at_ms]).toEqual([0, at_ms])
  }
})

test('a replica that replays nothing falls behind from the moment it was last current', () => {
  const freshness = new ReplicaFreshness()
  freshness.add(sample(500, 1_000))
  freshness.replayed(500n)
  for (const [lsn, at_ms] of [
    [600, 2_000],
    [700, 3_000],
    [700, 9_000],
  ] as const) {
    freshness.add(sample(lsn, at_ms))
    freshness.replayed(599n)
  }
  expect([freshness.lagMs(), freshness.newest?.at_ms]).toEqual([8_000, 1_000])
  freshness.dropBefore(5_000)
  expect(freshness.newest?.at_ms).toBe(1_000)
  // It continues to replay: its age is that of the last position that it has reached.
  freshness.replayed(700n)
  expect([freshness.lagMs(), freshness.newest?.at_ms]).toEqual([0, 9_000])
})

test('the lag is unknown before a replica has reached a position, and after a reset', () => {
  const freshness = new ReplicaFreshness()
  freshness.add(sample(500, 1_000))
  freshness.replayed(499n)
  expect([freshness.lagMs(), freshness.newest]).toEqual([undefined, undefined])
  freshness.replayed(500n)
  expect(freshness.lagMs()).toBe(0)
  freshness.forget()
  expect([freshness.lagMs(), freshness.newest]).toEqual([undefined, undefined])
})
