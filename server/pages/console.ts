import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { ConsoleSettings } from '../../contract/console-settings.ts'
import { tagOf } from '../http/entity-tags.ts'
import type { StaticFile } from '../http/static-file.ts'
import { escapeAttribute } from './settings.rules.ts'

export interface Console {
  /** The HTML document, split where the nonce is inserted. */
  document: string[]
  /** Every other file by its path: `/assets/index-1a2b3c.js`. */
  files: ReadonlyMap<string, StaticFile>
  /** Whether the console has a page at this path. */
  hasPage(path: string): boolean
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Reads the built console into memory, with the settings in its document; undefined if it is not built. */
export function readConsole(folder: string, settings: ConsoleSettings): Console | undefined {
  const index = join(folder, 'index.html')
  if (!existsSync(index)) return undefined
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = entries.map((entry) => join(entry.parentPath, entry.name))
  const files = names.flatMap((name) => {
    const type = types[extname(name)]
    return type === undefined
      ? []
      : [[`/${relative(folder, name).split(sep).join('/')}`, readFile(name, type)] as const]
  })
  const document = readFileSync(index, 'utf8').replace('%SETTINGS%', () => escapeAttribute(settings))
  return { document: document.split('%NONCE%'), files: new Map(files), hasPage: pageLookup(folder, settings) }
}

interface ListedPage {
  path: string
  /** Only a sandbox has the page. */
  sandbox?: true
}

/** The pages that the build lists in `pages.json`; a `$name` in a path is any one segment, as in the console's router. */
function pageLookup(folder: string, { is_sandbox }: ConsoleSettings) {
  const listed = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as ListedPage[]
  const paths = listed.filter(({ sandbox }) => is_sandbox || !sandbox).map(({ path }) => path.replace(/\/?$/, ''))
  const pattern = new RegExp(`^(?:${paths.map((path) => path.replace(/\$\w+/g, '[^/]+')).join('|')})/?$`, 'i')
  return (path: string) => pattern.test(path)
}

function readFile(name: string, type: string): StaticFile {
  const plain = readFileSync(name)
  const tag = tagOf(plain)
  const compressed = (ending: string) => (existsSync(name + ending) ? readFileSync(name + ending) : undefined)
  const [br, gzip] = [compressed('.br'), compressed('.gz')]
  return { type, immutable: name.includes(`${sep}assets${sep}`), tag, plain, ...(br && { br }), ...(gzip && { gzip }) }
}
