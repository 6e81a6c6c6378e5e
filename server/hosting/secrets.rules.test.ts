import { expect, test } from 'vitest'
import { environmentEntries, secretValues } from './secrets.rules.ts'

const masked = (env: Record<string, string>) => secretValues(Object.entries(env))

test('D-60: values that may be secrets are masked: by their name, or if they have at least twelve characters', () => {
  expect(masked({ NODE_ENV: 'production', PORT: '3000', LOG_LEVEL: 'debug', MONTH: 'November', A: '' })).toEqual([])
  for (const name of [
    'TOKEN',
    'api_key',
    'DB_PASSWORD',
    'CLIENT_SECRET',
    'PGPASSFILE',
    'COOKIE_SALT',
    'CARD_PIN',
    'PW',
  ])
    expect([name, masked({ [name]: 'hunter22' })]).toEqual([name, ['hunter22']])
  for (const name of ['SPINNER', 'PWA', 'REGION']) expect([name, masked({ [name]: 'hunter22' })]).toEqual([name, []])
  expect(masked({ DATABASE: 'pg://u:x@h/db' })).toEqual(['pg://u:x@h/db'])
  expect(masked({ KEY: 'ab' })).toEqual([])
  expect(masked({ KEY: 'first\nsecond one\nx' })).toEqual(['first\nsecond one\nx', 'second one', 'first'])
  expect(masked({ TEXT: 'first\nsecond one\nx' })).toEqual(['first\nsecond one\nx'])
})

test('entries of an engine keep the text after the first equals sign', () => {
  expect(environmentEntries(['A=b=c', 'B=', 'TOKEN=x y'])).toEqual([
    ['A', 'b=c'],
    ['B', ''],
    ['TOKEN', 'x y'],
  ])
})
