import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adminListUsers } from '../contract/admin.ts'
import { freePort } from './test/free-port.ts'
import { databaseNameOf, startTestService } from './test/harness.ts'
import { bare_env, runAdmin, testDatabaseUrl } from './test/processes.ts'
import { someUser } from './test/world.ts'

const plaza = await startTestService()
const name = await databaseNameOf(plaza)
const database = { DATABASE_URL: testDatabaseUrl(name) }

const usage = expect.stringMatching(/^Usage: npm run admin -- <command>\n\n {2}grant <email>/)

test('D-19 admin grant: needs the database only, and takes effect in the running service at once', async () => {
  const user = await someUser(plaza)
  expect((await user.api.call(adminListUsers, { query: {} })).status).toBe(403)
  // A service would not start with these.
  const broken = { LEARNING_DIR: '/nowhere', PORT: 'none', ROLES: 'nobody' }
  expect(await runAdmin(['grant', user.email.toUpperCase()], { ...database, ...broken })).toEqual({
    code: 0,
    signal: null,
    stdout: `${user.email.toUpperCase()} is an admin now.\n`,
    stderr: '',
  })
  expect((await user.api.call(adminListUsers, { query: {} })).status).toBe(200)
})

test('admin grant: an unknown address is reported, exit code 1', async () => {
  expect(await runAdmin(['grant', 'nobody@people.test'], database)).toMatchObject({
    code: 1,
    stdout: 'Nobody has the address nobody@people.test. The person registers first.\n',
    stderr: '',
  })
})

test('admin --help lists the commands, exit code 0', async () => {
  expect(await runAdmin(['--help'], {})).toMatchObject({ code: 0, stdout: usage, stderr: '' })
  expect(await runAdmin(['grant', '--help'], {})).toMatchObject({ code: 0, stdout: usage, stderr: '' })
})

test('admin: wrong usage lists the commands, exit code 2', async () => {
  const cases: [string[], string][] = [
    [[], ''],
    [['constructor'], 'There is no command "constructor".\n\n'],
    [['grant', 'a@b.test', 'c@d.test'], '"grant" takes <email>.\n\n'],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runAdmin(args, database)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.slice(0, message.length)).toBe(message)
    expect(stderr.slice(message.length)).toEqual(usage)
  }
})

test('admin grant: an unavailable database is named by its setting, without the password, exit code 1', async () => {
  const port = await freePort()
  const { code, stderr } = await runAdmin(['grant', 'a@b.test'], {
    DATABASE_URL: `postgres://plaza:hush@127.0.0.1:${port}/plaza`,
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    new RegExp(
      `^Plaza cannot do this\\. The database of DATABASE_URL \\(127\\.0\\.0\\.1:${port}, database plaza, user plaza\\) cannot be used: nothing answers there`,
    ),
  )
  expect(stderr).not.toContain('hush')
})

test('admin grant: each of several servers is named with its error, without the password', async () => {
  const ports = [await freePort(), await freePort()]
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  const { code, stderr } = await runAdmin(['grant', 'a@b.test'], {
    DATABASE_URL: `postgres://plaza:hush@${hosts}/plaza?target_session_attrs=read-write`,
  })
  expect(code).toBe(1)
  expect(stderr).toContain(
    `The database of DATABASE_URL (${hosts}, database plaza, user plaza) cannot be used: nothing answers`,
  )
  for (const port of ports) expect(stderr).toContain(`127.0.0.1:${port}: connect ECONNREFUSED`)
  expect(stderr).not.toContain('hush')
})

test('admin grant: a database without tables of Plaza is reported and not changed', async () => {
  const empty = `${name}_empty`
  const { pool } = plaza.db
  await pool.query(`create database ${empty}`)
  onTestFinished(async () => void (await pool.query(`drop database ${empty} with (force)`)))
  const { code, stderr } = await runAdmin(['grant', 'a@b.test'], { DATABASE_URL: testDatabaseUrl(empty) })
  expect([code, stderr]).toEqual([
    1,
    'Plaza cannot do this. The database does not have the tables of this version: start the service once, which makes them.\n',
  ])
})

test('admin grant: creates no database in a folder without one', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'plaza-admin-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  const { code, stderr } = await runAdmin(['grant', 'a@b.test'], bare_env, { cwd })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`There is no database in ${join(cwd, 'data')}: set DATABASE_URL or DATA_DIR`),
  ])
  expect(await readdir(cwd)).toEqual([])
})
