import { once } from 'node:events'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, hasCode } from './error.ts'
import { socket_file, type Location } from './location.ts'
import { commandLine, sendSignal } from './processes.ts'

export const ready_timeout_ms = 120_000
const unreachable_timeout_ms = 5_000
const stop_timeout_ms = 60_000

export interface RunningServer {
  pid: number
  socket_dir: string
}

/** Finds the running server, whichever process started it. Waits while it starts or stops. */
export async function findRunningServer(location: Location): Promise<RunningServer | undefined> {
  const started_at = performance.now()
  for (;;) {
    const found = await readPidFile(location)
    if (!found || !(await isServer(location, found.pid))) return undefined
    const is_ready = found.status === 'ready'
    if (is_ready && (await acceptsConnections(found.socket_dir))) return found
    const timeout_ms = is_ready ? unreachable_timeout_ms : ready_timeout_ms
    if (performance.now() - started_at > timeout_ms)
      throw new EmbeddedPostgresError(
        `The PostgreSQL server of ${location.database_dir} (process ${found.pid}) is running but cannot be reached at ` +
          `${join(found.socket_dir, socket_file)}: end it with "kill -INT ${found.pid}" and start again.`,
      )
    await sleep(20)
  }
}

/** Reads `postmaster.pid`. PostgreSQL's `pidfile.h` describes its lines. */
export async function readPidFile({
  database_dir,
}: Location): Promise<(RunningServer & { status: string }) | undefined> {
  const content = await fs.readFile(join(database_dir, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  })
  const [pid = '', , , , socket_dir = '', , , status = ''] = content.split('\n').map((line) => line.trim())
  return Number(pid) > 0 ? { pid: Number(pid), socket_dir: resolve(database_dir, socket_dir), status } : undefined
}

/** True if the process is this server; false for a reused process id, and for zombies, which have no command line. */
export async function isServer({ cluster_name, database_dir }: Location, pid: number): Promise<boolean> {
  const command = await commandLine(pid)
  return command.includes(`cluster_name=${cluster_name} `) || command.includes(`-D ${database_dir} `)
}

/** True if a server accepts connections on the socket in this folder. */
export async function acceptsConnections(socket_dir: string): Promise<boolean> {
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

/** Stops the server in fast mode: it ends open sessions, writes a checkpoint and exits. */
export async function stopServer(location: Location, { pid, socket_dir }: RunningServer): Promise<void> {
  const started_at = performance.now()
  if (await isServer(location, pid)) sendSignal(pid, 'SIGINT')
  while (await isServer(location, pid)) {
    if (performance.now() - started_at > stop_timeout_ms)
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${pid}) is still stopping after ${stop_timeout_ms / 1000} seconds: see ${location.log_file}.`,
      )
    await sleep(10)
  }
  const is_idle = socket_dir !== location.database_dir && !existsSync(join(socket_dir, socket_file))
  if (is_idle) await fs.rmdir(socket_dir).catch(() => {})
}
