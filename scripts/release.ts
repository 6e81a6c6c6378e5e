// Makes a release: `npm run release -- 0.3.0`. It sets the version everywhere, dates the changelog, generates files, commits and tags; it
// pushes nothing. With `--dry-run` it makes the same checks, prints what it would do, and writes nothing.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { package_root } from '../server/platform/package.ts'
import { datedChangelog, isLater, withVersion, versioned_files } from './release-text.ts'
import { writeSboms } from './sbom.ts'

export interface Release {
  /** The folder of the repository. */
  root: string
  version: string
  /** The day of the release, as in `2026-11-26`. */
  date: string
  is_dry_run: boolean
  /** Generates the printed files, which also contain the version. */
  print: () => void
  /** Lists the dependencies of the release; returns the files, which are not committed. */
  writeSboms: () => string[]
}

/** Makes a release, and returns the lines to show. If it cannot be made, throws a sentence before anything is written. */
export function release({ root, version, date, is_dry_run, print, writeSboms }: Release): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const { version: current } = JSON.parse(read('package.json')) as { version: string }
  const tag = `v${version}`

  if (!isLater(version, current)) throw new Error(`${version} is not a version after ${current}, such as 1.2.3.`)
  if (git('status', '--porcelain') !== '') throw new Error('The working tree has changes: commit them first.')
  if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists already.`)
  const written = [
    { path: 'CHANGELOG.md', text: datedChangelog(read('CHANGELOG.md'), version, date) },
    ...versioned_files.map((path) => ({ path, text: withVersion(path, read(path), current, version) })),
  ]

  if (is_dry_run)
    return [
      `Would write ${written.map(({ path }) => path).join(', ')}, print, commit "release: ${version}" and tag ${tag}.`,
    ]
  for (const { path, text } of written) writeFileSync(join(root, path), text)
  print()
  git('commit', '--all', '--message', `release: ${version}`)
  git('tag', '--annotate', '--message', `Plaza ${version}`, tag)
  return [
    `Committed and tagged ${tag}. Push both: git push --follow-tags`,
    `Publish beside the image and the packages: ${writeSboms().join(', ')}`,
  ]
}

function readArguments(args: readonly string[]) {
  const [version, ...rest] = args.filter((arg) => arg !== '--dry-run')
  if (version === undefined || rest.length > 0) throw new Error('Usage: npm run release -- 0.3.0 [--dry-run]')
  return { version, is_dry_run: args.includes('--dry-run') }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const lines = release({
      ...readArguments(process.argv.slice(2)),
      root: package_root,
      date: new Date().toISOString().slice(0, 10),
      print: () => execFileSync('npm', ['run', '--silent', 'print'], { cwd: package_root, stdio: 'inherit' }),
      writeSboms: () => writeSboms(package_root),
    })
    console.log(lines.join('\n'))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
