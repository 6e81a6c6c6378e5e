import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, for both the sources and the build. */
export const package_root = findRoot(dirname(fileURLToPath(import.meta.url)))

/**
 * The folder of the code and of the files that it reads, such as `server/migrations` and `content`: the project's
 * folder, or `dist` in a built service, which therefore needs no sources.
 */
export const code_root = import.meta.url.endsWith('.ts') ? package_root : join(package_root, 'dist')

/** The main program of the service: the built one, or a source that tsx runs. */
export const main_file = join(code_root, `server/main${extname(import.meta.url)}`)

/** The semantic version of the package. It is also the API's version (D-82). */
export const package_version = (
  JSON.parse(readFileSync(join(package_root, 'package.json'), 'utf8')) as { version: string }
).version

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('no folder above this file has a package.json')
  return findRoot(parent)
}
