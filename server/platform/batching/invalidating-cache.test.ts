import { expect, test } from 'vitest'
import { coherentCache } from './invalidating-cache.ts'
import { revocationLedger } from './invalidation-bus.ts'

function cacheOf(values: Map<string, { word: string }>, { listening = true, entries_max = 100 } = {}) {
  const ledger = revocationLedger(10)
  const state = { listening, reads: 0 }
  const cache = coherentCache<{ word: string }>({
    revocations: { heard: () => state.listening, moment: ledger.moment, revokedSince: ledger.revokedSince },
    entries_max,
    load: async (keys) => {
      state.reads++
      const snapshot = keys.map((key) => values.get(key))
      await new Promise((next) => setImmediate(next))
      return snapshot
    },
    tagsOf: (key) => [`key ${key}`],
  })
  return { cache, ledger, state }
}

test('a second use does not read again; a revoked one does', async () => {
  const values = new Map([['a', { word: 'old' }]])
  const { cache, ledger, state } = cacheOf(values)
  await cache.get('a')
  await cache.get('a')
  expect(state.reads).toBe(1)
  values.set('a', { word: 'new' })
  ledger.revoke(['key a'])
  expect(await cache.get('a')).toEqual({ word: 'new' })
})

test('a read that was under way during a revocation is not kept', async () => {
  const values = new Map([['a', { word: 'old' }]])
  const { cache, ledger } = cacheOf(values)
  const under_way = cache.get('a')
  values.set('a', { word: 'new' })
  ledger.revoke(['key a'])
  await under_way
  expect(await cache.get('a')).toEqual({ word: 'new' })
})

test('while revocations may go unheard, every use reads', async () => {
  const values = new Map([['a', { word: 'old' }]])
  const { cache, state } = cacheOf(values)
  await cache.get('a')
  state.listening = false
  values.set('a', { word: 'new' })
  expect(await cache.get('a')).toEqual({ word: 'new' })
})

test('keys that are missing at once are read together, and absence is not kept', async () => {
  const values = new Map([['a', { word: 'a' }]])
  const { cache, state } = cacheOf(values)
  const found = await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)))
  expect(found).toEqual([{ word: 'a' }, undefined, undefined])
  expect(state.reads).toBeLessThanOrEqual(2)
  values.set('b', { word: 'b' })
  expect(await cache.get('b')).toEqual({ word: 'b' })
})

test('memory is bounded, in entries and in remembered revocations', async () => {
  const values = new Map(Array.from({ length: 50 }, (_, n) => [String(n), { word: String(n) }]))
  const { cache, ledger } = cacheOf(values, { entries_max: 20 })
  for (const key of values.keys()) await cache.get(key)
  expect(cache.size()).toBe(20)
  const before = ledger.moment()
  ledger.revoke(Array.from({ length: 11 }, (_, n) => `other ${n}`))
  expect(ledger.revokedSince(before, ['key 49'])).toBe(true)
  expect(ledger.revokedSince(ledger.moment(), ['key 49'])).toBe(false)
})
