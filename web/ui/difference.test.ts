import { expect, test } from 'vitest'
import { differenceOf, wordsOf } from './difference.ts'

const words = (before: string, after: string) =>
  differenceOf(wordsOf(before), wordsOf(after)).map(({ kind, text }) => [kind, text])

test('D-81: a difference has what stayed, what was removed and what was added, in reading order', () => {
  expect(words('A shop for kites.', 'A shop for kites.')).toEqual([['same', 'A shop for kites.']])
  expect(words('A shop for kites.', 'A small shop for lanterns.')).toEqual([
    ['same', 'A '],
    ['added', 'small '],
    ['same', 'shop for '],
    ['removed', 'kites.'],
    ['added', 'lanterns.'],
  ])
  expect(words('', 'New')).toEqual([['added', 'New']])
  expect(words('Old', '')).toEqual([['removed', 'Old']])
  expect(words('', '')).toEqual([])
})

test('D-81: an entry that was removed from the middle of a list is the only change', () => {
  expect(differenceOf(['a', 'b', 'c'], ['a', 'c'])).toEqual([
    { kind: 'same', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'same', text: 'c' },
  ])
})
