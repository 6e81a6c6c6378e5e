import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../server/platform/package.ts'
import { printAsvs, readRequirements } from './asvs.ts'
import { faultsOf } from './promises.ts'

const sourceOf = (file: string) =>
  file.endsWith('.test.ts') && existsSync(join(package_root, file))
    ? readFileSync(join(package_root, file), 'utf8')
    : undefined

test('each of the 253 requirements of ASVS is there once: with a test that exists, why it does not apply, or what is open', () => {
  const all = readRequirements()
  expect([all.length, new Set(all.map(({ id }) => id)).size]).toEqual([253, 253])
  expect(all.filter(({ state }) => !['covered', 'not_applicable', 'open'].includes(state))).toEqual([])
  expect(all.filter(({ state, reason }) => (state === 'covered') !== (reason === ''))).toEqual([])
  expect(all.filter(({ id, level }) => !/^V\d+\.\d+\.\d+$/.test(id) || !['1', '2'].includes(level))).toEqual([])
  const covered = all.filter(({ state }) => state === 'covered')
  expect(faultsOf([{ sentence: 'ASVS', tests: covered }], sourceOf)).toEqual([])
})

test('a test that does not exist is a fault', () => {
  const tests = [
    { file: 'scripts/nothing.test.ts', title: 'nothing' },
    { file: 'scripts/asvs.test.ts', title: 'nothing' },
  ]
  expect(faultsOf([{ sentence: 'ASVS', tests }], sourceOf)).toEqual([
    'there is no scripts/nothing.test.ts',
    'scripts/asvs.test.ts has no test “nothing”',
  ])
})

test('the document has a row for each requirement', () => {
  expect(printAsvs().match(/^\| V\d+/gm)?.length).toBe(253)
})
