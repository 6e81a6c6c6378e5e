import { expect, test } from 'vitest'
import { defineCommand } from './command.ts'
import { parseCommand } from './parse.ts'

const command = defineCommand({
  parameters: ['<file>', '[other]'],
  options: { since: { value: 'TIME', summary: 'from when on' }, json: { summary: 'for machines' } },
  summary: 'a command of the test',
  run: async () => 0,
})
const parse = (...args: string[]) => parseCommand('try', command, args)

test('options may be anywhere, with = or a blank; after -- only parameters follow', () => {
  expect(parse('a', '--since', 'now', '--json')).toEqual({
    parameters: ['a'],
    options: { since: 'now', json: true },
    wants_help: false,
  })
  expect(parse('--since=now', 'a', 'b').options).toEqual({ since: 'now' })
  expect(parse('a', '--', '--json')).toMatchObject({ parameters: ['a', '--json'], options: {} })
})

test('help is printed regardless of missing arguments', () => {
  expect(parse('--help').wants_help).toBe(true)
  expect(parse('a', 'b', 'c', '-h').wants_help).toBe(true)
})

test('each wrong usage has its error', () => {
  const cases: [string[], string][] = [
    [[], '"try" takes <file> [other].'],
    [['a', 'b', 'c'], '"try" takes <file> [other].'],
    [['a', '--sinc', 'now'], '"try" has no option --sinc.'],
    [['a', '--since'], '--since needs a value: --since TIME.'],
    [['a', '--since='], '--since needs a value: --since TIME.'],
    [['a', '--json=yes'], '--json takes no value.'],
    [['a', '--json', '--json'], '"try" takes --json once.'],
  ]
  for (const [args, message] of cases) expect(() => parse(...args)).toThrow(message)
})
