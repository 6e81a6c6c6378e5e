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

/** Indexes of libraries: an import from one counts as an import of the modules whose names it takes only. */
const library_index =
  /\/node_modules\/(@mantine\/(?:core|hooks|notifications)|@tanstack\/(?:react-query|query-core))\/(?:esm|build\/modern)\/index\.m?js$/
const namedImports = (code: string, from: RegExp) =>
  [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)]
    .filter(([, , source = '']) => from.test(source))
    .flatMap(([, names = '', source = '']) =>
      names.split(',').map((name) => ({ name: name.trim().split(/\s+as\s+/)[0] ?? '', source })),
    )

/** The modules whose names a module takes from an index, or from one that the index passes on. */
function namedModules(graph: Graph, code: string, index: string): string[] {
  const [, library = ''] = library_index.exec(index) ?? []
  const { code: listing, importedIds = [] } = graph.getModuleInfo(index) ?? { code: '' }
  const files = new Map(
    namedImports(listing ?? '', /^\.\//).map(({ name, source }) => [name, join(dirname(index), source)]),
  )
  const names = namedImports(code, new RegExp(`^${library}$`)).map(({ name }) => name)
  const passed_on = names.filter((name) => !files.has(name))
  const further = importedIds.filter((id) => library_index.test(id))
  return [
    ...names.flatMap((name) => files.get(name) ?? []),
    ...further.flatMap((id) => {
      const [, source = ''] = library_index.exec(id) ?? []
      return namedModules(graph, `import { ${passed_on.join(', ')} } from '${source}'`, id)
    }),
  ]
}

/** The modules that a module imports; of a library with an index, those that it names. */
function importsOf(graph: Graph, id: string): readonly string[] {
  if (library_index.test(id)) return []
  const { importedIds = [], code } = graph.getModuleInfo(id) ?? {}
  const indexes = importedIds.filter((imported) => library_index.test(imported))
  return [...importedIds, ...indexes.flatMap((index) => namedModules(graph, code ?? '', index))]
}

const areas = readdirSync(join(web, 'pages'))

/** The modules and all their static imports, transitively, without those of `except`. */
function closureOf(graph: Graph, roots: readonly string[], except: ReadonlySet<string> = new Set()) {
  const reached = new Set<string>()
  const pending = [...roots]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id) || except.has(id)) continue
    reached.add(id)
    pending.push(...importsOf(graph, id))
  }
  return reached
}

/** Loaded after the page is drawn, with a library that no other page needs. */
const charts = [
  'account/points-chart.tsx',
  'build/app-figures.tsx',
  'build/payments/app-balance.tsx',
  'deployments/metrics-view.tsx',
].map((file) => join(web, 'pages', file))

/** Loaded after the page is drawn, with the library of lists. */
const output = join(web, 'pages/deployments/output-view.tsx')
const is_later = (id: string) => id === output || charts.includes(id)

const form_library = /\/@mantine\/form\//
const text_library = /\/marked\//
const list_library = /\/@tanstack\/(?:react-virtual|virtual-core)\//
/** What floats over a page needs one of these: menus, selections, tooltips, dialogs, notifications. */
const overlay_library = /\/(?:@floating-ui\/|react-transition-group\/|ModalBase\/ModalBase\.mjs)/

/** Of these modules, those of libraries for what floats over a page. */
function overlaysAmong(graph: Graph, modules: ReadonlySet<string>) {
  const floats = (id: string) => [...closureOf(graph, [id])].some((module) => overlay_library.test(module))
  return new Set([...modules].filter((id) => /\/node_modules\/(?!@mantine\/charts\/)/.test(id) && floats(id)))
}

/** The pages and components of one area, by the libraries that they need. */
function partsOfArea(graph: Graph, area: string) {
  const folder = join(web, 'pages', area)
  const dynamicImportsOf = (id: string) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []
  const pages = dynamicImportsOf(join(folder, 'pages.ts'))
  const own = [...closureOf(graph, pages)].filter((id) => id.startsWith(folder))
  const needs = (library: RegExp) => (id: string) => [...closureOf(graph, [id])].some((module) => library.test(module))
  const loaded = [...pages, ...own.flatMap(dynamicImportsOf)].filter((id) => !is_later(id))
  const forms = loaded.filter(needs(form_library))
  const texts = pages.filter((page) => !forms.includes(page) && needs(text_library)(page))
  const floating = loaded.filter((part) => !forms.includes(part) && needs(overlay_library)(part))
  const others = pages.filter((page) => ![...forms, ...texts, ...floating].includes(page))
  return [
    { chunk: area, area, roots: others },
    { chunk: `${area}-texts`, area, roots: texts },
    { chunk: `${area}-forms`, area, roots: forms },
    { chunk: `${area}-selections`, area, roots: floating },
  ]
}

