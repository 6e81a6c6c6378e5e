import { posix } from 'node:path'

/** Sources by their path from the project's folder. */
export type Sources = ReadonlyMap<string, string>

/** Domains from left to right: a domain may use the services of those to its left. */
const domain_order = [
  'accounts',
  'points',
  'oauth',
  'ads',
  'learning',
  'social',
  'deployments',
  'operators',
  'admin',
  'system',
  'pages',
]

/** Folders of the server that belong to no domain. */
const shared_folders = ['kit', 'http', 'jobs']

/** What of the contract has no domain's words in it. */
const shared_contract = ['caller', 'decisions', 'endpoint', 'errors', 'examples', 'schema', 'scopes']

interface Place {
  floor: number
  /** Files of one folder may lean on each other even on the same floor. */
  folder: string
  domain?: string
}

/** Where a file stands in the house, from the contract (0) to the roof (7); undefined for a file that has no floor. */
export function placeOf(path: string): Place | undefined {
  const [root = '', folder = '', ...rest] = path.split('/')
  if (root === 'contract') return { floor: 0, folder: 'contract' }
  if (root === 'client') return { floor: 1, folder: 'client' }
  if (root !== 'server') return undefined
  if (rest.length === 0) return { floor: 7, folder: 'roof' }
  if (folder === 'kit') return { floor: 1, folder }
  if (folder === 'http' || folder === 'jobs') return { floor: 5, folder }
  if (!domain_order.includes(folder)) return undefined
  const floor = floorInDomain(folder, rest.join('/'))
  return floor === undefined ? undefined : { floor, folder, domain: folder }
}

function floorInDomain(domain: string, file: string): number | undefined {
  if (/^engine\/|(^|\.)store\.ts$/.test(file)) return 3
  if (/(^|\.)rules\.ts$/.test(file)) return 2
  if (/(^|\.)service\.ts$/.test(file)) return 4
  if (/(^|\.)(routes|jobs)\.ts$/.test(file) || domain === 'system' || domain === 'pages') return 6
  // A door of its own: HTTP to containers, by the route table of its service.
  if (domain === 'deployments' && file.startsWith('router/')) return 6
  return undefined
}

const isExempt = (path: string) => path.startsWith('server/test/') || path.endsWith('.test.ts')

/** The modules that a source imports, re-exports or loads, types included. */
export function importsOf(source: string): string[] {
  const statements = source.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'/gm)
  const calls = source.matchAll(/\bimport\(\s*'([^']+)'/g)
  return [...statements, ...calls].map(([, named, bare]) => named ?? bare ?? '')
}

/** Every import that goes where it may not, named with the reason; empty when all run downward. */
export function floorFaults(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) => {
    if (isExempt(path)) return []
    const from = placeOf(path)
    if (!from)
      return [`${path} stands on no floor: name it like its neighbours, or give it one in server/test/floors.ts`]
    return importsOf(source).flatMap((target) => {
      const fault = faultOf(path, from, target)
      return fault === undefined ? [] : [`${path} imports ${target}: ${fault}`]
    })
  })
}

function faultOf(path: string, from: Place, target: string): string | undefined {
  if (!target.startsWith('.')) return packageFault(from, target)
  const target_path = posix.join(posix.dirname(path), target)
  if (isExempt(target_path)) return 'tests and their helpers serve tests only'
  const to = placeOf(target_path)
  if (!to) return 'it stands on no floor'
  if (from.folder === 'contract' && to.folder !== 'contract') return 'the contract imports itself only'
  if (from.folder === 'client' && !['contract', 'client'].includes(to.folder))
    return 'the client imports the contract only'
  if (to.folder === 'client') return from.folder === 'client' ? undefined : 'the client is for callers of the service'
  if (shared_folders.includes(from.folder) && speaksOfADomain(target_path, to))
    return `no domain word belongs in server/${from.folder}`
  if (from.folder === to.folder) return from.floor < to.floor ? upward(from, to) : undefined
  if (from.floor <= to.floor && !isDoorToTheLeft(from, to)) return upward(from, to)
  return from.domain !== undefined && to.domain !== undefined ? domainFault(from.domain, to) : undefined
}

function packageFault({ folder }: Place, target: string) {
  if (folder === 'contract' && target !== 'typebox') return 'the contract imports typebox and itself only'
  if (folder === 'client') return 'the client imports the contract only'
  return undefined
}

const upward = (from: Place, to: Place) => `floor ${from.floor} may not look up or across to floor ${to.floor}`

function speaksOfADomain(path: string, to: Place) {
  if (to.folder !== 'contract') return to.domain !== undefined
  return !shared_contract.includes(posix.basename(path, '.ts'))
}

/** A service beside a service of another domain: the one step sideways that may be taken, and only leftwards. */
const isDoorToTheLeft = (from: Place, to: Place) => from.domain !== undefined && from.floor === 4 && to.floor === 4

function domainFault(from: string, to: Place) {
  const to_domain = to.domain ?? ''
  if (to.floor !== 4) return 'of another domain only a service may be imported'
  if (domain_order.indexOf(to_domain) > domain_order.indexOf(from)) return `${to_domain} stands to the right of ${from}`
  return undefined
}
