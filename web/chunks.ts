import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = dirname(fileURLToPath(import.meta.url))

/** The part of the bundler's module graph that is read here. */
interface Graph {
  getModuleInfo(id: string): ModuleInfo | null
}
interface ModuleInfo {
  code: string | null
  importedIds: readonly string[]
  dynamicallyImportedIds: readonly string[]
}

/** Mantine's index: an import from it counts as an import of the components that it names only. */
const mantine_index = /\/@mantine\/core\/esm\/index\.mjs$/
const namedImports = (code: string, from: RegExp) =>
  [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)]
    .filter(([, , source = '']) => from.test(source))
    .flatMap(([, names = '', source = '']) =>
      names.split(',').map((name) => ({ name: name.trim().split(/\s+as\s+/)[0] ?? '', source })),
    )

/** The modules that a module imports; of Mantine, its components one by one. */
function importsOf(graph: Graph, id: string): readonly string[] {
  const { importedIds = [], code } = graph.getModuleInfo(id) ?? {}
  const index = importedIds.find((one) => mantine_index.test(one))
  if (mantine_index.test(id)) return []
  if (index === undefined) return importedIds
  const parts = new Map(
    namedImports(graph.getModuleInfo(index)?.code ?? '', /^\.\//).map(({ name, source }) => [
      name,
      join(dirname(index), source),
    ]),
  )
  return [...importedIds, ...namedImports(code ?? '', /^@mantine\/core$/).flatMap(({ name }) => parts.get(name) ?? [])]
}

const areas = readdirSync(join(web, 'pages'))

/** The modules and all their static imports, transitively. */
function closureOf(graph: Graph, roots: readonly string[]) {
  const reached = new Set<string>()
  const pending = [...roots]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id)) continue
    reached.add(id)
    pending.push(...importsOf(graph, id))
  }
  return reached
}

/** Loaded after the page is drawn, with a library that no other page needs. */
const charts = [join(web, 'pages/account/points-chart.tsx'), join(web, 'pages/build/app-figures.tsx')]

const form_library = /\/@mantine\/form\//

/** The modules of one area, as two sets: those of its pages without forms, and those of its pages and components with forms. */
function modulesOfArea(graph: Graph, area: string) {
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
 * Assigns modules to few chunks. `base`: every page, and the landing page. `frame`: every page of a signed-in user, the
 * overview, and what several areas share. `<area>`: its pages. `console` and `<area>-forms`: forms and what pages with
 * forms need, and dialogs that any page may open. `charts`. A chunk imports only from those named before it: a page needs
 * three chunks, a page with forms five.
 */
function assignChunks(graph: Graph) {
  const dynamicImportsOf = (...path: string[]) => graph.getModuleInfo(join(web, ...path))?.dynamicallyImportedIds ?? []
  const home = 'pages/public/home.tsx'
  const groups: { chunk: string; area: string; modules: Set<string> }[] = [
    { chunk: 'charts', area: '', modules: closureOf(graph, charts) },
    ...areas.flatMap((area) => {
      const { pages, forms } = modulesOfArea(graph, area)
      return [
        { chunk: area, area, modules: pages },
        { chunk: `${area}-forms`, area, modules: forms },
      ]
    }),
  ]
  const chunkOf = (id: string) => {
    const used_by = groups.filter(({ modules }) => modules.has(id))
    const [first] = used_by
    if (used_by.length === 1) return first?.chunk
    if (used_by.every(({ area }) => area === first?.area)) return first?.area
    return used_by.some(({ chunk, area }) => chunk === area) ? 'frame' : 'console'
  }
  const chunks = new Map<string, string | undefined>()
  for (const { modules } of groups) for (const id of modules) chunks.set(id, chunkOf(id))
  for (const id of closureOf(graph, dynamicImportsOf('ui/root.tsx')))
    if (!chunks.has(id) || chunks.get(id)?.endsWith('-forms')) chunks.set(id, 'console')
  for (const id of closureOf(graph, [join(web, 'ui/frame.tsx'), ...dynamicImportsOf(home)])) chunks.set(id, 'frame')
  for (const id of closureOf(graph, [join(web, 'main.tsx'), join(web, home)])) chunks.set(id, 'base')
  return chunks
}

/** A function that names the chunk of a module; null leaves it to the bundler. */
export function chunkNames() {
  let chunks: Map<string, string | undefined> | undefined
  return (id: string, graph: Graph) =>
    id.includes('rolldown/runtime') ? 'base' : ((chunks ??= assignChunks(graph)).get(id) ?? null)
}

/** The route path of every page and its module. */
export const pageModules = () =>
  areas.flatMap((area) => {
    const source = readFileSync(join(web, 'pages', area, 'pages.ts'), 'utf8')
    return [...source.matchAll(/path: '([^']*)'[^]*?import\('\.\/([^']+)'\)/g)].map(([, path = '', file = '']) => ({
      path,
      module: join(web, 'pages', area, file),
    }))
  })
