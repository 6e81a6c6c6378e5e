import { expect, test } from 'vitest'
import { chooseLocale } from './locale.ts'

test.each([
  [['en-US@posix'], 'en', 'en'],
  [['en-US@posix', 'en-GB'], 'en', 'en-GB'],
  [['de_DE.UTF-8', 'en-US'], 'de', 'de'],
  [['de-AT@euro', 'de-CH'], 'de', 'de-CH'],
  [['C', 'POSIX', 'C.UTF-8'], 'en', 'en'],
  [['', '-', '@', '*', 'en-'], 'en', 'en'],
  [['de-'], 'de', 'de'],
  [['DE-de'], 'de', 'DE-de'],
  [['en-u-ca-nonsense-'], 'en', 'en'],
  [['fr-FR', 'de-DE'], 'de', 'de-DE'],
  [['zh-Hant-TW'], 'en', 'en'],
  [[], 'en', 'en'],
])('F1: of %j the console is in %s, and dates are of %s', (wanted, language, locale) => {
  expect(chooseLocale(wanted, ['en', 'de'])).toEqual({ language, locale })
  expect(() => new Intl.NumberFormat(locale)).not.toThrow()
})
