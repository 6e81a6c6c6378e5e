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

/** The settings of the guide's tables, and of these the secrets. */
function settingsListed() {
  const text = readFileSync(join(package_root, 'docs/operating/settings.md'), 'utf8')
  const cells = text.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] ?? ''] : []))
  const found = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`( ●)?/g)])
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

test('the README and docs/hosting name every setting too', () => {
  const text = ['README.md', 'docs/hosting/README.md']
    .map((name) => readFileSync(join(package_root, name), 'utf8'))
    .join('')
  // `RATE_LIMIT_LOGIN`, `…_REGISTER`, …
  const endings = [...text.matchAll(/`…_([A-Z_]+)`/g)].map(([, ending]) => `RATE_LIMIT_${ending}`)
  const isNamed = (name: string) => text.includes(name) || endings.includes(name)
  expect(settingsRead().filter((name) => !isNamed(name))).toEqual([])
})
