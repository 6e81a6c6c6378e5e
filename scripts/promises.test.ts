import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../server/platform/package.ts'
import { faultsOf, hasTest, readPromises } from './promises.ts'

const read = (file: string) => readFileSync(join(package_root, file), 'utf8')

test('every promise of docs/promises.md names tests, and each of them exists', () => {
  const promises = readPromises(read('docs/promises.md'))
  expect(promises.length).toBeGreaterThan(30)
  const sourceOf = (file: string) =>
    file.endsWith('.test.ts') && existsSync(join(package_root, file)) ? read(file) : undefined
  expect(faultsOf(promises, sourceOf)).toEqual([])
})

test('a promise without a test, a missing file and a missing title are reported', () => {
  const text = [
    '## Group',
    '- One.',
    '  - [a.test.ts](../a.test.ts) · it holds',
    '- Two.',
    '- Three.',
    '  - [b.test.ts](../b.test.ts) · it holds',
    '  - [a.test.ts](../a.test.ts) · it held',
  ].join('\n')
  const sources: Record<string, string> = { 'a.test.ts': "test('it holds', () => {})" }
  expect(faultsOf(readPromises(text), (file) => sources[file])).toEqual([
    'no test proves: Two.',
    'there is no b.test.ts',
    'a.test.ts has no test “it held”',
  ])
})

test.each([
  '- One.\n  - a.test.ts: it holds',
  '  - [a.test.ts](../a.test.ts) · it holds',
  '- One.\n  - [a](../b) · it holds',
])('a line that is neither a promise nor a test of one is refused: %j', (text) => {
  expect(() => readPromises(text)).toThrow('neither a promise nor a test of one')
})

test('a title must be the first argument of a test that runs', () => {
  expect(hasTest(`test("it's so", () => {})`, "it's so")).toBe(true)
  expect(hasTest(String.raw`test('it\'s so', () => {})`, "it's so")).toBe(true)
  expect(hasTest('test.each([[1], [2]])(`${x} of %s`, () => {})', '${x} of %s')).toBe(true)
  expect(hasTest('test.each([\n  ["a", () => b(1)],\n])(\n  "kill of %s",\n  async () => {},\n)', 'kill of %s')).toBe(
    true,
  )
  expect(hasTest("import { test } from 'vitest'\ntest.skip('it holds', () => {})", 'it holds')).toBe(false)
  expect(hasTest("test('it holds well', () => {})", 'it holds')).toBe(false)
  expect(hasTest("// it holds\nconst text = 'it holds'", 'it holds')).toBe(false)
})
