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

const form_library = /\/@mantine\/form\//

/** The modules of one area, as two sets: what its pages without forms need, and what its pages and parts with forms need. */
function needsOfArea(graph: Graph, area: string) {
  const folder = join(web, 'pages', area)
  const dynamicImportsOf = (id: string) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []
  const pages = dynamicImportsOf(join(folder, 'pages.ts'))
  const own = [...closureOf(graph, pages)].filter((id) => id.startsWith(folder))
  const hasForms = (id: string) => [...closureOf(graph, [id])].some((module) => form_library.test(module))
  const with_forms = new Set([...pages, ...own.flatMap(dynamicImportsOf)].filter(hasForms))
  const without = pages.filter((page) => !with_forms.has(page))
  return { pages: closureOf(graph, without), forms: closureOf(graph, [...with_forms]) }
}

/**
 * Assigns modules to few chunks: `base`, which every page needs, with the first page for visitors; `frame`, which every
 * page for people who are signed in needs, with their first page and with what the pages of several areas share; one for
 * each area; `console` and one more for each area, with forms and what else pages need that have one, or that may be
 * wanted on any page; and `charts`. So chunks import from those named before them only: a page is complete with three,
 * with forms with five.
 */
function assignChunks(graph: Graph) {
  const dynamicImportsOf = (...path: string[]) => graph.getModuleInfo(join(web, ...path))?.dynamicallyImportedIds ?? []
  const home = 'pages/public/home.tsx'
  const needs: { chunk: string; area: string; modules: Set<string> }[] = [
    { chunk: 'charts', area: '', modules: closureOf(graph, charts) },
    ...areas.flatMap((area) => {
      const { pages, forms } = needsOfArea(graph, area)
      return [
        { chunk: area, area, modules: pages },
        { chunk: `${area}-forms`, area, modules: forms },
      ]
    }),
  ]
  const chunkOf = (id: string) => {
    const by = needs.filter(({ modules }) => modules.has(id))
    const [first] = by
    if (by.length === 1) return first?.chunk
    if (by.every(({ area }) => area === first?.area)) return first?.area
    return by.some(({ chunk, area }) => chunk === area) ? 'frame' : 'console'
  }
  const chunks = new Map<string, string | undefined>()
  for (const { modules } of needs) for (const id of modules) chunks.set(id, chunkOf(id))
  for (const id of closureOf(graph, dynamicImportsOf('ui/root.tsx')))
    if (!chunks.has(id) || chunks.get(id)?.endsWith('-forms')) chunks.set(id, 'console')
  for (const id of closureOf(graph, [join(web, 'ui/frame.tsx'), ...dynamicImportsOf(home)])) chunks.set(id, 'frame')
  for (const id of closureOf(graph, [join(web, 'main.tsx'), join(web, home)])) chunks.set(id, 'base')
  return chunks
}

/** Names the chunk of a module; undefined leaves it to the bundler. */
export function chunkNames() {
  let chunks: Map<string, string | undefined> | undefined
  return (id: string, graph: Graph) =>
    id.includes('rolldown/runtime') ? 'base' : ((chunks ??= assignChunks(graph)).get(id) ?? null)
}

/** Every page's path, as the router reads it, and its module. */
export const pageModules = () =>
  areas.flatMap((area) => {
    const source = readFileSync(join(web, 'pages', area, 'pages.ts'), 'utf8')
    return [...source.matchAll(/path: '([^']*)'[^]*?import\('\.\/([^']+)'\)/g)].map(([, path = '', file = '']) => ({
      path,
      module: join(web, 'pages', area, file),
    }))
  })
