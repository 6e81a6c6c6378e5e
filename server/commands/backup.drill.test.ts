import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Command } from './command.ts'
import { restore } from './restore.ts'
import { verify } from './verify.ts'
import type { Env } from '../platform/env-reader.ts'
import { package_version } from '../platform/package.ts'
import { keyFingerprint } from '../platform/secrets.ts'
import { applySchema } from '../platform/postgres/migrations.ts'
import { writeUnfinished } from '../platform/postgres/backup/file.ts'
import { schema_sources } from '../processes/database.ts'
import { connectionTo, connectTo, newDatabase, query } from '../test/databases.ts'
import { runGuide } from '../test/guide.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { startMain, testDatabaseUrl, type Ended } from '../test/processes.ts'
import { enableTwoFactor } from '../test/two-factor.ts'
import { world } from '../test/world.ts'
import { takeBackup } from '../backup/take.ts'

const plaza = await startTestService()
const source = await databaseNameOf(plaza)
const secret = 'a-secret-of-the-tests-long-enough-for-the-rule'
const fingerprint = keyFingerprint(secret).toString('hex')
const folder = await mkdtemp(join(tmpdir(), 'plaza-commands-'))
afterAll(() => rm(folder, { recursive: true }))
const file = join(folder, 'plaza.backup')

const tablesOf = (database: string) =>
  query(database, "select relname from pg_class where relnamespace = 'public'::regnamespace order by 1")

/** Runs a command in this process. Returns its lines and the exit code, 1 with the message if it throws. */
async function run(command: Command, parameters: string[], env: Env, options: Record<string, true> = {}) {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const { signal } = new AbortController()
  const code = await command
    .run({ env, parameters, options, signal, print, write: async (line) => print(line), printError: print })
    .catch((error: Error) => (print(error.message), 1))
  return { code, output: lines.join('\n') }
}

const restoreInto = (database: string, { path = file, secrets = secret, ...env }: Record<string, string> = {}) =>
  run(restore, [path], { DATABASE_URL: testDatabaseUrl(database), SECRET_KEYS: secrets, ...env })
const refused = (output: string) => ({ code: 1, output })

/** Takes a backup without the command, which would give its whole process the lowest priority. */
async function backUp(database: string, path: string) {
  const { written } = await takeBackup({ connection: connectionTo(database) }, (frames) =>
    writeUnfinished(path, frames),
  )
  await written.publish()
}

let taken: Ended
beforeAll(async () => {
  const { user: person } = await world(plaza, { points: 10, scopes: ['points:spend'] })
  await enableTwoFactor(plaza, person)
  const env = { DATABASE_URL: testDatabaseUrl(source) }
  taken = await runGuide('backup.md', 'take', env, { replace: { 'plaza.backup': file } })
})

test('backup names the keys that it needs and the values that need them', () => {
  expect([taken.code, taken.stdout]).toEqual([
    0,
    expect.stringContaining(
      `It needs the key ${fingerprint} (1 two-factor secret and the recovery codes of 1 account) of SECRET_KEYS, but does not contain it: keep SECRET_KEYS elsewhere.`,
    ),
  ])
})

test('backup: only its owner may read the file, which contains no secret of SECRET_KEYS', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(gunzipSync(await readFile(file)).includes(secret)).toBe(false)
})

test('backup does not overwrite a file, and leaves nothing where the folder is missing', async () => {
  const before = await readFile(file)
  const again = await startMain(['admin', 'backup', file], { DATABASE_URL: testDatabaseUrl(source) }).ended
  expect([again.code, again.stderr]).toEqual([
    1,
    `Plaza cannot do this. ${file} exists already: name a file that does not.\n`,
  ])
  expect(await readFile(file)).toEqual(before)
  const nowhere = join(folder, 'nowhere', 'x.backup')
  await expect(backUp(source, nowhere)).rejects.toThrow(`There is no file or folder ${nowhere}.`)
  expect(await readdir(folder)).toEqual(['plaza.backup'])
})

test('backup and restore through pipes', async () => {
  const piped = join(folder, 'piped.backup')
  const env = { DATABASE_URL: testDatabaseUrl(source), SECRET_KEYS: secret }
  expect(await runGuide('backup.md', 'take-through-a-pipe', env, { replace: { 'copy.backup': piped } })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Standard output: '),
  })
  const verified = await runGuide(
    'backup.md',
    'verify',
    { ...env, DATA_DIR: folder },
    {
      replace: { 'plaza.backup': piped },
    },
  )
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('is good: ')])
  await rm(piped)
})

