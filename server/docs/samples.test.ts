import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../platform/package.ts'
import { sampleBlocks } from '../test/samples.ts'
import { guide_names, other_documents, readGuides } from './guides.ts'
import { faultsOfBlocks } from '../test/guide.ts'

const folder = join(package_root, 'docs')

const sources = ['server', 'web', 'scripts', 'examples']
  .flatMap((root) =>
    readdirSync(join(package_root, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => join(package_root, root, name)),
  )
  .map((path) => readFileSync(path, 'utf8'))

/** Guides that a test follows from the first block to the last. */
const followed_whole = ['quickstart.md']

/** Languages of blocks that are not run. */
const shown = ['json', 'http', 'text', '']

test('every sample of the guides is run by a test: each block of code has an id that a test names with the file', () => {
  const blocks = sampleBlocks().filter(({ language }) => !shown.includes(language))
  expect(blocks.length).toBeGreaterThan(40)
  expect(
    faultsOfBlocks(
      blocks.filter(({ file }) => !followed_whole.includes(file)),
      sources,
    ),
  ).toEqual([])
  for (const file of followed_whole) expect(sources.some((source) => source.includes(`blocksOf('${file}'`))).toBe(true)
})

test('blocks shown as JSON are valid JSON', () => {
  for (const { language, text } of sampleBlocks()) if (language === 'json') JSON.parse(text)
})

test('every file of docs is a guide, with a title and a summary of one line, or is named as none', () => {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []))
  const known = [...guide_names, ...other_documents] as readonly string[]
  expect(names.filter((name) => !known.includes(name))).toEqual([])
  const guides = readGuides('https://served.example')
  expect(guides.length).toBeGreaterThan(8)
  for (const { name, title, summary, text } of guides) {
    expect([name, title.length > 3 && summary.length < 160]).toEqual([name, true])
    expect([name, text.includes('plaza.example')]).toEqual([name, false])
  }
})
