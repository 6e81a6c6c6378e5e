import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, me, register } from '../../contract/accounts.ts'
import { checkLedger } from '../../contract/admin.ts'
import { createDeployment, restartDeployment } from '../../contract/deployments.ts'
import { token } from '../../contract/oauth.ts'
import { getPoints, spendPoints } from '../../contract/points.ts'
import { openEnv } from '../hosting/api/sealing.rules.ts'
import { environmentKeys } from '../hosting/api/service.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { readPassword } from '../platform/postgres/embedded/password.ts'
import { writeUnfinished } from '../platform/postgres/backup/file.ts'
import { missing_for_debian_postgres, startDebianPostgres } from '../test/debian-postgres.ts'
import { query } from '../test/databases.ts'
import { freePort } from '../test/free-port.ts'
import { runGuide } from '../test/guide.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { any_image, freshName, observeStatus, someContainerHost, someHostingApp } from '../test/hosting-world.ts'
import { runAdmin, startMain, testDatabaseUrl } from '../test/processes.ts'
import { childrenOf } from '../test/service-group.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { sleep } from '../test/wait.ts'
import { refreshRequest, theAdmin, world } from '../test/world.ts'
import { restoreFile } from './restore.ts'
import { takeBackup } from './take.ts'
import { hosting_settings } from '../test/settings.ts'

const secret = 'a-secret-of-the-tests-long-enough-for-the-rule'
const { host, user } = inject('postgres')

async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-drill-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

async function backUp(connection: ConnectionConfig, file: string) {
  const { written } = await takeBackup({ connection }, (frames) => writeUnfinished(file, frames))
  await written.publish()
}

const restore = (file: string, connection: ConnectionConfig) =>
  restoreFile({
    connection,
    file,
    names: { file, database: 'the database' },
    keys: { secrets: [secret] },
  })

test('drill: the database is lost, its backup is restored, and sign-in with second factor, tokens, deployments and points are as before', async () => {
  const plaza = await startTestService({ ...hosting_settings, SECRET_KEYS: secret })
  await someContainerHost(plaza)
  const name = await databaseNameOf(plaza)
  const { user: person, app, tokens } = await world(plaza, { points: 100, scopes: ['points:spend', 'points:read'] })
  const two_factor = await enableTwoFactor(plaza, person)
  const operator = await someHostingApp(plaza, { points: 10_000 })
  const deployment = await operator.api.result(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'starter', env_vars: { TOKEN: 'of the app' } },
  })
  await observeStatus(plaza, deployment.id, 'running')
  await tokens.api.result(spendPoints, { body: { amount: 30 }, headers: { 'idempotency-key': 'the one spend' } })
  const file = join(await temporaryFolder(), 'plaza.backup')
  await backUp({ host, user, database: name }, file)

  await plaza.stopAll()
  const admin = { host, user, database: 'postgres' }
  await query(admin, `drop database ${name} with (force)`)
  await query(admin, `create database ${name}`)
  await restore(file, { host, user, database: name })
  const again = await plaza.startAnother()

  plaza.clock.advance(60)
  const anonymous = new PlazaClient(again.url)
  const { email, password } = person
  const signIn = (more: { totp_code?: string }) => anonymous.call(login, { body: { email, password, ...more } })
  expect((await signIn({})).status).not.toBe(200)
  expect((await signIn({ totp_code: totpCode(plaza.clock, two_factor.secret) })).status).toBe(200)
  expect((await signIn({ totp_code: two_factor.recovery_codes[0]! })).status).toBe(200)
  // A session from before the restore is still valid.
  expect((await anonymous.withToken(person.token).call(me)).status).toBe(200)
  const with_token = anonymous.withToken(tokens.access_token)
  expect(await with_token.result(getPoints)).toMatchObject({ points: 70 })
  // The idempotency key from before the restore still counts: the spend is not repeated.
  await with_token.result(spendPoints, { body: { amount: 30 }, headers: { 'idempotency-key': 'the one spend' } })
  expect(await with_token.result(getPoints)).toMatchObject({ points: 70 })
  const refreshed = await anonymous.call(token, { body: refreshRequest(app, tokens.refresh_token) })
  expect(refreshed.status).toBe(200)
  const [row] = await again.db.sql<{
    sealed_env: Buffer
  }>`select sealed_env from deployments where id = ${deployment.id}`
  expect(openEnv(environmentKeys([secret]), deployment.id, row!.sealed_env)).toEqual({ TOKEN: 'of the app' })
  const hosting = anonymous.withToken(operator.tokens.access_token)
  expect((await hosting.call(restartDeployment, { params: { id: deployment.id } })).status).toBe(200)
  expect(await (await theAdmin(again)).api.result(checkLedger)).toMatchObject({ balanced: true })
})

