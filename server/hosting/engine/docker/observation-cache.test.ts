import { expect, test } from 'vitest'
import type { Observed } from '../engine.ts'
import { leastUpSeconds, openObservationCache } from './observation-cache.ts'

test.each([
  ['Up Less than a second', 0],
  ['Up 1 second', 1],
  ['Up 59 seconds (health: starting)', 59],
  ['Up About a minute', 60],
  ['Up 3 minutes (healthy)', 60],
  ['Up About an hour', 60],
  ['Up 2 weeks', 60],
  ['Up 5 fortnights', 0],
  ['Restarting (1) 3 minutes ago', 0],
  ['Exited (0) 2 hours ago', 0],
  ['', 0],
])('%s: at least %i seconds', (status, seconds) => {
  expect(leastUpSeconds(status)).toBe(seconds)
})

const seen: Observed = {
  id: 'a',
  generation: 1,
  replica: 1,
  app_id: 'b',
  phase: 'running',
  restarts: 0,
  exit_code: null,
  oom_killed: false,
  reason: null,
  is_cut_off: false,
  endpoint: null,
  host: null,
  image: null,
  created_at: new Date(0),
  started_at: null,
}
const listed = (status: string, state = 'running', is_cut_off = false) => ({
  docker_id: 'c',
  state,
  status,
  is_cut_off,
})

test('a container that has been up since its inspection is returned; one that may have restarted is not', () => {
  const cache = openObservationCache()
  expect(cache.get(listed('Up 3 hours'), 0)).toBeUndefined()
  cache.set('c', seen, 0)
  const asked: [string, number, boolean][] = [
    ['Up 3 hours', 14_000, true],
    ['Up 20 seconds', 14_000, true],
    ['Up 14 seconds', 14_000, false],
    ['Up 9 seconds', 14_000, false],
    ['Up 3 hours', 30_001, false],
  ]
  for (const [status, at, is_cached] of asked)
    expect([status, at, cache.get(listed(status), at) !== undefined]).toEqual([status, at, is_cached])
  for (const state of ['paused', 'restarting', 'exited', 'dead'])
    expect(cache.get(listed('Up 3 hours', state), 1)).toBeUndefined()
  expect(cache.get(listed('Up 3 hours', 'running', true), 1)).toBeUndefined()
})

test('a container that was not running at its inspection, or is no longer listed, is not returned', () => {
  const cache = openObservationCache()
  cache.set('c', seen, 0)
  cache.set('c', { ...seen, phase: 'restarting' }, 1)
  expect(cache.get(listed('Up 3 hours'), 2)).toBeUndefined()
  cache.set('c', seen, 3)
  cache.retain([])
  expect(cache.get(listed('Up 3 hours'), 4)).toBeUndefined()
})
