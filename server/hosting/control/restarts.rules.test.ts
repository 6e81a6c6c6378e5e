import { expect, test } from 'vitest'
import { absolute_scale, relativeScale } from './restarts.rules.ts'

const row = (restarts_seen: number) => ({ restarts_seen })
const saw = (restarts: number, generation = 1) => ({ id: 'a', generation, restarts })

test('a Docker host counts for everybody', () => {
  expect(absolute_scale.restartsOf(row(100), saw(3))).toBe(3)
})

test('on a Swarm a worker that came late counts on from the row, beginning with what it saw first', () => {
  const late = relativeScale()
  expect([0, 0, 1, 5].map((own) => late.restartsOf(row(100), saw(own)))).toEqual([100, 100, 101, 105])
  const later = relativeScale()
  expect([4, 5].map((own) => later.restartsOf(row(2), saw(own)))).toEqual([2, 3])
})

test('two workers who see the same failure count it once', () => {
  const [one, two] = [relativeScale(), relativeScale()]
  expect([one.restartsOf(row(7), saw(3)), two.restartsOf(row(7), saw(0))]).toEqual([7, 7])
  expect(one.restartsOf(row(7), saw(4))).toBe(8)
  expect([two.restartsOf(row(8), saw(0)), two.restartsOf(row(8), saw(1)), two.restartsOf(row(8), saw(2))]).toEqual([
    8, 8, 9,
  ])
})

test('a count that was begun anew is followed from then on, each generation for itself', () => {
  const scale = relativeScale()
  expect([scale.restartsOf(row(0), saw(0)), scale.restartsOf(row(5), saw(5))]).toEqual([0, 5])
  expect([scale.restartsOf(row(0), saw(5)), scale.restartsOf(row(0), saw(6))]).toEqual([0, 1])
  expect([scale.restartsOf(row(0), saw(2, 2)), scale.restartsOf(row(0), saw(3, 2))]).toEqual([0, 1])
  scale.retain([saw(9, 2)])
  expect([scale.restartsOf(row(0), saw(9)), scale.restartsOf(row(0), saw(4, 2))]).toEqual([0, 2])
})
