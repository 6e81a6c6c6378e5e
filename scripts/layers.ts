import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { package_root } from '../server/platform/package.ts'

/** Source texts by path relative to the project's folder. */
export type Sources = ReadonlyMap<string, string>

/** Domains in order: a domain may import the services of earlier ones. */
const domain_order = [
  'accounts',
  'notices',
  'points',
  'oauth',
  'webhooks',
  'ads',
  'learning',
  'social',
  'hosting',
  'operators',
  'admin',
  'sandbox',
  'leaving',
  'mcp',
  'system',
  'docs',
  'pages',
]

/** The interface of a domain. */
const domain_file = 'server/domain.ts'

/** They serve every domain, and may import each other. */
const framework = ['http', 'jobs', 'domain.ts']

/** Parts of the server that belong to no domain. */
const shared_folders = ['platform', 'framework']

/** Files of the contract that belong to no domain. */
const shared_contract = [
  'addresses',
  'caller',
  'decision-texts',
  'decisions',
  'endpoint',
  'errors',
  'examples',
  'field-errors',
  'framework-failures',
  'read-texts',
  'schema',
  'scopes',
  'admin-roles',
  'member-roles',
  'secret-permissions',
]

/** Roots beside the server, and what each may import besides itself. The server imports none of them. */
const roots_beside: Readonly<Record<string, readonly string[]>> = {
  // A package that is used without the rest.
  client: [],
  cli: ['client'],
  web: ['contract', 'client', 'languages'],
  examples: ['contract', 'client', 'server', 'scripts'],
  bench: ['contract', 'client', 'server', 'scripts', 'examples'],
  scripts: ['contract', 'client', 'server'],
}

/** Calls the service by the contract, for code outside the service. */
const caller_file = 'contract/client.ts'

