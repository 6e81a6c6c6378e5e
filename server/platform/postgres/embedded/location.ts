import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedPostgresError, remedy } from './error.ts'

export const port = 5432
export const superuser = 'postgres'
export const socket_file = `.s.PGSQL.${port}`
/** The maximum path in `sockaddr_un` on macOS; Linux allows four bytes more. */
const socket_path_bytes_max = 103
const nobody: User = { uid: 65_534, gid: 65_534 }

interface User {
  uid: number
  gid: number
}

/** The paths of one database and the user who runs it. */
export interface Location {
  data_dir: string
  database_dir: string
  log_file: string
  lock_file: string
  socket_dir: string
  /** Part of the server's command line, which identifies its process. */
  cluster_name: string
  /** Undefined: the user of this process. */
  run_as: User | undefined
  log: (line: string) => void
}

/** Creates the data folder if it is missing. Fails if it is not usable or is itself another server's database. */
export async function openLocation(path: string, log: Location['log']): Promise<Location> {
  // Other users may traverse but not list it, so that a server that runs as nobody reaches its database.
  await fs.mkdir(path, { recursive: true, mode: 0o711 })
  await fs.access(path, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  const data_dir = await fs.realpath(path)
  if (existsSync(join(data_dir, 'PG_VERSION')))
    throw new EmbeddedPostgresError(`${data_dir} is the database of another PostgreSQL server: ${remedy}.`)
  const database_dir = join(data_dir, 'postgres')
  const cluster_name = `plaza-${createHash('sha256').update(database_dir).digest('hex').slice(0, 16)}`
  return {
    data_dir,
    database_dir,
    log_file: join(data_dir, 'postgres.log'),
    lock_file: join(data_dir, 'postgres.lock'),
    socket_dir: chooseSocketFolder(database_dir, cluster_name),
    cluster_name,
    run_as: await chooseUser(database_dir),
    log,
  }
}

/** The data directory; if its path is too long for a unix socket, a folder with a short name among the temporary files. */
function chooseSocketFolder(database_dir: string, cluster_name: string): string {
  const fits = (folder: string) => Buffer.byteLength(join(folder, socket_file)) <= socket_path_bytes_max
  const found = [database_dir, join(tmpdir(), cluster_name)].find(fits)
  if (found !== undefined) return found
  throw new EmbeddedPostgresError(
    `The path ${database_dir} is too long for a unix socket, and so is ${tmpdir()}: set TMPDIR or DATA_DIR to a ` +
      'shorter path, or DATABASE_URL to your own PostgreSQL server.',
  )
}

/** The owner of the database if this process runs as root, so that the owner can also run it later. */
async function chooseUser(database_dir: string): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await fs.stat(database_dir).catch(() => undefined)
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody
}

/**
 * The `-D` argument. A server of another user may have no access to the folder's path, for example below root's home.
 * On Linux it uses its working directory instead, which root can set.
 */
export function dataArgument({ run_as }: Location, folder: string): string {
  return run_as && process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** The spawn options of the binaries: the user of the database, and only PATH of the environment. */
export function processOptions({ run_as }: Location, cwd: string) {
  return { ...run_as, cwd, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } }
}
