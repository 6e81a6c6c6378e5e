import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import compile from 'icu-minify/compile'
import { package_root } from '../server/platform/package.ts'

/** The kinds of values in a text, as web/texts.ts names them. */
export type Kind = 'value' | 'number' | 'case' | 'tag'

/** By the number of a node's type in icu-minify. A node without a type is a value or a tag. */
const kinds = ['tag', 'case', 'number', 'number', 'number'] as const

/** The values that a text of the catalogue uses, by name. */
export function valuesOf(text: string): Record<string, Kind> {
  const values: Record<string, Kind> = {}
  const walk = (node: unknown): void => {
    if (!Array.isArray(node)) return
    const [name, type, ...rest] = node as [string, unknown, ...unknown[]]
    const kind = type === undefined ? 'value' : typeof type === 'number' ? kinds[type] : 'tag'
    if (kind === undefined) throw new Error(`${name} has a kind of value that texts do not take: ${text}`)
    if (values[name] === undefined || values[name] === 'value') values[name] = kind
    for (const part of kind === 'tag' ? [type, ...rest] : rest)
      if (Array.isArray(part)) walk(part)
      else if (typeof part === 'object') for (const branch of Object.values(part ?? {})) walkAll(branch)
  }
  const walkAll = (nodes: unknown) => {
    if (Array.isArray(nodes)) nodes.forEach(walk)
  }
  walkAll(compile(text))
  return values
}

const sorted = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** The languages, sorted by key. */
export async function printTexts(): Promise<Record<string, string>> {
  const folder = join(package_root, 'languages')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const read = async (name: string) =>
    sorted(JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, string>)
  const languages = await Promise.all(names.map(async (name) => [`languages/${name}`, await read(name)] as const))
  return Object.fromEntries(languages.map(([path, texts]) => [path, `${JSON.stringify(texts, null, 2)}\n`]))
}

/** `languages/texts.ts`: the keys of the catalogue with the kinds of their values, so that the compiler checks each use. */
export function printTextTypes(texts: Record<string, string>): string {
  const lines = Object.entries(texts).map(([key, text]) => {
    const values = Object.entries(valuesOf(text)).map(([name, kind]) => `${name}: '${kind}'`)
    return `  '${key}': ${values.length === 0 ? 'None' : `{ ${values.join('; ')} }`}`
  })
  return `// Printed by scripts/print-texts.ts from en.json: npm run print.

type None = Record<never, never>

/** The kinds of the values of every text. */
export interface Texts {
${lines.join('\n')}
}
`
}