/**
 * Assigns modules to few chunks. `base`: every page, and the landing page. `frame`: every page of a signed-in user, the
 * overview, and what several areas share. `<area>`: its pages; `<area>-texts`: those with Markdown; `<area>-selections`:
 * those with selections, which float. `console` and `<area>-forms`: forms and what pages with forms need, and what floats
 * over any page. `charts`, `output`. A page needs three chunks, one with texts four, one with forms or selections five.
 */
function assignChunks(graph: Graph) {
  const dynamicImportsOf = (id: string) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []
  const home = join(web, 'pages/public/home.tsx')
  const parts = [
    { chunk: 'charts', area: '', roots: charts },
    { chunk: 'output', area: '', roots: [output] },
    ...areas.flatMap((area) => partsOfArea(graph, area)),
  ]
  const signed_in = [join(web, 'ui/frame.tsx'), join(web, 'prefetch.ts')]
  const listed = closureOf(graph, [join(web, 'ui/root.tsx'), ...signed_in, ...parts.flatMap(({ roots }) => roots)])
  const on_demand = [...listed]
    .filter((id) => id.startsWith(join(web, 'ui/')))
    .flatMap(dynamicImportsOf)
    // What only a sandbox loads.
    .filter((id) => !id.startsWith(join(web, 'pages/sandbox/')))
  const all = new Set([...listed, ...closureOf(graph, on_demand)])
  const overlays = overlaysAmong(graph, all)
  const groups = parts.map((part) => ({ ...part, modules: closureOf(graph, part.roots, overlays) }))
  const chunkOf = (id: string) => {
    const used_by = groups.filter(({ modules }) => modules.has(id))
    const [first] = used_by
    if (!first) return 'console'
    // The audit log uses it too, and loads the chunk of the lists of people for it.
    if (list_library.test(id)) return 'people'
    if (used_by.length === 1) return first.chunk
    const drawn_first = used_by.some(({ chunk, area }) => chunk === area)
    if (used_by.some(({ area }) => area !== first.area)) return drawn_first ? 'frame' : 'console'
    return drawn_first || !groups.some(({ chunk, roots }) => chunk === first.area && roots.length > 0)
      ? first.area
      : first.chunk
  }
  const chunks = new Map([...all].map((id) => [id, chunkOf(id)]))
  for (const id of closureOf(graph, [...on_demand, ...overlays])) {
    const chunk = chunks.get(id)
    if (chunk?.endsWith('-forms') || chunk?.endsWith('-selections')) chunks.set(id, 'console')
    else if (chunk !== 'console') chunks.set(id, 'frame')
  }
  for (const id of closureOf(graph, [...signed_in, ...dynamicImportsOf(home)])) chunks.set(id, 'frame')
  for (const id of closureOf(graph, [join(web, 'main.tsx'), home])) chunks.set(id, 'base')
  return chunks
}

/** A function that names the chunk of a module; null leaves it to the bundler. */
export function chunkNames() {
  let chunks: Map<string, string | undefined> | undefined
  return (id: string, graph: Graph) =>
    id.includes('rolldown/runtime') ? 'base' : ((chunks ??= assignChunks(graph)).get(id) ?? null)
}

/** The route path of every page and its module; without those of a sandbox, which every document would name. */
export const pageModules = () =>
  areas
    .filter((area) => area !== 'sandbox')
    .flatMap((area) => {
      const source = readFileSync(join(web, 'pages', area, 'pages.ts'), 'utf8')
      return [...source.matchAll(/path: '([^']*)'[^]*?import\('\.\/([^']+)'\)/g)].map(([, path = '', file = '']) => ({
        path,
        module: join(web, 'pages', area, file),
      }))
    })
