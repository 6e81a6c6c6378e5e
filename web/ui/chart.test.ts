import { expect, test } from 'vitest'
import { barsPath, labelledPlaces, linePath, marksTo, stacked } from './chart.rules.ts'

test('a scale has few round marks, the last at or above the highest value', () => {
  expect([0, 1, 7, 413, 1_000, 0.25].map((highest) => marksTo(highest))).toEqual([
    [0, 0.5],
    [0, 0.5, 1],
    [0, 2, 4, 6, 8],
    [0, 200, 400, 600],
    [0, 500, 1_000],
    [0, 0.1, 0.2, 0.30000000000000004],
  ])
  expect([0, 1, 2].map((highest) => marksTo(highest, true))).toEqual([
    [0, 1],
    [0, 1],
    [0, 1, 2],
  ])
})

test('labels are few, at equal distances and away from the edges', () => {
  expect(labelledPlaces(30, 6)).toEqual([2, 7, 12, 17, 22, 27])
  expect(labelledPlaces(365, 6)).toEqual([30, 91, 152, 213, 274, 335])
  expect(labelledPlaces(2, 6)).toEqual([0, 1])
  expect(labelledPlaces(0, 6)).toEqual([])
})

const places = { xOf: (at: number) => at * 10, yOf: (value: number) => 100 - value }

test('a line is broken where a value is missing; steps hold a value since the place before', () => {
  expect(linePath([1, 2, null, 3], places)).toBe('M0 99h0L10 98M30 97h0')
  expect(linePath([1, 2], places, true)).toBe('M0 99h0V98H10')
  expect(linePath([null, null], places)).toBe('')
  expect([linePath([1], places), linePath([1], places, true), linePath([null], places)]).toEqual([
    'M0 99H100',
    'M0 99H100',
    '',
  ])
})

test('the parts of a stack are on top of each other; a missing value adds nothing', () => {
  expect(stacked([[1, null, 2], [4]])).toEqual([[1, 1, 3], [4]])
})

test('a bar is three quarters as wide as its place', () => {
  expect(barsPath([5, null], places)).toBe('M-18.75 100V95h37.5V100ZM-8.75 100V100h37.5V100Z')
})
