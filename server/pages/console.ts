import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { ConsoleSettings } from '../../contract/console-settings.ts'
import { tagOf } from '../http/entity-tags.ts'
import type { StaticFile } from '../http/static-file.ts'
import { escapeAttribute } from './settings.rules.ts'

export interface Console {
  /** The HTML document, with the placeholders `%NONCE%` and `%HEAD%`. */
  document: string
  /** Every other file by its path: `/assets/index-1a2b3c.js`. */
  files: ReadonlyMap<string, StaticFile>
  /** The page at a path; undefined if the console has none. */
  findPage(path: string): ListedPage | undefined
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/** Reads the built console into memory, with the settings in its document; undefined if it is not built. */
export function readConsole(folder: string, settings: ConsoleSettings): Console | undefined {
  const index = join(folder, 'index.html')
  if (!existsSync(index)) return undefined
  const build = `${folder} ${statSync(index).mtimeMs}`
  if (latest?.build !== build) latest = { build, files: readFiles(folder) }
  const document = readFileSync(index, 'utf8').replace('%SETTINGS%', () => escapeAttribute(settings))
  return { document, files: latest.files, findPage: pageLookup(folder, settings) }
}

/** A build is read once per process, which takes 35 ms, because tests start many services. */
let latest: { build: string; files: Console['files'] } | undefined

function readFiles(folder: string): Console['files'] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = entries.map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    names.flatMap((name) => {
      const type = types[extname(name)]
      return type === undefined
        ? []
        : [[`/${relative(folder, name).split(sep).join('/')}`, readFile(name, type)] as const]
    }),
  )
}

interface ListedPage {
  path: string
  /** The text of its title. */
  title: string
  /** Only a sandbox has this page. */
  sandbox?: true
}

/**
 * The pages that the build lists in `pages.json`; a `$name` in a path matches one segment, as in the console's router.
 */
function pageLookup(folder: string, { is_sandbox }: ConsoleSettings) {
  const listed = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as ListedPage[]
  const pages = listed
    .filter(({ sandbox }) => is_sandbox || !sandbox)
    .map((page) => ({
      page,
      pattern: new RegExp(`^${page.path.replace(/\/?$/, '').replace(/\$\w+/g, '[^/]+')}/?$`, 'i'),
    }))
  return (path: string) => pages.find(({ pattern }) => pattern.test(path))?.page
}

function readFile(name: string, type: string): StaticFile {
  const plain = readFileSync(name)
  const tag = tagOf(plain)
  const compressed = (ending: string) => (existsSync(name + ending) ? readFileSync(name + ending) : undefined)
  const [br, gzip] = [compressed('.br'), compressed('.gz')]
  return { type, immutable: name.includes(`${sep}assets${sep}`), tag, plain, ...(br && { br }), ...(gzip && { gzip }) }
}
