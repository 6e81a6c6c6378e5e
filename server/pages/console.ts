import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { ConsoleSettings } from '../../contract/console-settings.ts'
import { etagOf, type StaticFile } from '../http/static-file.ts'
import { escapeAttribute } from './settings.rules.ts'

export interface Console {
  /** The HTML document, split where the nonce is inserted. */
  document: string[]
  /** Every other file by its path: `/assets/index-1a2b3c.js`. */
  files: ReadonlyMap<string, StaticFile>
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
  return { document: document.split('%NONCE%'), files: new Map(files) }
}

function readFile(name: string, type: string): StaticFile {
  const plain = readFileSync(name)
  const etag = etagOf(plain)
  const compressed = (ending: string) => (existsSync(name + ending) ? readFileSync(name + ending) : undefined)
  const [br, gzip] = [compressed('.br'), compressed('.gz')]
  return { type, immutable: name.includes(`${sep}assets${sep}`), etag, plain, ...(br && { br }), ...(gzip && { gzip }) }
}