test('verify leaves no folder and no database behind, with a server of its own and on the server of the database', async () => {
  const databases = () => query('postgres', "select datname from pg_database where datname like 'plaza_verify%'")
  const env = { DATABASE_URL: testDatabaseUrl(source), DATA_DIR: folder }
  const verified = await run(verify, [file], env, { 'on-server': true })
  expect(verified.code).toBe(0)
  expect(verified.output).toMatch(
    /is good: \d+ tables and \d+ rows as of .*, the ledger balances over \d+ transfers?, \d{3} indexes checked\.\n/,
  )
  expect(verified.output).toContain(`A restore needs the key ${fingerprint}`)
  expect(await databases()).toEqual([])
  expect(await readdir(folder)).toEqual(['plaza.backup'])
})

test('verify: a ledger that does not balance is reported, and nothing stays behind', async () => {
  const wrong = await newDatabase()
  await restoreInto(wrong)
  await query(wrong, "update point_accounts set credited = credited + 1 where kind = 'user'")
  const path = join(folder, 'wrong.backup')
  await backUp(wrong, path)
  const env = { DATABASE_URL: testDatabaseUrl(source), DATA_DIR: folder }
  const { code, output } = await run(verify, [path], env, { 'on-server': true })
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/The ledger in .*wrong\.backup does not balance: \d+ accounts? /),
  ])
  await rm(path)
  expect(await readdir(folder)).toEqual(['plaza.backup'])
})

test('restore is refused without the keys, which are named, and with them it is done; MISSING_KEYS=allow accepts the loss', async () => {
  const target = await newDatabase()
  const needs = `${file} needs the key ${fingerprint} (1 two-factor secret and the recovery codes of 1 account): set SECRET_KEYS as it was when the backup was taken. If a key is permanently lost, MISSING_KEYS=allow restores without it (docs/keys.md describes the losses).`
  expect(await restoreInto(target, { secrets: 'another-secret-long-enough-for-the-rule-of-32' })).toEqual(
    refused(needs),
  )
  expect(await run(restore, [file], { DATA_DIR: join(folder, 'new') })).toEqual(refused(needs))
  expect(await tablesOf(target)).toEqual([])
  expect(await readdir(folder)).toEqual(['plaza.backup'])
  const allowed = await restoreInto(target, {
    secrets: 'another-secret-long-enough-for-the-rule-of-32',
    MISSING_KEYS: 'allow',
  })
  expect(allowed.code).toBe(0)
})

test('restore refuses a damaged, a cut and a foreign file, before it creates anything', async () => {
  const target = await newDatabase()
  const whole = await readFile(file)
  const path = join(folder, 'bad.backup')
  onTestFinished(() => rm(path))
  const damaged = Buffer.from(whole)
  damaged[whole.length >> 1]! ^= 1
  const cases: [Buffer, RegExp][] = [
    [damaged, /bad\.backup is damaged: .*\. Use another backup\.$/],
    [whole.subarray(0, whole.length - 30), /bad\.backup is cut off: its end is missing\. Use another backup\.$/],
    [Buffer.from('PGDMP'), /bad\.backup is not a backup of Plaza\.$/],
  ]
  for (const [bytes, message] of cases) {
    await writeFile(path, bytes)
    const { code, output } = await restoreInto(target, { path })
    expect([code, output]).toEqual([1, expect.stringMatching(message)])
    expect((await run(restore, [path], { DATA_DIR: join(folder, 'new') })).code).toBe(1)
  }
  expect(await tablesOf(target)).toEqual([])
  expect((await readdir(folder)).toSorted()).toEqual(['bad.backup', 'plaza.backup'])
})

test('restore refuses a database with rows, with tables of others, and of another encoding, and changes nothing', async () => {
  const used = await newDatabase()
  expect((await restoreInto(used)).code).toBe(0)
  const before = await tablesOf(used)
  expect(await restoreInto(used)).toEqual(
    refused('The database of DATABASE_URL is not empty: its table audit_log has rows. Restore into an empty database.'),
  )
  expect(await tablesOf(used)).toEqual(before)
  const foreign = await newDatabase()
  await query(foreign, 'create table customers (id int)')
  expect(await restoreInto(foreign)).toEqual(
    refused(
      'The database of DATABASE_URL holds tables that are not of this version of Plaza, such as customers: restore into an empty database.',
    ),
  )
  expect(await tablesOf(foreign)).toEqual([{ relname: 'customers' }])
  const latin = await newDatabase("encoding 'LATIN1' locale 'C'")
  expect(await restoreInto(latin)).toEqual(
    refused('The database of DATABASE_URL has the encoding LATIN1: create it with the encoding UTF8.'),
  )
})

