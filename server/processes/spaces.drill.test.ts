import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Env } from '../platform/env-reader.ts'
import { openLog } from '../platform/log.ts'
import { connectionTo, newDatabase, query } from '../test/databases.ts'
import { freePort } from '../test/free-port.ts'
import { runAdmin, startMain, testDatabaseUrl } from '../test/processes.ts'
import { databaseOf, marksOf, newFolder, refusalOf, stateOf, type Space } from '../test/spaces.ts'
import { prepareDatabase } from './database.ts'
import { claimSpace } from './space.ts'
import { startService } from './start.ts'

/** Changes the database as the start of a service of this space does. */
async function prepare(name: string, space: Space) {
  const pool = new pg.Pool(connectionTo(name))
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  const settings = { database_url: testDatabaseUrl(name), data_dir: './nowhere', is_sandbox: space === 'sandbox' }
  try {
    await prepareDatabase(pool, openLog('silent'), claimSpace(settings))
  } finally {
    await pool.end()
  }
}

const SECRET_KEYS = 'a-secret-of-the-tests-long-enough-for-the-rule'

const serviceEnv = async (name: string, env: Env): Promise<Env> => ({
  DATABASE_URL: testDatabaseUrl(name),
  SECRET_KEYS,
  HOST: '127.0.0.1',
  PORT: String(await freePort()),
  ROUTER_HOST: '127.0.0.1',
  ROUTER_PORT: String(await freePort()),
  LOG_LEVEL: 'error',
  // A process that is not refused would create this admin.
  ADMIN_EMAIL: 'root@plaza.test',
  ADMIN_PASSWORD: 'root of all points',
  ...env,
})

/** Starts the service in this process. */
const startHere = (env: Env) => startService({ config: readConfig(env), log: openLog('silent') })

test.each([
  ['sandbox', 'real', { SANDBOX: 'on' }],
  ['real', 'sandbox', {}],
] as const)(
  'D-102: what starts as %s is refused the database of the other space, also where nobody has used it: in every role, and nothing is changed',
  async (refused, owner, env) => {
    const name = await databaseOf(owner)
    const before = await stateOf(name)
    const refusal = refusalOf(refused, name)
    for (const ROLES of ['api', 'worker', 'router'])
      await expect(startHere(await serviceEnv(name, { ...env, ROLES }))).rejects.toThrow(refusal.trim())
    const { code, stderr } = await startMain([], await serviceEnv(name, { ...env, PROCESSES: '2' })).ended
    expect([code, stderr]).toEqual([1, `Plaza cannot start. ${refusal}`])
    expect(await stateOf(name)).toEqual(before)
  },
)

test('D-102: a sandbox marks a new database, and starts again on it', async () => {
  const name = await newDatabase()
  for (const start of ['first', 'second']) {
    const service = await startHere(await serviceEnv(name, { SANDBOX: 'on', ROLES: 'api' }))
    await service.stop()
    expect([start, await marksOf(name)]).toEqual([start, [{ is_sandbox: true }]])
  }
})

test('D-102: the real space marks nothing; of two first starts of both spaces at once one is refused', async () => {
  const unmarked = await newDatabase()
  await prepare(unmarked, 'real')
  expect(await marksOf(unmarked)).toEqual([])
  for (let round = 0; round < 2; round++) {
    const name = await newDatabase()
    const starts = await Promise.allSettled((['sandbox', 'real'] as const).map((space) => prepare(name, space)))
    const [sandbox, real] = starts.map(({ status }) => status)
    expect([sandbox, real].sort()).toEqual(['fulfilled', 'rejected'])
    expect(await marksOf(name)).toEqual(sandbox === 'fulfilled' ? [{ is_sandbox: true }] : [])
  }
})

test('D-102: a database of an older version, which has no mark, belongs to the real space', async () => {
  const name = await newDatabase()
  await query(name, 'create table schema_migrations (name text primary key, checksum text not null)')
  await expect(prepare(name, 'sandbox')).rejects.toThrow('is the real space’s. Nothing in it was changed.')
  expect(await query(name, "select table_name from information_schema.tables where table_schema = 'public'")).toEqual([
    { table_name: 'schema_migrations' },
  ])
})

/** Every command that opens the configured database; `restore` has a separate drill. */
const commands = (folder: string) => [
  ['grant', 'root@plaza.test'],
  ['jobs'],
  ['jobs', 'retry', '--failed'],
  ['jobs', 'drop', '1'],
  ['audit', 'export', '--since', '2026-01-01'],
  ['reseal'],
  ['replace-signing-key'],
  ['retention'],
  ['upgrade-check'],
  ['backup', join(folder, 'out.backup')],
  ['verify', join(folder, 'out.backup'), '--on-server'],
]

test.each([
  ['sandbox', 'real', { SANDBOX: 'on' }],
  ['real', 'sandbox', {}],
] as const)(
  'D-102: commands of a %s space are refused the database of the other, and change nothing',
  async (refused, owner, env) => {
    const [name, folder] = [await databaseOf(owner), await newFolder()]
    const before = await stateOf(name)
    const settings: Env = { DATABASE_URL: testDatabaseUrl(name), SECRET_KEYS, ...env }
    const results = await Promise.all(commands(folder).map((args) => runAdmin(args, settings)))
    const message = refusalOf(refused, name)
    expect(results.map(({ code, stdout, stderr }, at) => [commands(folder)[at], code, stdout, stderr])).toEqual(
      commands(folder).map((args) => [args, 1, '', `Plaza cannot do this. ${message}`]),
    )
    expect(await readdir(folder)).toEqual([])
    const doctor = await runAdmin(['doctor'], settings)
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(message.trim())])
    expect(await stateOf(name)).toEqual(before)
  },
)

test('D-102: commands work on the database of a sandbox with SANDBOX=on', async () => {
  const name = await databaseOf('sandbox')
  const settings = { DATABASE_URL: testDatabaseUrl(name), SECRET_KEYS, SANDBOX: 'on' }
  expect(await runAdmin(['grant', 'nobody@people.test'], settings)).toMatchObject({
    code: 1,
    stdout: 'No account has the address nobody@people.test. The person must register first.\n',
  })
  expect(await runAdmin(['upgrade-check'], settings)).toMatchObject({ code: 0 })
})

test('D-102: SANDBOX is on or off; a sandbox has separate folders unless they are set', () => {
  expect(() => readConfig({ SANDBOX: 'yes' })).toThrow(
    'The configuration has problems:\n  SANDBOX must be one of off, on',
  )
  const { is_sandbox, data_dir, backups } = readConfig({ SANDBOX: 'on' })
  expect([is_sandbox, data_dir, backups?.dir]).toEqual([true, './data-sandbox', 'data-sandbox/backups'])
  expect(readConfig({ SANDBOX: 'on', DATA_DIR: '/srv/trial' })).toMatchObject({ data_dir: '/srv/trial' })
  expect(readConfig({})).toMatchObject({ is_sandbox: false, data_dir: './data' })
})
