import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openLog } from '../platform/log.ts'
import { startService } from '../processes/start.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, sharedService } from './harness.ts'
import { startMain, testDatabaseUrl } from './processes.ts'
import { newFolder } from './spaces.ts'

const plaza = await sharedService()
const name = await databaseNameOf(plaza)

const valid_env = {
  DATABASE_URL: testDatabaseUrl(name),
  SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
  HOST: '127.0.0.1',
  ROLES: 'api',
}

/** The message of a failing start in this process. */
async function refusalOf(env: Record<string, string>) {
  const config = readConfig({ ...valid_env, PORT: String(await freePort()), ...env })
  const message = await startService({ config, log: openLog('silent') }).then(
    () => 'started',
    (error: Error) => error.message,
  )
  expect(message).not.toContain('hush')
  return message
}

/** A server that responds to every connection like PostgreSQL to a wrong password (28P01). */
async function refusingDatabase() {
  const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mpassword authentication failed for user "plaza"', '']
  const text = Buffer.from(`${fields.join('\0')}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeUInt32BE(text.length + 4, 1)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([head, text])))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a database that cannot be used is named by its setting, without the password', async () => {
  const unused = await freePort()
  expect(await refusalOf({ DATABASE_URL: `postgres://plaza:hush@127.0.0.1:${unused}/db` })).toMatch(
    new RegExp(
      `^The database of DATABASE_URL \\(127\\.0\\.0\\.1:${unused}, database db, user plaza\\) cannot be used: nothing answers there`,
    ),
  )
  const refusing = await refusingDatabase()
  expect(await refusalOf({ DATABASE_URL: `postgres://plaza:hush@127.0.0.1:${refusing}/db` })).toContain(
    'cannot be used: the user or the password is wrong',
  )
  expect(await refusalOf({ DATABASE_URL: testDatabaseUrl('no_such_database') })).toMatch(
    /^The database of DATABASE_URL .*database no_such_database.* this server has no such database/,
  )
})

test('an invalid HOST is named by its setting', async () => {
  expect(await refusalOf({ HOST: 'no-such-host.invalid' })).toMatch(
    /^HOST is "no-such-host\.invalid", which is no address and no known name: .* \(E[A-Z_]+\)\.$/,
  )
  expect(await refusalOf({ HOST: '192.0.2.1' })).toBe(
    'HOST is "192.0.2.1", which is not an address of this machine: 0.0.0.0 means all interfaces (EADDRNOTAVAIL).',
  )
})

/** A start with the embedded database. */
const embedded_env = { HOST: '127.0.0.1', ROLES: 'api' }

test('a taken port is named by its setting, before a database is created', async () => {
  const data = join(await newFolder(), 'data')
  const { port } = new URL(plaza.url)
  expect(await startMain([], { ...embedded_env, PORT: port, DATA_DIR: data }).ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `Plaza cannot start. Port ${port} of 127.0.0.1 is used by another program, perhaps another Plaza: stop it, or set PORT to another port (EADDRINUSE).\n`,
  })
  expect(existsSync(data)).toBe(false)
})

/** Only root may mount a file system. */
const can_mount = process.getuid?.() === 0 && process.platform === 'linux'

/** The first fails while the database is created, the second during the migrations. */
test.runIf(can_mount).each([
  [
    20,
    /^Plaza cannot start\. The data folder \S+ is on a full disk: free 60 MB, or set DATA_DIR to another folder.*\n$/,
  ],
  [40, /^Plaza cannot start\. The disk of the database is full: free some space and start again \(.*\)\.\n$/],
])('a disk of %i MB: one sentence, and no PostgreSQL is left', async (megabytes, sentence) => {
  const disk = await newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk])
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const env = { ...embedded_env, PORT: String(await freePort()), DATA_DIR: join(disk, 'data'), LOG_LEVEL: 'warn' }
  const { code, stdout, stderr } = await startMain([], env).ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(sentence)
  // A PostgreSQL that could not write its last checkpoint leaves the file.
  const pid_file = await readFile(join(disk, 'data/postgres/postmaster.pid'), 'utf8').catch(() => '')
  if (pid_file !== '') await expect.poll(() => existsSync(`/proc/${pid_file.split('\n')[0]}`)).toBe(false)
})
