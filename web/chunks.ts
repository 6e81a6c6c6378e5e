import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = dirname(fileURLToPath(import.meta.url))

/** What the bundler tells of a module of the graph. */
interface Graph {
  getModuleInfo(id: string): ModuleInfo | null
}
interface ModuleInfo {
  code: string | null
  importedIds: readonly string[]
  dynamicallyImportedIds: readonly string[]
}

/** The component kit's list of all that it has: who imports from it imports the parts that it names, and no others. */
const kit_index = /\/@mantine\/core\/esm\/index\.mjs$/
const named = (code: string, from: RegExp) =>
  [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)]
    .filter(([, , source = '']) => from.test(source))
    .flatMap(([, names = '', source = '']) =>
      names.split(',').map((name) => ({ name: name.trim().split(/\s+as\s+/)[0] ?? '', source })),
    )

/** The modules that a module imports, those of the component kit one by one. */
function importsOf(graph: Graph, id: string): readonly string[] {
  const { importedIds = [], code } = graph.getModuleInfo(id) ?? {}
  const index = importedIds.find((one) => kit_index.test(one))
  if (kit_index.test(id)) return []
  if (index === undefined) return importedIds
  const parts = new Map(
    named(graph.getModuleInfo(index)?.code ?? '', /^\.\//).map(({ name, source }) => [
      name,
      join(dirname(index), source),
    ]),
  )
  return [...importedIds, ...named(code ?? '', /^@mantine\/core$/).flatMap(({ name }) => parts.get(name) ?? [])]
}

const areas = readdirSync(join(web, 'pages'))

/** A module and all that it imports statically, however far. */
function closureOf(graph: Graph, roots: readonly string[]) {
  const reached = new Set<string>()
  const waiting = [...roots]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id)) continue
    reached.add(id)
    waiting.push(...importsOf(graph, id))
  }
  return reached
}

/** Fetched when the page around it stands, with a library of their own that no other page needs. */
const charts = [join(web, 'pages/account/points-chart.tsx'), join(web, 'pages/build/app-figures.tsx')]

/**
 * Assigns modules to few chunks: `base`, which every page needs, with the first page for visitors; `frame`, which every
 * page for people who are signed in needs, with their first page; `console`, what areas share and what may be wanted on
 * any page; one for each area; and `charts`. So chunks import from those named before them only, and a page is complete
 * with four.
 */
function assignChunks(graph: Graph) {
  const dynamicImportsOf = (...path: string[]) => graph.getModuleInfo(join(web, ...path))?.dynamicallyImportedIds ?? []
  const home = 'pages/public/home.tsx'
  const needs: [chunk: string, modules: Set<string>][] = [
    ['charts', closureOf(graph, charts)],
    ...areas.map((area): [string, Set<string>] => [
      area,
      closureOf(graph, dynamicImportsOf('pages', area, 'pages.ts')),
    ]),
  ]
  const chunks = new Map<string, string>()
  for (const [chunk, modules] of needs) for (const id of modules) chunks.set(id, chunks.has(id) ? 'console' : chunk)
  for (const id of closureOf(graph, dynamicImportsOf('ui/root.tsx'))) chunks.set(id, 'console')
  for (const id of closureOf(graph, [join(web, 'ui/frame.tsx'), ...dynamicImportsOf(home)])) chunks.set(id, 'frame')
  for (const id of closureOf(graph, [join(web, 'main.tsx'), join(web, home)])) chunks.set(id, 'base')
  return chunks
}

/** Names the chunk of a module; undefined leaves it to the bundler. */
export function chunkNames() {
  let chunks: Map<string, string> | undefined
  return (id: string, graph: Graph) =>
    id.includes('rolldown/runtime') ? 'base' : ((chunks ??= assignChunks(graph)).get(id) ?? null)
}

/** The area whose pages begin with a word: `points` is `account`. The first page needs none. */
export const areasByWord = () =>
  Object.fromEntries(
    areas.flatMap((area) => {
      const source = readFileSync(join(web, 'pages', area, 'pages.ts'), 'utf8')
      return [...source.matchAll(/path: '\/([^'/]*)/g)].map(
        ([, word = '']) => [word, word === '' ? undefined : area] as const,
      )
    }),
  )
