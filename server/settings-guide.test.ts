import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { package_root } from './platform/package.ts'

/** The names of all variables that a start reads. */
function settingsRead() {
  const names = new Set<string>()
  readConfig(
    new Proxy<Record<string, string>>(
      {},
      { get: (_, name) => (typeof name === 'string' && names.add(name), undefined) },
    ),
  )
  return [...names]
}

/** The settings in the first column of a document's tables, each with its mark for secrets. */
function namesWithMarks(text: string) {
  const cells = text.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] ?? ''] : []))
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`( ●)?/g)])
}
const namesIn = (text: string) => namesWithMarks(text).map(([, name = '']) => name)

/** The settings in the guide's tables, and which of them are secret. */
function settingsListed() {
  const text = readFileSync(join(package_root, 'docs/operating/settings.md'), 'utf8')
  const found = namesWithMarks(text)
  return {
    names: found.map(([, name = '']) => name),
    secrets: found.flatMap(([, name = '', mark]) => (mark ? [name] : [])),
  }
}

test('the operator’s guide lists every setting once, and marks those that a file may hold', () => {
  const read = settingsRead()
  const { names, secrets } = settingsListed()
  const secrets_read = read.filter((name) => read.includes(`${name}_FILE`))
  expect(names.toSorted()).toEqual(read.filter((name) => !name.endsWith('_FILE')).toSorted())
  expect(secrets.toSorted()).toEqual(secrets_read.toSorted())
})

test('docs/hosting explains every setting of the guide’s part about hosting', () => {
  const read = (name: string) => readFileSync(join(package_root, name), 'utf8')
  const [, of_hosting = ''] = read('docs/operating/settings.md').split('\n## Hosting\n')
  const explained = new Set(namesIn(read('docs/hosting/README.md')))
  expect(namesIn(of_hosting).length).toBeGreaterThan(15)
  expect(namesIn(of_hosting).filter((name) => !explained.has(name))).toEqual([])
})
