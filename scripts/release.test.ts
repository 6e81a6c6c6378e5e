import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { package_root, package_version } from '../server/platform/package.ts'
import { release } from './release.ts'
import { datedChangelog, isLater, versioned_files, versionsIn, withVersion } from './release-text.ts'

const changelog = '# Changelog\n\n## Unreleased\n\n- More.\n\n## 0.1.0 (2026-01-01)\n\nFirst.\n'
const next = '99.0.0'

/** A repository with those of our files that contain the version, and one unreleased entry. */
async function repository(text = changelog) {
  const root = await mkdtemp(join(tmpdir(), 'plaza-release-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const path of versioned_files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await cp(join(package_root, path), join(root, path))
  }
  await writeFile(join(root, 'CHANGELOG.md'), text)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  git('config', 'user.name', 'A maintainer')
  git('config', 'user.email', 'maintainer@plaza.example')
  git('add', '.')
  git('commit', '--quiet', '--message', 'start')
  const make = (wanted: { version?: string; is_dry_run?: boolean } = {}) =>
    release({
      root,
      version: wanted.version ?? next,
      date: '2027-01-02',
      is_dry_run: wanted.is_dry_run ?? false,
      print: () => execFileSync('touch', [join(root, 'printed')]),
      writeSboms: () => ['plaza.cdx.json'],
    })
  const state = () => [git('status', '--porcelain'), git('rev-list', '--count', 'HEAD'), git('tag')]
  return { root, git, make, state }
}

test.each(versioned_files)('%s names the version of package.json, and no other', async (path) => {
  const found = versionsIn(path, await readFile(join(package_root, path), 'utf8'))
  expect([...new Set(found)]).toEqual([package_version])
})

test('a release sets the version everywhere, dates the changelog, prints, commits and tags', async () => {
  const { root, git, make } = await repository()
  expect(make()).toEqual([
    'Committed and tagged v99.0.0. Push both: git push --follow-tags',
    'Publish beside the image and the packages: plaza.cdx.json',
  ])
  for (const path of versioned_files)
    expect(new Set(versionsIn(path, await readFile(join(root, path), 'utf8')))).toEqual(new Set([next]))
  expect(await readFile(join(root, 'CHANGELOG.md'), 'utf8')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 99.0.0 (2027-01-02)\n\n- More.\n\n## 0.1.0 (2026-01-01)\n\nFirst.\n',
  )
  expect(git('log', '-1', '--format=%s')).toBe('release: 99.0.0')
  expect(git('rev-parse', 'v99.0.0^{commit}')).toBe(git('rev-parse', 'HEAD'))
  expect(git('status', '--porcelain')).toBe('?? printed')
  expect(git('show', '--stat', '--format=').split('\n')).toHaveLength(versioned_files.length + 2)
})

test('a dry run prints what a release would do, and writes nothing', async () => {
  const { make, state } = await repository()
  const before = state()
  expect(make({ is_dry_run: true })).toEqual([
    'Would write CHANGELOG.md, package.json, client/package.json, cli/package.json, package-lock.json, docs/quickstart.md, print, commit "release: 99.0.0" and tag v99.0.0.',
  ])
  expect(state()).toEqual(before)
})

test.each([
  ['a version that is no later one', {}, { version: package_version }, `${package_version} is not a version after`],
  ['a version that is none', {}, { version: 'next' }, `next is not a version after ${package_version}`],
  ['a changed file', { change: true }, {}, 'The working tree has changes: commit them first.'],
  ['a tag that exists', { tag: true }, {}, 'The tag v99.0.0 exists already.'],
  ['a changelog without entries', { text: '## Unreleased\n\n## 0.1.0\n\nFirst.\n' }, {}, 'has no entry under'],
  ['a changelog without the heading', { text: '## 0.1.0\n' }, {}, 'needs one heading'],
])('%s is refused, with and without --dry-run, and nothing is written', async (_, given, wanted, message) => {
  const { change, tag, text } = { change: false, tag: false, text: changelog, ...given }
  const { root, git, make, state } = await repository(text)
  if (change) await writeFile(join(root, 'docs/quickstart.md'), 'changed')
  if (tag) git('tag', `v${next}`)
  const before = state()
  for (const is_dry_run of [true, false]) expect(() => make({ ...wanted, is_dry_run })).toThrow(message)
  expect(state()).toEqual(before)
})

test('a later version has a greater number at the first place that differs', () => {
  const later = ['1.2.4', '1.10.0', '2.0.0']
  const not_later = ['1.2.3', '1.2.2', '0.9.9', '1.2', 'v1.2.4', '1.2.4-rc.1', '']
  expect(later.filter((version) => !isLater(version, '1.2.3'))).toEqual([])
  expect(not_later.filter((version) => isLater(version, '1.2.3'))).toEqual([])
})

test('a file with a version other than the current one is refused', () => {
  expect(() => withVersion('client/package.json', '{ "version": "1.0.0" }', '1.1.0', '1.2.0')).toThrow(
    'client/package.json names the versions 1.0.0 instead of 1.1.0.',
  )
  expect(() => withVersion('docs/quickstart.md', 'nothing', '1.1.0', '1.2.0')).toThrow('names the versions (none)')
})

test('the lock file keeps the versions of other packages', () => {
  const lock = (version: string) =>
    `${JSON.stringify({ version, packages: { '': { version }, client: { version }, cli: { version, dependencies: { '@plaza/client': version } }, 'node_modules/x': { version: '1.0.0' } } }, null, 2)}\n`
  expect(withVersion('package-lock.json', lock('1.0.0'), '1.0.0', '1.1.0')).toBe(lock('1.1.0'))
})

test('entries move under the dated heading; those of former versions stay', () => {
  expect(datedChangelog('## Unreleased\n\n- a\n\n## 0.1.0\n- b\n', '0.2.0', '2026-11-26')).toBe(
    '## Unreleased\n\n## 0.2.0 (2026-11-26)\n\n- a\n\n## 0.1.0\n- b\n',
  )
})
