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

export interface ServerSettings {
  /** False for tests only. */
  fsync: boolean
  /** `max_connections`. */
  connections: number
  /** True for tests only: no user needs a password. */
  trusts_local_users: boolean
}

export interface StartResult {
  server: RunningServer
  reused: boolean
}

/**
 * Starts the server and waits until it accepts connections; attaches to a server that another process started meanwhile.
 * Fails with the last lines of the server's log if it does not start.
 */
export async function startServer(
  location: Location,
  binaries: string,
  settings: ServerSettings,
): Promise<StartResult> {
  const started_at = performance.now()
  await prepareLog(location)
  for (;;) {
    await removeForeignLocks(location)
    if (location.socket_dir !== location.database_dir) await prepareSocketFolder(location)
    const started = await launchServer(location, binaries, settings)
    if ('pid' in started) {
      location.log(
        `PostgreSQL is running (process ${started.pid}) on ${location.database_dir}, its log is ${location.log_file}`,
      )
      return { server: started, reused: false }
    }
    const running = await findRunningServer(location)
    if (running) return { server: running, reused: true }
    // The child processes of a killed server exit with a delay, and hold its shared memory until then.
    const is_temporary = started.failure.includes(shared_memory_in_use)
    if (!is_temporary || performance.now() - started_at > leftovers_timeout_ms)
      throw new EmbeddedPostgresError(
        `PostgreSQL refused to start on ${location.database_dir}: ${remedy}, or mend what the last lines of ` +
          `${location.log_file} say:\n${started.failure}`,
      )
    await sleep(100)
  }
}

/** Truncates the server's log when it has become long; one older log is kept. A running server continues to append to the emptied file. */
export async function rotateLog({ log_file }: Pick<Location, 'log_file'>): Promise<void> {
  const size = await fs.stat(log_file).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= log_bytes_max) return
  await fs.copyFile(log_file, `${log_file}.old`)
  await fs.truncate(log_file)
}

async function prepareLog(location: Location): Promise<void> {
  const { log_file, run_as } = location
  await rotateLog(location)
  const file = await fs.open(log_file, 'a', 0o600)
  if (run_as) await file.chown(run_as.uid, run_as.gid)
  await file.close()
}

/**
 * Removes lock files that name a running process other than this server: PostgreSQL refuses to start with them, and process ids are reused
 * in a new container. PostgreSQL itself handles a lock that names a dead process, because it also checks the shared memory.
 */
async function removeForeignLocks(location: Location): Promise<void> {
  for (const lock of [
    join(location.database_dir, 'postmaster.pid'),
    join(location.socket_dir, `${socket_file}.lock`),
  ]) {
    const pid = Number.parseInt(await fs.readFile(lock, 'utf8').catch(() => ''), 10)
    if (pid > 0 && isAlive(pid) && !(await isServer(location, pid))) await fs.rm(lock, { force: true })
  }
}

/** Creates the folder, or fails if another user owns it: the folder for temporary files is writable for all users. */
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

/** Returns the running server, or the last lines of its log if it exited instead of accepting connections. */
async function launchServer(
  location: Location,
  binaries: string,
  wanted: ServerSettings,
): Promise<RunningServer | { failure: string }> {
  await fs.chmod(location.database_dir, 0o700)
  const started_at = performance.now()
  const log = await fs.open(location.log_file, 'a')
  const { size: log_start } = await log.stat()
  // Detached, so that the terminal's SIGINT reaches only the service, which stops the server after its own work.
  const child = spawn(join(binaries, 'bin', 'postgres'), serverArguments(location, wanted), {
    ...processOptions(location, location.database_dir),
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
    const found = await readPidFile(location)
    const is_ready = found?.pid === child.pid && found?.status === 'ready'
    if (found && is_ready && (await acceptsConnections(location.socket_dir)))
      return { pid: found.pid, socket_dir: location.socket_dir }
    if (performance.now() - started_at > ready_timeout_ms)
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${child.pid}) is still starting after ${ready_timeout_ms / 1000} seconds, after a crash ` +
          `this can take time: see ${location.log_file} and start again later.`,
      )
    await sleep(10)
  }
  const output = (await fs.readFile(location.log_file)).subarray(log_start).toString().trim()
  return { failure: output.split('\n').slice(-8).join('\n') || `exit ${child.signalCode ?? child.exitCode}` }
}

function serverArguments(location: Location, { fsync, connections }: ServerSettings): string[] {
  const settings = {
    cluster_name: location.cluster_name,
    listen_addresses: '',
    port,
    // Relative to the data directory: the server's user may have no access to its full path.
    unix_socket_directories: location.socket_dir === location.database_dir ? '.' : location.socket_dir,
    unix_socket_permissions: '0700',
    ...(fsync ? { max_connections: connections, ...memorySettings() } : test_settings),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', dataArgument(location, location.database_dir), ...flags]
}

/**
 * Without durability, and with connections for the many services that tests run concurrently. Tests have a hundred small databases: to
 * visit each of them every minute would take more processor time than it saves.
 */
const test_settings = {
  max_connections: 500,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '1h',
}

const megabyte = 1024 * 1024

/**
 * A quarter of the memory for shared buffers, as PostgreSQL's manual recommends: with the default of 128 MB, a page of
 * history among ten million transfers cost twice as much as among ten thousand. Fewer checkpoints, because after each
 * of them every changed page is once written to the WAL in full.
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
