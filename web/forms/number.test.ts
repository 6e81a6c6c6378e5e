import { expect, test } from 'vitest'
import { numberText, parseNumber } from './number.ts'

test.each([
  ['en', '1234.5', 1_234.5],
  ['en', '1,234.5', 1_234.5],
  ['en', ' 1 234 567 ', 1_234_567],
  ['en', '1,5', undefined],
  ['en', '1.234,5', undefined],
  ['de', '1.234,5', 1_234.5],
  ['de', '0,25', 0.25],
  ['de', '1.234', 1_234],
  ['de', '1.5', undefined],
  ['de', '1,234.5', undefined],
  ['de', ',', undefined],
  ['de', '-3', -3],
  ['de', '−3', -3],
  ['de-CH', '1’234.5', 1_234.5],
  ['fr', '1\u202F234,5', 1_234.5],
  ['en', '', undefined],
  ['en', '1,23', undefined],
  ['en', '1e3', undefined],
  ['en', '12 apples', undefined],
])('%s: %j is %j', (locale, typed, value) => {
  expect(parseNumber(typed, locale)).toBe(value)
})

test.each(['en', 'de', 'de-CH', 'fr'])('%s: what is shown is understood', (locale) => {
  for (const value of [0, 7, -12, 1_234, 1_234_567.25, 0.001])
    for (const grouped of [true, false]) expect(parseNumber(numberText(value, locale, grouped), locale)).toBe(value)
})
