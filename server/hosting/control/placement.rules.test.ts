import { expect, test } from 'vitest'
import { chooseHost, type HostCapacity } from './placement.rules.ts'
import { findOrphans, instanceKey, removalsMax } from './drift.rules.ts'

const host = (name: string, reserved_memory_mb: number, more: Partial<HostCapacity> = {}): HostCapacity => ({
  name,
  memory_mb: 1024,
  millicores: 2000,
  reserved_memory_mb,
  reserved_millicores: 0,
  ...more,
})
const need = { memory_limit_mb: 256, cpu_limit_millicores: 250 }

test.each([
  ['the least promised', [host('a', 512), host('b', 256)], 'b'],
  ['the larger of two that are alike', [host('a', 256), host('b', 256, { memory_mb: 4096 })], 'b'],
  ['processor time counts', [host('a', 0, { reserved_millicores: 4000 }), host('b', 512)], 'b'],
  ['one with room, however busy', [host('a', 1000), host('b', 768, { reserved_millicores: 9000 })], 'b'],
  ['the last bit of memory', [host('a', 768)], 'a'],
  ['none without the memory', [host('a', 769)], undefined],
  ['none at all', [], undefined],
  ['by name where nothing tells them apart', [host('b', 0), host('a', 0)], 'a'],
])('a workload is placed on %s', (_, places, expected) => {
  expect(chooseHost(places, need)).toBe(expected)
})

const now = new Date('2030-01-01T12:00:00Z')
const seen = (id: string, age_seconds = 700) => ({
  id,
  generation: 1,
  created_at: new Date(now.getTime() - age_seconds * 1000),
})
const key = (id: string) => instanceKey({ id, generation: 1 })
const question = { host: 'a', known: new Map(), suspected: new Set<string>(), now, orphan_seconds: 600 }
const here = { host_server: 'a', status: 'running' }

test('what belongs to nobody goes only when it is old and was seen twice', () => {
  const first = findOrphans({
    ...question,
    observed: [seen('x'), seen('young', 5), seen('mine')],
    known: new Map([['mine', here]]),
  })
  expect(first).toEqual({ remove: [], stale_copies: [], too_many: false, suspected: new Set([key('x'), key('young')]) })
  const second = findOrphans({ ...question, observed: [seen('x'), seen('young', 5)], suspected: first.suspected })
  expect(second.remove.map(({ id }) => id)).toEqual(['x'])
})

test('a copy of what runs on another host goes; of what does not run there yet, it stays', () => {
  const known = new Map([
    ['moved', { host_server: 'b', status: 'running' }],
    ['moving', { host_server: 'b', status: 'deploying' }],
    ['unplaced', { host_server: null, status: 'running' }],
  ])
  const all = [...known.keys()].map((id) => seen(id, 1))
  const suspected = new Set(all.map(instanceKey))
  expect(findOrphans({ ...question, observed: all, known, suspected }).stale_copies.map(({ id }) => id)).toEqual([
    'moved',
  ])
})

test('more removals than are credible are refused as a whole', () => {
  expect([0, 2, 10, 15, 100].map(removalsMax)).toEqual([2, 2, 2, 3, 20])
  const all = ['a', 'b', 'c'].map((id) => seen(id))
  const suspected = new Set(all.map(instanceKey))
  expect(findOrphans({ ...question, observed: all, suspected })).toMatchObject({ remove: [], too_many: true })
  expect(findOrphans({ ...question, observed: all.slice(1), suspected }).remove).toHaveLength(2)
})
