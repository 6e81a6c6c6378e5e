import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { valuesOf } from '../scripts/print-texts.ts'
import { package_root } from '../server/platform/package.ts'
import { contractTexts } from './contract-texts.ts'

const read = (path: string) => readFileSync(join(package_root, path), 'utf8')
const textsOf = (code: string) => JSON.parse(read(`languages/${code}.json`)) as Record<string, string>
const english = textsOf('en')
const translations = readdirSync(join(package_root, 'languages')).flatMap(
  (file) => /^(?!en)([a-z]+)\.json$/.exec(file)?.[1] ?? [],
)

const sourcesOf = (folder: string, wanted: RegExp) =>
  readdirSync(join(package_root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted.test(file) && !/(?:^|\/)test\/|\.test\.ts|^docs\/|node_modules/.test(file))
    .map((file) => [`${folder}/${file}`, read(`${folder}/${file}`)] as const)

test('German is complete; every language has the texts that English has and those of the contract, with the same values', () => {
  expect(translations).toContain('de')
  for (const code of translations) {
    const texts = textsOf(code)
    const wanted = [...Object.keys(english), ...Object.keys(contractTexts())].toSorted()
    expect(Object.keys(texts).toSorted(), code).toEqual(wanted)
    for (const [key, text] of Object.entries(english))
      expect([key, valuesOf(texts[key]!)]).toEqual([key, valuesOf(text)])
  }
})

test('every text is used', () => {
  const sources = [...sourcesOf('web', /\.tsx?$/), ...sourcesOf('server', /\.ts$/)]
    .map(([, source]) => source)
    .join('\n')
  const isNamed = (key: string) => sources.includes(`'${key}'`) || sources.includes(`"${key}"`)
  const unused = Object.keys(english).filter(
    (key) => !isNamed(key) && !isNamed(key.replace(/^(mail\..*)\.(?:subject|text)$/, '$1')),
  )
  expect(unused).toEqual([])
})

interface Node {
  type: string
  [field: string]: unknown
}

const childrenOf = (node: Node) =>
  Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value)

/** Attributes whose values people read or hear. */
const shown = /^(?:title|label|about|placeholder|description|aria-label|alt|hint|action)$/
/** Addresses and names in capitals are no words. */
const hasWords = (text: unknown) =>
  typeof text === 'string' && /\p{Ll}{2}/u.test(text) && !/^(?:https:\/\/)?shop\.example/.test(text)

/** What stands in elements or their attributes as words; names of commands and settings stand in `Code`. */
function wordsIn(node: Node): string[] {
  if (node.type === 'JSXElement' && /^(?:Code|code)$/.test(String((node.openingElement as { name: Node }).name.name)))
    return []
  if (node.type === 'JSXText') return hasWords(node.value) && node.value !== 'Plaza' ? [String(node.value).trim()] : []
  if (node.type === 'JSXAttribute') {
    const { name, value } = node as unknown as { name: { name: string }; value: Node | null }
    if (value?.type === 'Literal') return shown.test(name.name) && hasWords(value.value) ? [String(value.value)] : []
  }
  return childrenOf(node).flatMap(wordsIn)
}

test('no words stand in the elements of the console: they come from the catalogue', () => {
  const found = sourcesOf('web', /\.tsx$/).flatMap(([path, source]) =>
    wordsIn(parseSync(path, source).program as unknown as Node).map((words) => `${path}: ${words}`),
  )
  expect(found).toEqual([])
})
