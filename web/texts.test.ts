import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { valuesOf } from '../scripts/print-texts.ts'
import { package_root } from '../server/platform/package.ts'
import { mails_delayed, success_messages } from '../contract/success-messages.ts'
import { contractTexts } from './contract-texts.ts'
import { contractTranslator } from './contract-translator.ts'

const read = (path: string) => readFileSync(join(package_root, path), 'utf8')
const textsOf = (code: string) => JSON.parse(read(`languages/${code}.json`)) as Record<string, string>
const english = textsOf('en')
const translations = readdirSync(join(package_root, 'languages')).flatMap(
  (file) => /^(?!en)([a-z]+)\.json$/.exec(file)?.[1] ?? [],
)

const sourcesOf = (folder: string, wanted: RegExp) =>
  readdirSync(join(package_root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted.test(file) && !/(?:^|\/)test\/|\.test\.ts|^(?:docs|dev)\/|node_modules/.test(file))
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

test('no text of the console repeats another one in every language', () => {
  const keys = new Map<string, string[]>()
  const others = translations.map(textsOf)
  for (const key of Object.keys(english).filter((name) => !name.startsWith('mail.'))) {
    const words = JSON.stringify([english[key], ...others.map((texts) => texts[key])])
    keys.set(words, [...(keys.get(words) ?? []), key])
  }
  expect([...keys.values()].filter(({ length }) => length > 1)).toEqual([])
})

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()

test('D-125: every text of the contract has the values of the English one, and is found with any of them', () => {
  const contract = Object.entries(contractTexts())
  const written = (text: string) => text.replaceAll(/\{\w+\}/g, '7')
  for (const code of translations) {
    const texts = textsOf(code)
    const translate = contractTranslator(
      contract.map(([key, text]) => [text, texts[key]!]),
      code,
    )
    for (const [key, text] of contract) {
      expect([key, namesIn(texts[key]!)]).toEqual([key, namesIn(text)])
      const same = contract.flatMap(([other, its]) => (its === text ? [written(texts[other]!)] : []))
      expect(same, key).toContain(translate(written(text)))
    }
  }
})

test('D-125: a sentence of the API is found in another language, with its values, also one inside of another', () => {
  const german = textsOf('de')
  const translate = contractTranslator(
    Object.entries(contractTexts()).map(([key, text]) => [text, german[key]!]),
    'de',
  )
  expect(translate('is required')).toBe('muss angegeben werden')
  expect(translate('must NOT have more than 32768 characters')).toBe('darf höchstens 32.768 Zeichen haben')
  expect(translate('must be one of bronze, silver')).toBe('muss eines von diesen sein: bronze, silver')
  expect(translate(`${success_messages.code_mailed} ${mails_delayed}`)).toBe(
    `${german['success.code_mailed']} ${german['success.mails_delayed']!.replace('{sentence} ', '')}`,
  )
  expect(translate('Words of nobody.')).toBe('Words of nobody.')
})

test('every text is used', () => {
  const named = new Set<string>()
  for (const [, source] of [...sourcesOf('web', /\.tsx?$/), ...sourcesOf('server', /\.ts$/)])
    for (const [, key] of source.matchAll(/['"`](?=([^'"`\s]+?)(?:['"]|\$\{\w+\}`))/g)) named.add(key!)
  // A key is named in full, or up to its last point if a kind follows: `mail.notices.${kind}`.
  const isNamed = (key: string) => named.has(key) || named.has(key.slice(0, key.lastIndexOf('.') + 1))
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
/** Addresses, paths and upper-case names are not words. */
const hasWords = (text: unknown) =>
  typeof text === 'string' && /\p{Ll}{2}/u.test(text) && !/^(?:(?:https:\/\/)?shop\.example|\/\w+$)/.test(text)

/** The words in elements and their attributes; names of commands and settings are in `Code`. */
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

test('the elements of the console contain no words: they come from the catalogue', () => {
  const found = sourcesOf('web', /\.tsx$/).flatMap(([path, source]) =>
    wordsIn(parseSync(path, source).program as unknown as Node).map((words) => `${path}: ${words}`),
  )
  expect(found).toEqual([])
})
