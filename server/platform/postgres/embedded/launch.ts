import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, hasCode, remedy } from './error.ts'
import { dataArgument, port, processOptions, socket_file, type Location } from './location.ts'
import { isAlive } from './processes.ts'
import {
  acceptsConnections,
  findRunningServer,
  isServer,
  readPidFile,
  ready_timeout_ms,
  type RunningServer,
} from './server.ts'

const leftovers_timeout_ms = 10_000
const log_bytes_max = 10_000_000
const shared_memory_in_use = 'pre-existing shared memory block'

export interface StartResult {
  server: RunningServer
  reused: boolean
}

/**
 * Starts the server of the place and waits until it accepts connections; attaches where another start was first.
 * Fails with the last words of a server that refused.
 */
export async function startServer(place: Location, binaries: string, fsync: boolean): Promise<StartResult> {
  const begun = performance.now()
  await prepareLog(place)
  for (;;) {
    await removeForeignLocks(place)
    if (place.socket_dir !== place.database_dir) await prepareSocketFolder(place)
    const started = await launchServer(place, binaries, fsync)
    if ('pid' in started) {
      place.log(`PostgreSQL is running (process ${started.pid}) on ${place.database_dir}, its log is ${place.log_file}`)
      return { server: started, reused: false }
    }
    const running = await findRunningServer(place)
    if (running) return { server: running, reused: true }
    // The processes of a server that was killed take a moment to notice it.
    const may_pass = started.refused.includes(shared_memory_in_use)
    if (!may_pass || performance.now() - begun > leftovers_timeout_ms)
      throw new EmbeddedPostgresError(
        `PostgreSQL refused to start on ${place.database_dir}: ${remedy}, or mend what the last lines of ` +
          `${place.log_file} say:\n${started.refused}`,
      )
    await sleep(100)
  }
}

async function prepareLog({ log_file, run_as }: Location): Promise<void> {
  const size = await fs.stat(log_file).then(
    (found) => found.size,
    () => 0,
  )
  if (size > log_bytes_max) await fs.rename(log_file, `${log_file}.old`)
  const file = await fs.open(log_file, 'a', 0o600)
  if (run_as) await file.chown(run_as.uid, run_as.gid)
  await file.close()
}

/**
 * PostgreSQL refuses to start while a lock file names any living process, as happens when process ids start over in a
 * new container. A lock that names a dead process is left to PostgreSQL, which also looks at the shared memory.
 */
async function removeForeignLocks(place: Location): Promise<void> {
  for (const lock of [join(place.database_dir, 'postmaster.pid'), join(place.socket_dir, `${socket_file}.lock`)]) {
    const pid = Number.parseInt(await fs.readFile(lock, 'utf8').catch(() => ''), 10)
    if (pid > 0 && isAlive(pid) && !(await isServer(place, pid))) await fs.rm(lock, { force: true })
  }
}

/** The folder for temporary files is everyone's: a folder of that name that is not ours alone is refused. */
async function prepareSocketFolder({ socket_dir, run_as }: Location): Promise<void> {
  await fs.mkdir(socket_dir, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
  const found = await fs.lstat(socket_dir)
  const is_ours = found.uid === process.getuid?.() || found.uid === run_as?.uid
  if (!found.isDirectory() || !is_ours)
    throw new EmbeddedPostgresError(
      `${socket_dir}, the folder for PostgreSQL's unix socket, belongs to someone else: remove it, or set TMPDIR or ` +
        'DATA_DIR to another folder.',
    )
  if (run_as) await fs.lchown(socket_dir, run_as.uid, run_as.gid)
  await fs.chmod(socket_dir, 0o700)
}

/** Gives what the server said when it exited instead of accepting connections. */
async function launchServer(
  place: Location,
  binaries: string,
  fsync: boolean,
): Promise<RunningServer | { refused: string }> {
  await fs.chmod(place.database_dir, 0o700)
  const begun = performance.now()
  const log = await fs.open(place.log_file, 'a')
  const { size: log_start } = await log.stat()
  // Detached: the terminal's SIGINT is for the service, which ends its own work before it stops the server.
  const child = spawn(join(binaries, 'bin', 'postgres'), serverArguments(place, fsync), {
    ...processOptions(place, place.database_dir),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  try {
    await once(child, 'spawn')
  } finally {
    await log.close()
  }
  child.unref()
  while (child.exitCode === null && child.signalCode === null) {
    const found = await readPidFile(place)
    const is_ready = found?.pid === child.pid && found?.status === 'ready'
    if (found && is_ready && (await acceptsConnections(place.socket_dir)))
      return { pid: found.pid, socket_dir: place.socket_dir }
    if (performance.now() - begun > ready_timeout_ms)
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${child.pid}) is still starting after ${ready_timeout_ms / 1000} seconds, after a crash ` +
          `this can take time: see ${place.log_file} and start again later.`,
      )
    await sleep(10)
  }
  const said = (await fs.readFile(place.log_file)).subarray(log_start).toString().trim()
  return { refused: said.split('\n').slice(-8).join('\n') || `exit ${child.signalCode ?? child.exitCode}` }
}

function serverArguments(place: Location, fsync: boolean): string[] {
  const settings = {
    cluster_name: place.cluster_name,
    listen_addresses: '',
    port,
    // Relative to the database, which the server's user may not reach by its full path.
    unix_socket_directories: place.socket_dir === place.database_dir ? '.' : place.socket_dir,
    unix_socket_permissions: '0700',
    ...(fsync ? { max_connections: 100, ...memorySettings() } : settings_of_tests),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', dataArgument(place, place.database_dir), ...flags]
}

/** Fast instead of safe, and with room for the many services that tests run side by side. */
const settings_of_tests = { max_connections: 500, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const megabyte = 1024 * 1024

/**
 * A quarter of the memory for PostgreSQL's own cache, as its manual advises: with the 128 MB that it takes by itself a
 * page of history among ten million transfers cost twice as much as among ten thousand. Longer between checkpoints,
 * because after each of them every page is written to the log as a whole once.
 */
function memorySettings() {
  const limit = process.constrainedMemory()
  const memory_mb = Math.floor((limit > 0 && limit < totalmem() ? limit : totalmem()) / megabyte)
  return {
    shared_buffers: `${Math.min(Math.max(Math.floor(memory_mb / 4), 128), 4096)}MB`,
    effective_cache_size: `${Math.floor(memory_mb / 2)}MB`,
    max_wal_size: '2GB',
    random_page_cost: 1.1,
  }
}
