import { expect, test } from 'vitest'
import { absolute_scale, relativeScale } from './restarts.rules.ts'

const row = (restarts_seen: number | null) => ({ restarts_seen })
const instance = (restarts: number, generation = 1) => ({ id: 'a', generation, replica: 1, restarts })

test('a Docker host counts restarts itself', () => {
  expect(absolute_scale.restartsOf(row(100), instance(3))).toBe(3)
})

test('on a Swarm a later worker continues the row’s count, relative to its first observation', () => {
  const late = relativeScale()
  expect([0, 0, 1, 5].map((own) => late.restartsOf(row(100), instance(own)))).toEqual([100, 100, 101, 105])
  const later = relativeScale()
  expect([4, 5].map((own) => later.restartsOf(row(2), instance(own)))).toEqual([2, 3])
})

test('two workers that observe the same failure count it once', () => {
  const [one, two] = [relativeScale(), relativeScale()]
  expect([one.restartsOf(row(7), instance(3)), two.restartsOf(row(7), instance(0))]).toEqual([7, 7])
  expect(one.restartsOf(row(7), instance(4))).toBe(8)
  expect([
    two.restartsOf(row(8), instance(0)),
    two.restartsOf(row(8), instance(1)),
    two.restartsOf(row(8), instance(2)),
  ]).toEqual([8, 8, 9])
})

test('a count that was reset gives a new baseline, for each generation separately', () => {
  const scale = relativeScale()
  expect([scale.restartsOf(row(0), instance(0)), scale.restartsOf(row(5), instance(5))]).toEqual([0, 5])
  expect([scale.restartsOf(row(0), instance(5)), scale.restartsOf(row(0), instance(6))]).toEqual([0, 1])
  expect([scale.restartsOf(row(0), instance(2, 2)), scale.restartsOf(row(0), instance(3, 2))]).toEqual([0, 1])
  scale.retain([instance(9, 2)])
  expect([scale.restartsOf(row(0), instance(9)), scale.restartsOf(row(0), instance(4, 2))]).toEqual([0, 2])
})

test('an instance whose count was not observed yet gives a new baseline', () => {
  const scale = relativeScale()
  expect(scale.restartsOf(row(6), instance(6))).toBe(6)
  expect([row(null), row(0)].map((each) => scale.restartsOf(each, instance(6)))).toEqual([0, 0])
  expect(scale.restartsOf(row(0), instance(7))).toBe(1)
})