/** Reads every source of the project. */
export async function readSources(): Promise<Sources> {
  const folders = await Promise.all(
    ['contract', 'languages', 'server', ...Object.keys(roots_beside)].map(async (root) => {
      const names = await readdir(join(package_root, root), { recursive: true })
      return names
        .filter((name) => /\.tsx?$/.test(name) && !/node_modules|^dist\//.test(name))
        .map((name) => `${root}/${name}`)
    }),
  )
  const read = async (path: string): Promise<[string, string]> => [
    path,
    await readFile(join(package_root, path), 'utf8'),
  ]
  return new Map(await Promise.all(folders.flat().sort().map(read)))
}

interface Place {
  root: string
  /** From the contract (0) to the composition (7). */
  layer: number
  /** Files of one folder may import each other on the same layer. */
  folder: string
  domain?: string
}

/** The layer and folder of a file; undefined for a file of the server without a layer. */
export function placeOf(path: string): Place | undefined {
  const [root = '', folder = '', ...rest] = path.split('/')
  if (root === 'contract' || root === 'languages') return { root, layer: 0, folder: root }
  if (root in roots_beside) return { root, layer: 7, folder: root }
  if (root !== 'server') return undefined
  if (path !== domain_file && (rest.length === 0 || ['processes', 'commands', 'backup'].includes(folder)))
    return { root, layer: 7, folder: 'composition' }
  if (folder === 'platform') return { root, layer: 1, folder }
  if (framework.includes(folder)) return { root, layer: 5, folder: 'framework' }
  if (!domain_order.includes(folder)) return undefined
  const layer = layerInDomain(folder, rest.join('/'))
  return layer === undefined ? undefined : { root, layer, folder, domain: folder }
}

/** The layers of folders and files inside a domain, for names without a layer's suffix. */
const folder_layers: Readonly<Record<string, number>> = {
  'hosting/channels.ts': 2,
  'hosting/api': 4,
  'hosting/control': 4,
  'hosting/engine': 3,
  'hosting/proxy': 6,
  'social/events': 4,
}

function layerInDomain(domain: string, file: string): number | undefined {
  if (/(^|[./])store\.ts$/.test(file)) return 3
  if (/(^|[./])rules\.ts$/.test(file) || /(^|\/)metrics\.ts$/.test(file)) return 2
  if (/(^|[./])service\.ts$/.test(file)) return 4
  if (
    /(^|[./])(routes|jobs)\.ts$/.test(file) ||
    ['domain.ts', 'settings.ts'].includes(file) ||
    ['system', 'docs', 'pages'].includes(domain)
  )
    return 6
  return folder_layers[`${domain}/${file.split('/')[0]}`]
}

const isTest = (path: string) => /^(?:cli|client|server|web)\/test\//.test(path) || /\.test\.tsx?$/.test(path)

/** The modules that a source imports, re-exports or loads, types included. */
export function importsOf(source: string): string[] {
  const statements = source.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'/gm)
  const calls = source.matchAll(/\bimport\(\s*'([^']+)'/g)
  return [...statements, ...calls].map(([, named, bare]) => named ?? bare ?? '')
}

const resolve = (path: string, target: string) => posix.join(posix.dirname(path), target)

/** All forbidden imports and import cycles with the reason; empty if there are none. */
export const layerErrors = (sources: Sources): string[] => [
  ...[...sources].flatMap(([path, source]) => errorsOfFile(path, source)),
  ...cyclesOf(sources).map((cycle) => `files import each other in a circle: ${cycle.join(' → ')}`),
]

function errorsOfFile(path: string, source: string): string[] {
  if (isTest(path)) return []
  const from = placeOf(path)
  if (!from) return [`${path} has no layer: name it like its neighbours, or give it one in scripts/layers.ts`]
  return importsOf(source).flatMap((target) => {
    const error = errorOf(path, from, target)
    return error === undefined ? [] : [`${path} imports ${target}: ${error}`]
  })
}

function errorOf(path: string, from: Place, target: string): string | undefined {
  if (!target.startsWith('.')) return packageError(from, target)
  const target_path = resolve(path, target)
  if (isTest(target_path)) return testImportError(from)
  const to = placeOf(target_path)
  if (!to) return 'it has no layer'
  if (from.root !== to.root) return rootError(from, to, target_path)
  if (from.root !== 'server') return undefined
  return serverError(from, to)
}

const testImportError = ({ root }: Place) =>
  root === 'bench' || root === 'examples' || root === 'scripts' ? undefined : 'test code serves tests only'

function rootError(from: Place, to: Place, target_path: string): string | undefined {
  if (from.root === 'contract') return 'the contract imports itself only'
  if (from.root === 'server') {
    if (to.root === 'languages') return undefined
    if (to.root !== 'contract') return `the server does not import ${to.root}/`
    if (target_path === caller_file) return 'the server does not call itself'
    const is_shared = shared_contract.includes(posix.basename(target_path, '.ts'))
    return shared_folders.includes(from.folder) && !is_shared
      ? `no domain word belongs in the ${from.folder}`
      : undefined
  }
  return roots_beside[from.root]?.includes(to.root) ? undefined : `${from.root}/ does not import ${to.root}/`
}

function packageError({ root }: Place, target: string) {
  if (root === 'contract' && target !== 'typebox') return 'the contract imports typebox and itself only'
  if (root === 'client') return 'the client imports itself only'
  return undefined
}

function serverError(from: Place, to: Place): string | undefined {
  if (shared_folders.includes(from.folder) && to.domain !== undefined)
    return `no domain word belongs in the ${from.folder}`
  if (from.folder === to.folder) return from.layer < to.layer ? upward(from, to) : undefined
  if (from.layer <= to.layer && !isServiceBesideService(from, to)) return upward(from, to)
  return from.domain !== undefined && to.domain !== undefined ? domainError(from.domain, to) : undefined
}

const upward = (from: Place, to: Place) => `layer ${from.layer} may not import layer ${to.layer}`

/** True if both are services: a service may import services of earlier domains. */
const isServiceBesideService = (from: Place, to: Place) =>
  from.domain !== undefined && to.domain !== undefined && from.layer === 4 && to.layer === 4

function domainError(from: string, to: Place) {
  const to_domain = to.domain ?? ''
  if (to.layer !== 4) return 'of another domain only a service may be imported'
  if (domain_order.indexOf(to_domain) > domain_order.indexOf(from)) return `${to_domain} comes after ${from}`
  return undefined
}

/** Groups of files that import each other directly or indirectly. Each cycle is listed once, in its order. */
export function cyclesOf(sources: Sources): string[][] {
  const graph = new Map(
    [...sources].map(([path, source]) => [
      path,
      importsOf(source)
        .filter((target) => target.startsWith('.'))
        .map((target) => resolve(path, target))
        .filter((target) => sources.has(target)),
    ]),
  )
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (path: string, trail: string[]) => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      cycles.push([...trail.slice(at), path])
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return cycles
}
