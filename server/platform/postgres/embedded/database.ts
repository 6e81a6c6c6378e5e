import * as fs from 'node:fs/promises'
import { basename, join } from 'node:path'
import { findPackage, readPackageVersion } from './binaries.ts'
import { EmbeddedPostgresError, remedy } from './error.ts'
import { dataArgument, processOptions, superuser, type Location } from './location.ts'
import { setPassword } from './password.ts'
import type { ServerSettings } from './launch.ts'
import { lastLine, run } from './processes.ts'

const unfinished_suffix = '.unfinished-'
const initdb_timeout_ms = 120_000

/** Removes the files of killed first starts, unless one of their processes still writes. */
export async function removeUnfinished({ data_dir, database_dir }: Location): Promise<void> {
  const prefix = `${basename(database_dir)}${unfinished_suffix}`
  const names = (await fs.readdir(data_dir)).filter((name) => name.startsWith(prefix))
  const remove = (name: string) => fs.rm(join(data_dir, name), { recursive: true, force: true, maxRetries: 5 })
  await Promise.allSettled(names.map(remove))
}

/** Creates the database beside its final path and renames it when complete, so that a killed first start leaves no partial one. */
export async function createDatabase(
  location: Location,
  binaries: string,
  { fsync, trusts_local_users }: Pick<ServerSettings, 'fsync' | 'trusts_local_users'>,
): Promise<void> {
  location.log(`Creating the database in ${location.database_dir}`)
  const unfinished = await fs.mkdtemp(`${location.database_dir}${unfinished_suffix}`)
  if (location.run_as) await fs.chown(unfinished, location.run_as.uid, location.run_as.gid)
  const options = ['--username', superuser, '--auth', 'trust', '--encoding', 'UTF8', '--no-instructions']
  const locale = ['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8']
  const sync = fsync ? [] : ['--no-sync']
  try {
    await run(
      join(binaries, 'bin', 'initdb'),
      ['-D', dataArgument(location, unfinished), ...options, ...locale, ...sync],
      { ...processOptions(location, unfinished), timeout: initdb_timeout_ms },
    )
    if (!trusts_local_users) await setPassword(location, binaries, unfinished)
    await fs.rename(unfinished, location.database_dir)
  } catch (cause) {
    await fs.rm(unfinished, { recursive: true, force: true })
    const why = lastLine(cause)
    if (why.includes('could not look up effective user ID'))
      throw new EmbeddedPostgresError(
        `This process runs as a user without a name: user id ${process.getuid?.()} has no name in /etc/passwd, and ` +
          'PostgreSQL creates no database for such a user: run as another user, or set DATABASE_URL to your own ' +
          'PostgreSQL server.',
        { cause },
      )
    if (/No space left on device|wrote only \d+ of/.test(why))
      throw new EmbeddedPostgresError(
        `The data folder ${location.data_dir} is on a full disk: free 60 MB, or ${remedy}.`,
        {
          cause,
        },
      )
    throw new EmbeddedPostgresError(`No database could be created in ${location.data_dir} (${why}): ${remedy}.`, {
      cause,
    })
  }
}

/** Fails if the database belongs to a user other than the one who would run it. */
export async function checkOwner({ database_dir, run_as }: Location): Promise<void> {
  const found = await fs.stat(database_dir).catch(() => undefined)
  const expected_uid = run_as?.uid ?? process.getuid?.()
  if (!found || found.uid === expected_uid) return
  throw new EmbeddedPostgresError(
    `The database in ${database_dir} belongs to user id ${found.uid} but would be run by user id ${expected_uid}: ` +
      `start the service as its owner, give it away with "chown -R ${expected_uid} ${database_dir}", or ${remedy}.`,
  )
}

/** Fails if another major version than that of the npm package created the database. */
export async function checkVersion({ database_dir }: Location): Promise<void> {
  const content = await fs.readFile(join(database_dir, 'PG_VERSION'), 'utf8').catch(() => '')
  const made_by = content.trim() || 'an unknown version'
  const major = (await readPackageVersion(findPackage())).split('.')[0]
  if (made_by === major) return
  throw new EmbeddedPostgresError(
    `The database in ${database_dir} was made by PostgreSQL ${made_by}, and this service comes with PostgreSQL ` +
      `${major}: move it with pg_dump and pg_restore, or ${remedy}.`,
  )
}
