import { basename, dirname, join } from 'node:path'

/** True if the test takes at most a minute. */
export const isQuick = (file: string) => file.endsWith('.test.ts') && !file.endsWith('.drill.test.ts')

/**
 * The quick tests of a changed file: those beside it whose names begin with its name, else all of its folder. For a declaration in
 * `contract/` they are in the domain's folder. `namesIn` lists a folder, and is empty for one that does not exist.
 */
export function relatedTests(file: string, namesIn: (folder: string) => readonly string[]): string[] {
  if (file.endsWith('.test.ts')) return isQuick(file) ? [file] : []
  const stem = basename(file).split('.')[0] ?? ''
  const folder = dirname(file) === 'contract' ? join('server', stem.split('-')[0] ?? '') : dirname(file)
  const beside = namesIn(folder).filter(isQuick)
  const named = beside.filter((name) => name.startsWith(stem))
  return (named.length > 0 ? named : beside).map((name) => join(folder, name))
}
