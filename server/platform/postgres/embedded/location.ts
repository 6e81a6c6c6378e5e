import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedPostgresError, remedy } from './error.ts'

export const port = 5432
export const socket_file = `.s.PGSQL.${port}`
/** The room in sockaddr_un on macOS; Linux has four more. */
const socket_path_bytes_max = 103
const nobody: User = { uid: 65_534, gid: 65_534 }

interface User {
  uid: number
  gid: number
}

/** Where one database lives and who runs it. */
export interface Location {
  data_dir: string
  database_dir: string
  log_file: string
  lock_file: string
  socket_dir: string
  /** Marks the server's process in its command line, so that it is told from any other process. */
  cluster_name: string
  /** Undefined: the user of this process. */
  run_as: User | undefined
  log: (line: string) => void
}

/** Makes the data folder where it is missing. Fails when it cannot be used or is another server's database itself. */
export async function openLocation(path: string, log: Location['log']): Promise<Location> {
  // Others may pass through, so that a server that runs as nobody reaches its database; they cannot list.
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

/** Beside the data; where that path is too long for a unix socket, a folder with a short name for temporary files. */
function chooseSocketFolder(database_dir: string, cluster_name: string): string {
  const fits = (folder: string) => Buffer.byteLength(join(folder, socket_file)) <= socket_path_bytes_max
  const found = [database_dir, join(tmpdir(), cluster_name)].find(fits)
  if (found !== undefined) return found
  throw new EmbeddedPostgresError(
    `The path ${database_dir} is too long for a unix socket, and so is ${tmpdir()}: set TMPDIR or DATA_DIR to a ` +
      'shorter path, or DATABASE_URL to a PostgreSQL server of your own.',
  )
}

/** Root hands the server to the user who made the database, so that this user can go on with it later. */
async function chooseUser(database_dir: string): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await fs.stat(database_dir).catch(() => undefined)
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody
}

/**
 * The server of another user may be unable to reach the folder by its path, as under root's closed home. Linux lets it
 * use the folder it is in, and root can put it there.
 */
export function dataArgument({ run_as }: Location, folder: string): string {
  return run_as && process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** How the binaries are run: as the user of the place, and of our environment they get only the PATH. */
export function processOptions({ run_as }: Location, cwd: string) {
  return { ...run_as, cwd, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } }
}
