import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { package_root } from '../server/platform/package.ts'
import { anchorsOf, brokenReferences, documentsIn } from './documents.ts'

const read = (path: string) => readFileSync(join(package_root, path), 'utf8')

test('every link of a document leads to a file and a heading, and every source file that it names exists', () => {
  const documents = documentsIn(package_root)
  expect(documents.length).toBeGreaterThan(40)
  expect(documents.flatMap((path) => brokenReferences(package_root, path).map((at) => `${path}: ${at}`))).toEqual([])
})

test('the README has at most 120 lines, and all entry documents together at most 3,500 words', () => {
  const entry = ['README', 'ARCHITECTURE', 'STYLE', 'AGENTS', 'CONTRIBUTING', 'docs/glossary'].map((name) =>
    read(`${name}.md`),
  )
  expect(entry[0]!.split('\n').length).toBeLessThanOrEqual(121)
  expect(entry.flatMap((text) => text.trim().split(/\s+/)).length).toBeLessThanOrEqual(3_500)
})

test('missing files, missing headings and missing pictures are named; code and addresses are not', () => {
  const root = mkdtempSync(join(tmpdir(), 'plaza-documents-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const text = [
    '# A title with `code`',
    '[a](#a-title-with-code) [b](#no-title) [c](here.md) [d](gone.md) [e](here.md#no) [f](https://plaza.example/x)',
    '<img src="gone.webp">, `server/gone.ts`',
    '```sh',
    '# [g](gone.md)',
    '```',
  ].join('\n')
  writeFileSync(join(root, 'here.md'), text)
  expect(brokenReferences(root, 'here.md')).toEqual([
    '#no-title',
    'gone.md',
    'here.md#no',
    'gone.webp',
    'server/gone.ts',
  ])
  expect(anchorsOf(text)).toEqual(['a-title-with-code'])
})
