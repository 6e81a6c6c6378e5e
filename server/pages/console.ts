import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { ConsoleSettings } from '../../contract/console-settings.ts'
import { escapeAttribute } from './settings.rules.ts'

export interface ConsoleFile {
  type: string
  /** True if the file's name contains a hash of its content. */
  immutable: boolean
  etag: string
  /** The content, uncompressed and as compressed by the build. */
  plain: Buffer
  br?: Buffer
  gzip?: Buffer
}

export interface Console {
  /** The HTML document, split where the nonce is inserted. */
  document: string[]
  /** Every other file by its path: `/assets/index-1a2b3c.js`. */
  files: ReadonlyMap<string, ConsoleFile>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
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

function readFile(name: string, type: string): ConsoleFile {
  const plain = readFileSync(name)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  const compressed = (ending: string) => (existsSync(name + ending) ? readFileSync(name + ending) : undefined)
  const [br, gzip] = [compressed('.br'), compressed('.gz')]
  return { type, immutable: name.includes(`${sep}assets${sep}`), etag, plain, ...(br && { br }), ...(gzip && { gzip }) }
}

/** Selects the smallest accepted encoding of a file (`Accept-Encoding`). */
export function selectEncoding({ plain, br, gzip }: ConsoleFile, accept_encoding: string | undefined) {
  const accepted = new Set(
    (accept_encoding ?? '')
      .split(',')
      .map((part) => part.trim().toLowerCase().split(';'))
      .filter(([, quality]) => !/^\s*q=0(?:\.0*)?\s*$/.test(quality ?? ''))
      .map(([name]) => name),
  )
  if (br && accepted.has('br')) return { content: br, encoding: 'br' }
  if (gzip && accepted.has('gzip')) return { content: gzip, encoding: 'gzip' }
  return { content: plain }
}
