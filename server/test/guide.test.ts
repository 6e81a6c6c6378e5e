import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../platform/package.ts'
import { guideBlocks, tokensOf, faultsOfBlocks } from './guide.ts'

const filesBelow = (folder: string, pattern: RegExp) =>
  existsSync(join(package_root, folder))
    ? readdirSync(join(package_root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => pattern.test(name) && !name.includes('node_modules'))
        .map((name) => join(package_root, folder, name))
    : []

const this_file = /guide\.test\.ts$/

/** The tests and drills by path, including fixtures: several tests may share one that runs a block. */
const tests = ['server', 'deploy', 'scripts', 'bench']
  .flatMap((folder) => filesBelow(folder, /\.ts$/))
  .filter((path) => !this_file.test(path) && /\.test\.ts$|\/test\//.test(path))
  .map((path) => readFileSync(path, 'utf8'))

test('a test runs every command of the operator’s guide: each sh block has an id that a test names together with the file', () => {
  const blocks = guideBlocks().filter(({ language, id }) => language === 'sh' || id !== undefined)
  expect(blocks.length).toBeGreaterThan(0)
  expect(faultsOfBlocks(blocks, tests)).toEqual([])
  const other_shells = guideBlocks().filter(({ language }) => /^(bash|shell|console|zsh|shell-session)$/.test(language))
  expect(other_shells).toEqual([])
})

/** The fragment of every heading, as GitHub generates it. */
const anchorsOf = (text: string) =>
  tokensOf(text).flatMap((token) =>
    token.type === 'heading'
      ? [
          String(token.text)
            .toLowerCase()
            .replace(/[^\p{L}\p{N} _-]/gu, '')
            .replaceAll(' ', '-'),
        ]
      : [],
  )

function wrongLinks(path: string): string[] {
  const targets = tokensOf(readFileSync(path, 'utf8')).flatMap((token) =>
    token.type === 'link' || token.type === 'image' ? [String(token.href)] : [],
  )
  return targets
    .filter((target) => !/^[a-z][a-z+.-]*:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#', 2)
      const linked = file === '' ? path : join(dirname(path), decodeURIComponent(file))
      if (!existsSync(linked)) return true
      return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(readFileSync(linked, 'utf8')).includes(anchor)
    })
    .map((target) => `${relative(package_root, path)} links to ${target}`)
}

test('links in documents lead to existing files and headings', () => {
  const documents = [
    ...filesBelow('docs', /\.md$/),
    ...readdirSync(package_root)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(package_root, name)),
  ]
  expect(documents.length).toBeGreaterThan(5)
  expect(documents.flatMap(wrongLinks)).toEqual([])
})
