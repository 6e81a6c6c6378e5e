import { expect, test } from 'vitest'
import { createInvalidatingCache } from './invalidating-cache.ts'
import { createInvalidationLog } from './invalidation-bus.ts'

function cacheOf(values: Map<string, { word: string }>, { connected = true, entries_max = 100 } = {}) {
  const log = createInvalidationLog(10)
  const state = { connected, reads: 0 }
  const cache = createInvalidatingCache<{ word: string }>({
    name: 'test',
    bus: { isConnected: () => state.connected, version: log.version, invalidatedSince: log.invalidatedSince },
    entries_max,
    load: async (keys) => {
      state.reads++
      const snapshot = keys.map((key) => values.get(key))
      await new Promise((next) => setImmediate(next))
      return snapshot
    },
    tagsOf: (key) => [`key ${key}`],
  })
  return { cache, log, state }
}

test('a second use does not read again, except after an invalidation', async () => {
  const values = new Map([['a', { word: 'old' }]])
  const { cache, log, state } = cacheOf(values)
  await cache.get('a')
  await cache.get('a')
  expect(state.reads).toBe(1)
  values.set('a', { word: 'new' })
  log.invalidate(['key a'])
  expect(await cache.get('a')).toEqual({ word: 'new' })
})

test('a read in progress during an invalidation is not cached', async () => {
  const values = new Map([['a', { word: 'old' }]])
  const { cache, log } = cacheOf(values)
  const under_way = cache.get('a')
  values.set('a', { word: 'new' })
  log.invalidate(['key a'])
  await under_way
  expect(await cache.get('a')).toEqual({ word: 'new' })
})

test('while invalidations may be missed, every use reads', async () => {
  const values = new Map([['a', { word: 'old' }]])
  const { cache, state } = cacheOf(values)
  await cache.get('a')
  state.connected = false
  values.set('a', { word: 'new' })
  expect(await cache.get('a')).toEqual({ word: 'new' })
})

test('keys that are missing together are read together, and absence is not cached', async () => {
  const values = new Map([['a', { word: 'a' }]])
  const { cache, state } = cacheOf(values)
  const found = await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)))
  expect(found).toEqual([{ word: 'a' }, undefined, undefined])
  expect(state.reads).toBeLessThanOrEqual(2)
  values.set('b', { word: 'b' })
  expect(await cache.get('b')).toEqual({ word: 'b' })
})

test('memory is bounded, in entries and in remembered invalidations', async () => {
  const values = new Map(Array.from({ length: 50 }, (_, n) => [String(n), { word: String(n) }]))
  const { cache, log } = cacheOf(values, { entries_max: 20 })
  for (const key of values.keys()) await cache.get(key)
  expect(cache.size()).toBe(20)
  const before = log.version()
  log.invalidate(Array.from({ length: 11 }, (_, n) => `other ${n}`))
  expect(log.invalidatedSince(before, ['key 49'])).toBe(true)
  expect(log.invalidatedSince(log.version(), ['key 49'])).toBe(false)
})
