import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { run } from '../platform/postgres/embedded/processes.ts'
import { freePort } from './free-port.ts'

/** Debian's package postgresql-15, which has another major version than the npm package. */
const binaries = '/usr/lib/postgresql/15/bin'
/** The server does not run as root, so it runs as Debian's user. */
const can_run = existsSync(join(binaries, 'initdb')) && process.getuid?.() === 0

/** The reason why such a server cannot be started here, if any. */
export const missing_for_debian_postgres = can_run
  ? undefined
  : 'needs to be root, and the Debian package postgresql-15'
if (!can_run && process.env.CI === 'true') throw new Error(`The drill of a backup ${missing_for_debian_postgres}.`)

export interface DebianPostgres {
  /** The folder of its socket. */
  host: string
  port: number
  data_dir: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Runs a program as the server's user. */
  asServer(program: string, args: string[], env?: Record<string, string>): Promise<void>
}

/**
 * Creates and starts a PostgreSQL 15 server for one test. `environment` gets the folder of its socket and the server's user before the
 * server starts, and returns the environment of the server and of the programs that it runs.
 */
export async function startDebianPostgres(
  settings: readonly string[] = [],
  environment: (host: string, port: number, uid: number) => Promise<Record<string, string>> = async () => ({}),
): Promise<DebianPostgres> {
  const { stdout } = await run('id', ['-u', 'postgres'])
  const uid = Number(stdout)
  const host = await mkdtemp(join(tmpdir(), 'plaza-pg15-'))
  await chown(host, uid, uid)
  await chmod(host, 0o755)
  const data_dir = join(host, 'data')
  const port = await freePort()
  const own = await environment(host, port, uid)
  const asServer = async (program: string, args: string[], env: Record<string, string> = {}) =>
    void (await run(program, args, { uid, cwd: host, env: { PATH: process.env.PATH, ...own, ...env } }))
  const control = (...args: string[]) =>
    asServer(join(binaries, 'pg_ctl'), ['-D', data_dir, '-w', '-l', join(host, 'log'), ...args])
  await mkdir(data_dir, { mode: 0o700 })
  await chown(data_dir, uid, uid)
  await asServer(join(binaries, 'initdb'), [
    '-D',
    data_dir,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale',
    'C',
    '-N',
  ])
  const lines = [
    "listen_addresses = ''",
    `unix_socket_directories = '${host}'`,
    `port = ${port}`,
    'fsync = off',
    ...settings,
  ]
  await appendFile(join(data_dir, 'postgresql.conf'), `${lines.join('\n')}\n`)
  const start = () => control('start')
  const stop = () => control('stop', '-m', 'fast')
  onTestFinished(async () => {
    await stop().catch(() => {})
    await rm(host, { recursive: true, force: true })
  })
  await start()
  return { host, port, data_dir, start, stop, asServer }
}
