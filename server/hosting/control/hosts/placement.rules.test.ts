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
const request = { memory_limit_mb: 256, cpu_limit_millicores: 250 }

test.each([
  ['the lowest load', [host('a', 512), host('b', 256)], 'b'],
  ['the larger of two with equal reservations', [host('a', 256), host('b', 256, { memory_mb: 4096 })], 'b'],
  ['processor time counts', [host('a', 0, { reserved_millicores: 4000 }), host('b', 512)], 'b'],
  ['one with memory, however busy', [host('a', 1000), host('b', 768, { reserved_millicores: 9000 })], 'b'],
  ['the last bit of memory', [host('a', 768)], 'a'],
  ['none without the memory', [host('a', 769)], undefined],
  ['none at all', [], undefined],
  ['by name with equal load', [host('b', 0), host('a', 0)], 'a'],
])('a workload is placed on %s', (_, hosts, expected) => {
  expect(chooseHost(hosts, request)).toBe(expected)
})

const now = new Date('2030-01-01T12:00:00Z')
const instance = (id: string, age_seconds = 700) => ({
  id,
  generation: 1,
  replica: 1,
  created_at: new Date(now.getTime() - age_seconds * 1000),
})
const key = (id: string) => instanceKey({ id, generation: 1, replica: 1 })
const query = { host: 'a', known: new Map(), suspected: new Set<string>(), now, orphan_seconds: 600 }
const placedOn = (host: string | null, status = 'running') => ({ status, hosts: new Map([[1, host]]) })

test('an orphan is removed once it is old and was observed twice', () => {
  const first = findOrphans({
    ...query,
    observed: [instance('x'), instance('young', 5), instance('mine')],
    known: new Map([['mine', placedOn('a')]]),
  })
  expect(first).toEqual({ remove: [], stale_copies: [], too_many: false, suspected: new Set([key('x'), key('young')]) })
  const second = findOrphans({ ...query, observed: [instance('x'), instance('young', 5)], suspected: first.suspected })
  expect(second.remove.map(({ id }) => id)).toEqual(['x'])
})

test('a copy of a deployment that runs on another host is removed; the copy stays until it runs there', () => {
  const known = new Map([
    ['moved', placedOn('b')],
    ['moving', placedOn('b', 'deploying')],
    ['unplaced', placedOn(null)],
  ])
  const all = [...known.keys()].map((id) => instance(id, 1))
  const suspected = new Set(all.map(instanceKey))
  expect(findOrphans({ ...query, observed: all, known, suspected }).stale_copies.map(({ id }) => id)).toEqual(['moved'])
})

test('D-57: copies of a stopped or suspended deployment on other hosts are removed once they were observed twice', () => {
  const known = new Map([
    ['elsewhere', placedOn('b', 'stopped')],
    ['given up', placedOn(null, 'stopped')],
    ['no replica', { status: 'stopped', hosts: new Map([[2, 'a']]) }],
    ['here', placedOn('a', 'stopped')],
    ['starting again', placedOn('b', 'deploying')],
  ])
  const observed = [...known.keys()].map((id) => instance(id, 1))
  const first = findOrphans({ ...query, observed, known })
  expect(first.stale_copies).toEqual([])
  expect(
    findOrphans({ ...query, observed, known, suspected: first.suspected }).stale_copies.map(({ id }) => id),
  ).toEqual(['elsewhere', 'given up', 'no replica'])
})

test('more orphans than removalsMax: none is removed', () => {
  expect([0, 2, 10, 15, 100].map(removalsMax)).toEqual([2, 2, 2, 3, 20])
  const all = ['a', 'b', 'c'].map((id) => instance(id))
  const suspected = new Set(all.map(instanceKey))
  expect(findOrphans({ ...query, observed: all, suspected })).toMatchObject({ remove: [], too_many: true })
  expect(findOrphans({ ...query, observed: all.slice(1), suspected }).remove).toHaveLength(2)
})
