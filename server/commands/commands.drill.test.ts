import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adminListUsers } from '../../contract/admin.ts'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, sharedService } from '../test/harness.ts'
import { runAdmin, testDatabaseUrl } from '../test/processes.ts'
import { runGuide } from '../test/guide.ts'
import { kidsOf, signerOf } from '../test/openid.ts'
import { someUser } from '../test/world.ts'
import { newFolder } from '../test/spaces.ts'

const plaza = await sharedService()
const name = await databaseNameOf(plaza)
const database = { DATABASE_URL: testDatabaseUrl(name) }

const secret_of_tests = 'a-secret-of-the-tests-long-enough-for-the-rule'

const usage = expect.stringMatching(
  /^Usage: npm run admin -- <command>\n\n {2}audit export .*\n(.*\n)* {2}verify <file> /,
)

test('D-19 admin grant: needs the database only, and takes effect in the running service immediately', async () => {
  const user = await someUser(plaza)
  expect((await user.api.call(adminListUsers, { query: {} })).status).toBe(403)
  // A service would not start with these settings.
  const broken = { LEARNING_DIR: '/nowhere', PORT: 'none', ROLES: 'nobody' }
  expect(await runAdmin(['grant', user.email.toUpperCase()], { ...database, ...broken })).toEqual({
    code: 0,
    signal: null,
    stdout: `${user.email.toUpperCase()} is an admin now.\n`,
    stderr: '',
  })
  // The command runs in this process and may end before the notification of its change has arrived.
  await expect.poll(async () => (await user.api.call(adminListUsers, { query: {} })).status).toBe(200)
})

test('admin --help lists the commands, and after a command describes its arguments; exit code 0', async () => {
  expect(await runAdmin(['--help'], {})).toMatchObject({ code: 0, stdout: usage, stderr: '' })
  for (const args of [
    ['grant', '--help'],
    ['grant', '-h'],
    ['help', 'grant'],
  ])
    expect(await runAdmin(args, {})).toEqual({
      code: 0,
      signal: null,
      stdout: [
        'Usage: npm run admin -- grant <email> [role]',
        '',
        'grant: makes the account with this address an admin (D-19)',
        '',
        'It takes effect in running processes immediately, and is recorded in the audit log.',
        '',
        'The role is administrator by default; others are support, moderator, finance, hosting, reviewer, auditor. Further ones are added to it.',
        '',
        '  --help                shows this',
        '',
        'The command uses the database of the service: DATABASE_URL, or the embedded one in DATA_DIR. The service may be running.',
        'Exit code: 0 done, 1 not done, 2 wrong usage.',
        '',
      ].join('\n'),
      stderr: '',
    })
})

test('admin: wrong usage prints the error and the usage, exit code 2', async () => {
  const usage_of_grant = expect.stringMatching(/^Usage: npm run admin -- grant <email> \[role\]\n/)
  const cases: [string[], string, unknown][] = [
    [[], '', usage],
    [['constructor'], 'There is no command "constructor".\n\n', usage],
    [['--verbose'], '', usage],
    [['grant'], '"grant" takes <email> [role].\n\n', usage_of_grant],
    [['grant', 'a@b.test', 'auditor', 'c@d.test'], '"grant" takes <email> [role].\n\n', usage_of_grant],
    [['grant', '--constructor', 'a@b.test'], '"grant" has no option --constructor.\n\n', usage_of_grant],
    [['grant', '-v', 'a@b.test'], '"grant" has no option -v.\n\n', usage_of_grant],
  ]
  for (const [args, message, expected_usage] of cases) {
    const { code, stdout, stderr } = await runAdmin(args, database)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.slice(0, message.length)).toBe(message)
    expect(stderr.slice(message.length)).toEqual(expected_usage)
  }
})

test('guide: the commands of the chapter on commands work as described', async () => {
  expect(await runGuide('commands.md', 'list', {})).toMatchObject({ code: 0 })
  const { email } = await someUser(plaza)
  const granted = await runGuide('commands.md', 'grant', database, { replace: { 'you@example.com': email } })
  expect([granted.code, granted.stdout]).toEqual([0, expect.stringContaining(`${email} is an admin now.\n`)])
  const sealed = await runGuide('commands.md', 'reseal', { ...database, SECRET_KEYS: secret_of_tests })
  expect([sealed.code, sealed.stdout]).toEqual([
    0,
    expect.stringMatching(/Nothing needs a key other than \w+ any more/),
  ])
  const [kid] = await kidsOf(plaza)
  const replaced = await runGuide('commands.md', 'replace-signing-key', { ...database, SECRET_KEYS: secret_of_tests })
  expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringMatching(/The key [0-9a-f-]{36} signs from /)])
  plaza.clock.advance(10)
  expect([(await kidsOf(plaza)).length, await signerOf(plaza)]).toEqual([2, kid])
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
    'Plaza cannot do this. The database does not have the tables of this version: start the service once to create them.\n',
  ])
})

test('admin grant: creates no database in a folder without one', async () => {
  const folder = await newFolder()
  const { code, stderr } = await runAdmin(['grant', 'a@b.test'], { DATA_DIR: join(folder, 'data') })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`There is no database in ${join(folder, 'data')}: use the DATABASE_URL or DATA_DIR`),
  ])
  expect(await readdir(folder)).toEqual([])
})
