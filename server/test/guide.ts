import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked, type Token } from 'marked'
import { package_root } from '../platform/package.ts'
import type { Env } from '../platform/env-reader.ts'
import { startProcess } from './processes.ts'

/** The operator's guide. */
const guide_folder = join(package_root, 'docs/operating')

export interface CodeBlock {
  /** The name of the file in docs/operating. */
  file: string
  language: string
  /** The id in ```` ```sh id=take-a-backup ````. */
  id: string | undefined
  text: string
}

/** Every token of a Markdown text, including nested ones. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  void marked.walkTokens(marked.lexer(text), (token) => void tokens.push(token))
  return tokens
}

/** All code blocks of the guide, in order. */
export function guideBlocks(): CodeBlock[] {
  const files = readdirSync(guide_folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  return files.sort().flatMap((file) => blocksOf(file, readFileSync(join(guide_folder, file), 'utf8')))
}

/** The code blocks of a Markdown text, in order. */
export const blocksOf = (file: string, text: string): CodeBlock[] =>
  tokensOf(text).flatMap((token) => {
    if (token.type !== 'code') return []
    const [language = '', ...attributes] = String(token.lang ?? '').split(/\s+/)
    const id = attributes.find((attribute) => attribute.startsWith('id='))?.slice('id='.length)
    return [{ file, language, id, text: String(token.text) }]
  })

/** The faults of blocks that tests must run: each needs a unique id, and one of these sources must name the file and the id. */
export function faultsOfBlocks(blocks: readonly CodeBlock[], sources: readonly string[]): string[] {
  const ids = blocks.map(({ file, id }) => `${file} ${id}`)
  return blocks.flatMap(({ file, id, text }, at) => {
    if (id === undefined) return [`${file}: the block "${text.split('\n')[0]}" has no id`]
    if (ids.indexOf(`${file} ${id}`) !== at) return [`${file}: another block has the id ${id}`]
    const is_run = sources.some((source) => source.includes(`'${file}'`) && source.includes(`'${id}'`))
    return is_run ? [] : [`${file}: no test names '${file}' and '${id}'`]
  })
}

/**
 * The commands of the block ```` ```sh id=<id> ```` in docs/operating/<file>. Throws if it does not exist. A test names file and id as
 * plain text, so that guide.test.ts sees that the block is run.
 */
export function guideCommands(file: string, id: string): string {
  const block = guideBlocks().find((candidate) => candidate.file === file && candidate.id === id)
  if (!block) throw new Error(`docs/operating/${file} has no block with id=${id}`)
  return block.text
}

/**
 * Runs the commands of a block with `sh`, which ends at the first failure; resolves when it has ended. `replace` substitutes texts for
 * which the test has other values (a host, a file); every text to replace must exist.
 */
export function runGuide(
  file: string,
  id: string,
  env: Env,
  { cwd = package_root, replace = {} }: { cwd?: string; replace?: Readonly<Record<string, string>> } = {},
) {
  let commands = guideCommands(file, id)
  for (const [text, replacement] of Object.entries(replace)) {
    if (!commands.includes(text)) throw new Error(`the block ${id} of docs/operating/${file} does not hold ${text}`)
    commands = commands.replaceAll(text, replacement)
  }
  return startProcess('sh', ['-euc', commands], env, { cwd }).ended
}
