/** The files that contain the version, other than the changelog and generated files. `package.json` is the source for all. */
export const versioned_files = [
  'package.json',
  'client/package.json',
  'cli/package.json',
  'package-lock.json',
  'docs/quickstart.md',
] as const

type VersionedFile = (typeof versioned_files)[number]

/** How often each file contains the version: `@plaza/cli` also as its dependency, the lock file for all packages and twice for the root. */
const places: Record<VersionedFile, number> = {
  'package.json': 1,
  'client/package.json': 1,
  'cli/package.json': 2,
  'package-lock.json': 5,
  'docs/quickstart.md': 1,
}

const numbersOf = (version: string) => /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number)

/** Whether a text is a version of three numbers that follows another one. */
export function isLater(version: string, current: string): boolean {
  const [next, last] = [numbersOf(version), numbersOf(current)]
  if (next === undefined || last === undefined) return false
  const at = next.findIndex((number, index) => number !== last[index])
  return at >= 0 && next[at]! > last[at]!
}

/** The versions of Plaza in a file. */
export function versionsIn(path: VersionedFile, text: string): string[] {
  if (path === 'docs/quickstart.md') return [...text.matchAll(/"version": "([^"]*)"/g)].map(([, found = '']) => found)
  const { packages, ...manifest } = JSON.parse(text) as Manifest & { packages?: Record<string, Manifest> }
  const { '': root, client, cli } = packages ?? {}
  return [manifest, root, client, cli].flatMap((each) =>
    each === undefined ? [] : [each.version, ...[each.dependencies?.[client_name] ?? []].flat()],
  )
}

const client_name = '@plaza/client'

interface Manifest {
  version: string
  dependencies?: Record<string, string>
}

/** A file with the current version replaced. Throws if it does not contain the current version. */
export function withVersion(path: VersionedFile, text: string, current: string, version: string): string {
  const found = versionsIn(path, text)
  if (found.length !== places[path] || found.some((each) => each !== current))
    throw new Error(`${path} names the versions ${found.join(', ') || '(none)'} instead of ${current}.`)
  if (path !== 'package-lock.json')
    return text
      .replace(`"version": "${current}"`, `"version": "${version}"`)
      .replace(`"${client_name}": "${current}"`, `"${client_name}": "${version}"`)
  const lock = JSON.parse(text) as Manifest & { packages: Record<string, Manifest> }
  const { '': root, client, cli } = lock.packages
  for (const entry of [lock, root!, client!, cli!]) entry.version = version
  cli!.dependencies![client_name] = version
  return `${JSON.stringify(lock, null, 2)}\n`
}

const unreleased = '## Unreleased\n'

/** The changelog with its unreleased entries under a dated heading. Throws if there are none. */
export function datedChangelog(text: string, version: string, date: string): string {
  const [before = '', after, ...more] = text.split(unreleased)
  if (after === undefined || more.length > 0) throw new Error('CHANGELOG.md needs one heading "## Unreleased".')
  if (/^\s*(## |$)/.test(after))
    throw new Error('CHANGELOG.md has no entry under "Unreleased": say what changes for whom.')
  return `${before}${unreleased}\n## ${version} (${date})\n${after}`
}
