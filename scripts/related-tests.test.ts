import { expect, test } from 'vitest'
import { relatedTests } from './related-tests.ts'

const folders: Record<string, string[]> = {
  'server/points': [
    'holds.service.ts',
    'holds.test.ts',
    'holds-races.test.ts',
    'points.test.ts',
    'crash.drill.test.ts',
  ],
  'server/oauth': ['apps.test.ts', 'authorize.browser.drill.test.ts'],
}
const related = (file: string) => relatedTests(file, (folder) => folders[folder] ?? [])

test.each([
  ['tests that begin with its name', 'server/points/holds.service.ts', ['holds.test.ts', 'holds-races.test.ts']],
  [
    'else all of its folder but drills',
    'server/points/functions.sql',
    ['holds.test.ts', 'holds-races.test.ts', 'points.test.ts'],
  ],
  ['itself', 'server/points/points.test.ts', ['points.test.ts']],
])('a changed file runs %s', (_, file, tests) => {
  expect(related(file)).toEqual(tests.map((name) => `server/points/${name}`))
})

test('a declaration of the contract runs the tests of its domain', () => {
  expect(related('contract/oauth-apps.ts')).toEqual(['server/oauth/apps.test.ts'])
})

test('a drill and a file without tests beside it run nothing', () => {
  expect(related('server/points/crash.drill.test.ts')).toEqual([])
  expect(related('bench/run.ts')).toEqual([])
})