test('restore refuses a database that a service is connected to', async () => {
  const target = await newDatabase()
  const client = new pg.Client({ ...connectionTo(target), application_name: 'plaza' })
  await client.connect()
  onTestFinished(() => client.end())
  expect(await restoreInto(target)).toEqual(
    refused('A service is connected to the database of DATABASE_URL (plaza): stop all of its processes first.'),
  )
  expect(await tablesOf(target)).toEqual([])
})

test('of two restores at once one is done, the other is refused; a service that starts meanwhile waits', async () => {
  const target = await newDatabase()
  const both = await Promise.all([restoreInto(target), restoreInto(target)])
  const [done, not_done] = both.toSorted((a, b) => a.code! - b.code!)
  expect([done!.code, not_done!.code]).toEqual([0, 1])
  expect(not_done!.output).toMatch(
    /Another restore writes into the database of DATABASE_URL: wait for its end\.|is not empty/,
  )
  // A restore holds the lock that a service takes before it reads the schema, so `migrate` waits for it.
  const starting = await connectTo(target)
  onTestFinished(() => starting.end())
  await starting.query('select pg_advisory_lock(7205461337)')
  expect(await restoreInto(target)).toEqual(
    refused('A service is starting on the database of DATABASE_URL: stop it first.'),
  )
})

test('restore refuses a file of a newer version, and one whose migrations had another text', async () => {
  const target = await newDatabase()
  const newer = await newDatabase()
  const client = await connectTo(newer)
  await applySchema(client, schema_sources)
  await client.query("insert into schema_migrations (name, checksum) values ('9999_later.sql', 'x')")
  const path = join(folder, 'newer.backup')
  onTestFinished(() => rm(path, { force: true }))
  await backUp(newer, path)
  expect(await restoreInto(target, { path })).toEqual(
    refused(
      `${path} was made by a newer version of Plaza (${package_version}): it has the migration 9999_later.sql, which this version does not know. Use that version or a newer one.`,
    ),
  )
  await client.query(
    "delete from schema_migrations where name = '9999_later.sql'; update schema_migrations set checksum = 'y' where name = '0002_points.sql'",
  )
  await client.end()
  await rm(path)
  await backUp(newer, path)
  expect(await restoreInto(target, { path })).toEqual(
    refused(`${path} does not fit this version of Plaza: its migration 0002_points.sql had another text.`),
  )
  expect(await tablesOf(target)).toEqual([])
})

test('a restore into a database in which the service has only created its tables succeeds', async () => {
  const target = await newDatabase()
  const client = await connectTo(target)
  await applySchema(client, schema_sources)
  await client.end()
  const restored = await runGuide(
    'backup.md',
    'restore',
    { DATABASE_URL: testDatabaseUrl(target), SECRET_KEYS: secret },
    { replace: { 'plaza.backup': file } },
  )
  expect([restored.code, restored.stdout], restored.stderr).toEqual([
    0,
    expect.stringMatching(/Restored \d+ tables and \d+ rows, as of /),
  ])
})

test('an interrupted restore leaves nothing', async () => {
  const target = await newDatabase()
  const copy = join(folder, 'copy.backup')
  await copyFile(file, copy)
  onTestFinished(() => rm(copy))
  const lock = await connectTo(target)
  lock.on('error', () => {})
  // Blocks the restore in the middle, when it creates this function.
  await lock.query('begin; create function refuse_change() returns trigger language plpgsql as $$ begin end $$')
  const restoring = startMain(['admin', 'restore', copy], {
    DATABASE_URL: testDatabaseUrl(target),
    SECRET_KEYS: secret,
  })
  await expect
    .poll(() =>
      query(
        target,
        "select 1 from pg_stat_activity where application_name = 'plaza-restore' and wait_event_type = 'Lock'",
      ),
    )
    .toHaveLength(1)
  restoring.child.kill('SIGTERM')
  expect(await restoring.ended).toMatchObject({ code: 130, stderr: 'Interrupted.\n' })
  await lock.query('rollback')
  await lock.end()
  await expect.poll(() => tablesOf(target)).toEqual([])
})
