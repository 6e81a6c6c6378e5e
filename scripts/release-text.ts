/** The files that name the version, other than the changelog and the printed ones. `package.json` is the source of all. */
export const versioned_files = [
  'package.json',
  'client/package.json',
  'package-lock.json',
  'docs/quickstart.md',
] as const

type VersionedFile = (typeof versioned_files)[number]

/** How often each of them names it; the lock file has the root twice and the client once. */
const places: Record<VersionedFile, number> = {
  'package.json': 1,
  'client/package.json': 1,
  'package-lock.json': 3,
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

/** The versions of Plaza that a file names. */
export function versionsIn(path: VersionedFile, text: string): string[] {
  if (path === 'docs/quickstart.md') return [...text.matchAll(/"version": "([^"]*)"/g)].map(([, found = '']) => found)
  const { version, packages } = JSON.parse(text) as { version: string; packages?: Record<string, { version: string }> }
  return packages === undefined ? [version] : [version, packages['']!.version, packages.client!.version]
}

/** A file with another version in place of the current one. Throws where it does not name the current one. */
export function withVersion(path: VersionedFile, text: string, current: string, version: string): string {
  const found = versionsIn(path, text)
  if (found.length !== places[path] || found.some((each) => each !== current))
    throw new Error(`${path} names the versions ${found.join(', ') || '(none)'} instead of ${current}.`)
  if (path !== 'package-lock.json') return text.replace(`"version": "${current}"`, `"version": "${version}"`)
  const lock = JSON.parse(text) as { version: string; packages: Record<string, { version: string }> }
  for (const entry of [lock, lock.packages['']!, lock.packages.client!]) entry.version = version
  return `${JSON.stringify(lock, null, 2)}\n`
}

const unreleased = '## Unreleased\n'

/** The changelog with its unreleased entries under a dated heading. Throws where there are none. */
export function datedChangelog(text: string, version: string, date: string): string {
  const [before = '', after, ...more] = text.split(unreleased)
  if (after === undefined || more.length > 0) throw new Error('CHANGELOG.md needs one heading "## Unreleased".')
  if (/^\s*(## |$)/.test(after))
    throw new Error('CHANGELOG.md has no entry under "Unreleased": say what changes for whom.')
  return `${before}${unreleased}\n## ${version} (${date})\n${after}`
}
