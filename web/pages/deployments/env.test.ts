import { expect, test } from 'vitest'
import { environmentError, mergeVariables, parseEnv, toEnvVars, variableError } from './env.ts'

test('parseEnv reads comments, export, quotes, several lines, and the last value of a name', () => {
  const file = `# the shop
export DATABASE_URL=postgres://shop:p#ss@db/shop
EMPTY=
GREETING="Hello, \\"Ada\\"\\nand friends"  # a comment
RAW='no $escapes \\n here'
KEY="-----BEGIN KEY-----
abc=
-----END KEY-----"
PLAIN = spaced out   # a comment
PLAIN=last
not an assignment
`
  expect(parseEnv(file)).toEqual([
    { name: 'DATABASE_URL', value: 'postgres://shop:p#ss@db/shop' },
    { name: 'EMPTY', value: '' },
    { name: 'GREETING', value: 'Hello, "Ada"\nand friends' },
    { name: 'RAW', value: 'no $escapes \\n here' },
    { name: 'KEY', value: '-----BEGIN KEY-----\nabc=\n-----END KEY-----' },
    { name: 'PLAIN', value: 'last' },
  ])
})

test('pasted variables replace those of the same name', () => {
  const before = [
    { name: 'A', value: '1' },
    { name: '', value: '' },
    { name: 'B', value: '2' },
  ]
  expect(mergeVariables(before, [{ name: 'B', value: '3' }])).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: '3' },
  ])
})

test('D-60: names and sizes are validated as the API validates them', () => {
  const errorOf = (name: string, value = '') => variableError({ name, value }, [{ name, value }])
  expect(errorOf('GOOD_1')).toBeUndefined()
  expect(errorOf('1BAD')).toBe('Letters, digits and _ only, and no digit first.')
  expect(errorOf('PORT', '80')).toBe('Plaza sets PORT itself, to the port above: leave it out.')
  expect(errorOf('BIG', 'é'.repeat(16_384))).toBeUndefined()
  expect(errorOf('BIG', 'é'.repeat(16_385))).toBe('The value is longer than 32 KiB.')
  const many = Array.from({ length: 51 }, (_, at) => ({ name: `V${at}`, value: '' }))
  expect(environmentError(many)).toBe('At most 50 variables; these are 51.')
  expect(environmentError(many.slice(1))).toBeUndefined()
  expect(toEnvVars([...many.slice(0, 1), { name: '', value: '' }])).toEqual({ V0: '' })
})