test('drill: a backup under load is one point in time: it has everything that was answered before it began, every user’s spends are a prefix, and the ledger balances', async () => {
  const plaza = await startTestService({ SECRET_KEYS: secret })
  const name = await databaseNameOf(plaza)
  const spenders = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { tokens, user: person } = await world(plaza, { points: 100_000, scopes: ['points:spend'] })
      return { tokens, person, answered: 0, sent: 0 }
    }),
  )
  let is_over = false
  const spendOn = async (spender: (typeof spenders)[number]) => {
    while (!is_over) {
      const number = ++spender.sent
      const body = { amount: 1, description: `spend ${number}` }
      await spender.tokens.api.result(spendPoints, { body, headers: { 'idempotency-key': `spend ${number}` } })
      spender.answered = number
      await sleep(50)
    }
  }
  const spending = spenders.map(spendOn)
  await expect.poll(() => spenders.every(({ answered }) => answered > 20)).toBe(true)
  const answered_before = spenders.map(({ answered }) => answered)
  const file = join(await temporaryFolder(), 'loaded.backup')
  let sent_at_snapshot_end: number[] = []
  const { written } = await takeBackup({ connection: { host, user, database: name } }, async (frames) => {
    const unfinished = await writeUnfinished(file, slowed(frames))
    sent_at_snapshot_end = spenders.map(({ sent }) => sent)
    return unfinished
  })
  await written.publish()
  is_over = true
  await Promise.all(spending)

  const target = `${name}_restored`
  await query({ host, user, database: 'postgres' }, `create database ${target}`)
  onTestFinished(async () => {
    await plaza.stopAll()
    await query({ host, user, database: 'postgres' }, `drop database ${target} with (force)`)
  })
  await restore(file, { host, user, database: target })
  for (const [at, { person }] of spenders.entries()) {
    const rows = await query<{ description: string; has_key: boolean }>(
      { host, user, database: target },
      `select t.description, k.key is not null as has_key
         from transfers t left join idempotency_keys k on k.transfer_id = t.id
        where t.from_account = '${person.id}' and t.kind = 'spend' order by t.seq`,
    )
    // Without gaps, and each with its key.
    expect(rows).toEqual(rows.map((_, index) => ({ description: `spend ${index + 1}`, has_key: true })))
    expect(rows.length).toBeGreaterThanOrEqual(answered_before[at]!)
    expect(rows.length).toBeLessThanOrEqual(sent_at_snapshot_end[at]!)
    expect(rows.length).toBeLessThan(spenders[at]!.answered)
  }
  const restored = await plaza.startAnother({ DATABASE_URL: testDatabaseUrl(target) })
  expect(await (await theAdmin(restored)).api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

/** Simulates a slow disk: the spends continue meanwhile. */
async function* slowed(frames: AsyncIterable<Buffer>) {
  for await (const frame of frames) {
    await new Promise((next) => setTimeout(next, 5))
    yield frame
  }
}

test.skipIf(missing_for_debian_postgres)(
  'drill: a backup goes from PostgreSQL 18 to 15 and back, as an owner who is no superuser',
  async () => {
    const plaza = await startTestService({ SECRET_KEYS: secret })
    const name = await databaseNameOf(plaza)
    const { tokens } = await world(plaza, { points: 100, scopes: ['points:spend', 'points:read'] })
    await tokens.api.result(spendPoints, { body: { amount: 1, description: 'tab\there, line\nbreak, \\ and é 🙂' } })
    const folder = await temporaryFolder()
    const [from_18, from_15] = [join(folder, '18.backup'), join(folder, '15.backup')]
    await backUp({ host, user, database: name }, from_18)
    await plaza.stopAll()

    const older = await startDebianPostgres()
    const on_15 = { host: older.host, port: older.port, user: 'plaza', database: 'plaza' }
    await query({ ...on_15, user: 'postgres', database: 'postgres' }, 'create role plaza login')
    await query({ ...on_15, user: 'postgres', database: 'postgres' }, 'create database plaza owner plaza')
    expect((await restore(from_18, on_15)).header.postgres_version).toMatch(/^18/)
    const url = `postgres:///plaza?host=${encodeURIComponent(older.host)}&port=${older.port}&user=plaza`
    const there = await plaza.startAnother({ DATABASE_URL: url })
    const client = new PlazaClient(there.url).withToken(tokens.access_token)
    expect(await client.result(spendPoints, { body: { amount: 9 } })).toMatchObject({ points: 90 })
    await there.service.app.last_uses.flush()
    await plaza.stopAll()

    await backUp(on_15, from_15)
    const back = `${name}_back`
    await query({ host, user, database: 'postgres' }, `create database ${back}`)
    onTestFinished(async () => {
      await plaza.stopAll()
      await query({ host, user, database: 'postgres' }, `drop database ${back} with (force)`)
    })
    expect((await restore(from_15, { host, user, database: back })).header.postgres_version).toMatch(/^15/)
    const here = await plaza.startAnother({ DATABASE_URL: testDatabaseUrl(back) })
    const again = new PlazaClient(here.url).withToken(tokens.access_token)
    expect(await again.result(getPoints)).toMatchObject({ points: 90 })
    expect(await here.db.sql`select description from transfers where kind = 'spend' order by seq`).toEqual([
      { description: 'tab\there, line\nbreak, \\ and é 🙂' },
      { description: null },
    ])
    expect(await (await theAdmin(here)).api.result(checkLedger)).toMatchObject({ balanced: true })
  },
)

test('drill: an embedded database backs itself up, is lost and restored, and moves to an external server and back', async () => {
  const folder = await temporaryFolder()
  const data_dir = join(folder, 'data')
  await mkdir(data_dir, { mode: 0o711 })
  const port = await freePort()
  const public_url = `http://127.0.0.1:${port}`
  const common = {
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: public_url,
    ROLES: 'api',
    LOG_LEVEL: 'info',
    DRAIN_SECONDS_API: '0',
  }
  const start = async (env: Record<string, string>) => {
    const started = startMain([], { ...common, ...env })
    onTestFinished(() => void started.child.kill('SIGKILL'))
    await expect
      .poll(() => (started.child.exitCode === null ? started.stdout().includes('Plaza is ready') : started.stderr()))
      .toBe(true)
    const stop = async () => {
      started.child.kill('SIGTERM')
      expect((await started.ended).code).toBe(0)
    }
    return Object.assign(stop, { pid: started.child.pid ?? 0 })
  }
  const credentials = { email: 'moved@people.test', password: 'a password that moves' }
  const client = new PlazaClient(public_url)
  const signIn = async () => (await client.call(login, { body: credentials })).status

  const stop = await start({ DATA_DIR: data_dir })
  await client.result(register, { body: { ...credentials, username: 'moved' } })
  // The schedule does this every ten minutes.
  const database_dir = join(data_dir, 'postgres')
  const password = await readPassword(database_dir)
  const socket = { host: database_dir, user: 'postgres', database: 'postgres', password }
  await query(socket, "select graphile_worker.add_job('backup.take_if_due', '{}'::json)")
  const backups = async () => {
    await hurry(stop.pid)
    return readdir(join(data_dir, 'backups')).catch((): string[] => [])
  }
  await expect.poll(backups).toEqual([expect.stringMatching(/^plaza-[\dTZ-]+\.backup$/)])
  const due = await runGuide('backup.md', 'scheduled', { DATA_DIR: data_dir })
  expect([due.code, due.stdout]).toEqual([
    0,
    expect.stringMatching(/No backup is due\.|Another process is taking a backup\./),
  ])
  await stop()
  const off_site = join(folder, 'off-site')
  await mkdir(off_site)
  const copied = await runGuide('backup.md', 'off-site', {
    DATA_DIR: data_dir,
    BACKUP_DIR: join(data_dir, 'backups'),
    OFF_SITE: off_site,
  })
  expect([copied.code, copied.stdout]).toEqual([0, expect.stringContaining('is good: ')])

  await rename(join(data_dir, 'postgres'), join(folder, 'lost'))
  const [kept] = await readdir(off_site)
  const restored = await runAdmin(['restore', join(off_site, kept!)], { DATA_DIR: data_dir })
  expect([restored.code, restored.stderr]).toEqual([0, ''])

  const outside = `outside_${process.pid}`
  const back_dir = join(folder, 'back')
  await query({ host, user, database: 'postgres' }, `create database ${outside}`)
  onTestFinished(
    async () => void (await query({ host, user, database: 'postgres' }, `drop database ${outside} with (force)`)),
  )
  const replace = (name: string) => ({ replace: { [name]: join(folder, name) } })
  const out = await runGuide(
    'backup.md',
    'move-out',
    { DATA_DIR: data_dir, NEW_DATABASE_URL: testDatabaseUrl(outside) },
    replace('move.backup'),
  )
  expect([out.code, out.stderr]).toEqual([0, expect.not.stringContaining('cannot')])
  const SECRET_KEYS = await readSecret(data_dir)
  const external = { DATABASE_URL: testDatabaseUrl(outside), SECRET_KEYS, DATA_DIR: data_dir }
  const stop_outside = await start(external)
  expect(await signIn()).toBe(200)
  await stop_outside()
  const back = await runGuide('backup.md', 'move-back', { ...external, NEW_DATA_DIR: back_dir }, replace('back.backup'))
  expect([back.code, back.stderr]).toEqual([0, expect.not.stringContaining('cannot')])
  const stop_back = await start({ DATA_DIR: back_dir, SECRET_KEYS })
  expect(await signIn()).toBe(200)
  await stop_back()
}, 900_000)

/** Takes back the lowest priority of a backup and of the server's process that reads for it: beside other tests it would take minutes. */
async function hurry(service: number) {
  const children = await childrenOf(service)
  const others = (await Promise.all(children.map(childrenOf))).flat()
  for (const pid of [...children, ...others])
    try {
      setPriority(pid, 0)
      await writeFile(`/proc/${pid}/autogroup`, '0')
    } catch {
      // It has ended, or nobody but root may.
    }
}

async function readSecret(data_dir: string) {
  return (await readFile(join(data_dir, 'secret.key'), 'utf8')).trim()
}
