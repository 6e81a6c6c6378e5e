import { expect, test } from 'vitest'
import { openObservations } from './observations.rules.ts'

const instance = (id: string, generation: number) => ({ id, generation })

test('an observation of one deployment replaces its earlier observation and no other', () => {
  const seen = openObservations<{ id: string; generation: number }>()
  seen.add([instance('one', 1), instance('two', 1), instance('three', 1)])
  seen.add([instance('two', 1), instance('two', 2)], 'two')
  seen.add([instance('two', 2)], 'two')
  seen.add([], 'three')
  seen.add([instance('four', 1)], 'four')
  const all = [instance('one', 1), instance('two', 2), instance('four', 1)]
  expect(seen.all()).toEqual(all)
  expect(seen.all()).toEqual(all)
})

test('a later observation of the host replaces all', () => {
  const seen = openObservations<{ id: string; generation: number }>()
  seen.add([instance('one', 1)])
  seen.add([instance('one', 2)], 'one')
  seen.add([instance('three', 1)])
  expect(seen.all()).toEqual([instance('three', 1)])
})

test('an observation of one deployment does not count as one of the whole host', () => {
  const seen = openObservations<{ id: string; generation: number }>()
  seen.add([instance('one', 1)], 'one')
  expect(seen.all()).toBeUndefined()
  seen.add([instance('two', 1)])
  expect(seen.all()).toEqual([instance('two', 1)])
})
