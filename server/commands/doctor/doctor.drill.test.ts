import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Env } from '../../platform/env-reader.ts'
import { startTestDns } from '../../test/dns-server.ts'
import { freePort } from '../../test/free-port.ts'
import { runGuide } from '../../test/guide.ts'
import { databaseNameOf, sharedService } from '../../test/harness.ts'
import { runAdmin, testDatabaseUrl } from '../../test/processes.ts'
import { startSmtpServer } from '../../test/smtp-server.ts'
import { runCheck, type Finding } from './finding.ts'
import { secretsHider } from './secrets.ts'

const plaza = await sharedService()
const name = await databaseNameOf(plaza)
const data_dir = await mkdtemp(join(tmpdir(), 'plaza-doctor-'))
afterAll(() => rm(data_dir, { recursive: true }))
const dns = await startTestDns()
const mails: string[] = []
const smtp_url = await startSmtpServer({
  onRcptTo: ({ address }, _session, done) => {
    mails.push(address)
    done()
  },
})
const secret = 'a-secret-of-the-tests-long-enough-for-the-rule'
const good: Env = {
  DATABASE_URL: testDatabaseUrl(name),
  SECRET_KEYS: secret,
  DATA_DIR: data_dir,
  PUBLIC_URL: plaza.url,
  ROLES: 'api',
  SMTP_URL: smtp_url,
  DNS_SERVERS: dns.address,
}

async function examine(env: Env, ...args: string[]) {
  const { code, stdout, stderr } = await runAdmin(['doctor', '--json', ...args], env)
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] }
  return { code, ok, stderr, stdout, of: (check: string) => checks.filter((finding) => finding.name === check), checks }
}

test('doctor: tests every dependency for real, and separates working ones from those that need action', async () => {
  const { code, checks, of, stderr } = await examine(good, '--mail-to', 'operator@people.test')
  const states = Object.fromEntries(checks.map((finding) => [finding.name, finding.status]))
  expect(states).toMatchObject({
    database: 'ok',
    'database mode': 'ok',
    'database writes': 'ok',
    migrations: 'ok',
    clock: 'ok',
    keys: 'ok',
    jobs: 'ok',
    ledger: 'ok',
    settings: 'ok',
    'public address': 'ok',
    mail: 'ok',
    'name server': 'ok',
    'secret files': 'ok',
    'admin accounts': 'todo',
    backups: 'todo',
  })
  expect(mails).toEqual(['operator@people.test'])
  expect(of('admin accounts')).toEqual([
    {
      name: 'admin accounts',
      status: 'todo',
      detail: '1, 1 without a second factor',
      advice: 'Every admin should enable two-factor authentication.',
    },
  ])
  expect([code, stderr]).toEqual([1, ''])
})

test('doctor: a database that is down does not affect other checks, and no secret is printed', async () => {
  const port = await freePort()
  const { code, of, stdout } = await examine({
    ...good,
    DATABASE_URL: `postgres://plaza:hush-hush@127.0.0.1:${port}/plaza`,
    SMTP_URL: `smtp://me:hush-hush@127.0.0.1:${port}`,
    REGISTRY_PRIVATE: `localhost:${port}`,
    DATABASE_REPLICA_URL: `postgres://plaza:hush-hush@127.0.0.1:${port}/plaza`,
  })
  expect(code).toBe(1)
  expect(of('database')).toEqual([
    {
      name: 'database',
      status: 'failed',
      detail: expect.stringContaining(`DATABASE_URL (127.0.0.1:${port}, database plaza, user plaza) cannot be used`),
      advice: 'Start PostgreSQL, and use the DATABASE_URL or DATA_DIR of the service.',
    },
  ])
  expect(of('mail')).toMatchObject([{ status: 'failed' }])
  expect(of(`registry localhost:${port}`)).toMatchObject([{ status: 'failed' }])
  expect(of('public address')).toMatchObject([{ status: 'ok' }])
  expect(of('name server')).toMatchObject([{ status: 'ok' }])
  expect(stdout).not.toMatch(/hush-hush|a-secret-of-the-tests/)
})

test('doctor: each fault is found and reported with a remedy', async () => {
  await writeFile(join(data_dir, 'secret.key'), 'x', { mode: 0o644 })
  const { sql } = plaza.db
  await sql`update point_accounts set credited = credited + 1 where kind = 'system' and id = (select min(id::text)::uuid from point_accounts)`
  await sql`insert into graphile_worker._private_tasks (identifier) values ('nobody_runs_this') on conflict do nothing`
  await sql`
    insert into graphile_worker._private_jobs (task_id, run_at)
    select id, now() - interval '10 minutes' from graphile_worker._private_tasks where identifier = 'nobody_runs_this'`
  dns.silent = true
  const found = await examine({ ...good, SMTP_URL: '', PUBLIC_URL: 'https://plaza.invalid', CHAT_COLOUR: 'red' })
  dns.silent = false
  expect(found.of('ledger')).toMatchObject([{ status: 'failed', detail: expect.stringContaining('not balanced') }])
  expect(found.of('jobs')).toMatchObject([{ status: 'failed', advice: expect.stringContaining('role api') }])
  expect(found.of('mail')).toMatchObject([{ status: 'todo', detail: 'written into files' }])
  expect(found.of('public address')).toMatchObject([{ status: 'failed' }])
  expect(found.of('name server')).toMatchObject([
    { status: 'failed', detail: expect.stringContaining('does not answer') },
  ])
  expect(found.of('secret files')).toMatchObject([{ status: 'failed', detail: expect.stringContaining('secret.key') }])
  expect(found.of('settings').map(({ detail }) => detail)).toEqual([
    'CHAT_COLOUR is not a setting, and is ignored',
    'TRUSTED_PROXIES is not set',
  ])
  await sql`update point_accounts set credited = credited - 1 where kind = 'system' and id = (select min(id::text)::uuid from point_accounts)`
  await sql`delete from graphile_worker._private_jobs`
  await rm(join(data_dir, 'secret.key'))
})

test('doctor: each setting that prevents a start is named, and the database is still examined', async () => {
  const { code, of } = await examine({ ...good, PORT: 'none', JWT_TLL: '5' })
  expect([code, of('settings').map(({ detail }) => detail)]).toEqual([
    1,
    expect.arrayContaining([expect.stringContaining('PORT'), expect.stringContaining('did you mean JWT_TTL?')]),
  ])
  expect(of('database writes')).toMatchObject([{ status: 'ok' }])
})

test('guide: doctor prints its checks and ends with a list of remedies', async () => {
  const { code, stdout } = await runGuide('commands.md', 'doctor', good)
  expect(code).toBe(1)
  expect(stdout).toMatch(/✓ database: answers\n/)
  expect(stdout).toMatch(/! admin accounts: 1, 1 without a second factor\n/)
  expect(stdout).toMatch(/\nTo do:\n1\. /)
  const security = await runGuide('security.md', 'security-doctor', good)
  expect([security.code, security.stdout]).toEqual([
    1,
    expect.stringContaining('✓ secret files: for their user only\n'),
  ])
})

test('a check that hangs or throws is a failed finding within its time', async () => {
  const base = { name: 'thing', advice: 'Mend it.' }
  expect(await runCheck({ ...base, seconds: 0.05, run: () => new Promise(() => {}) })).toEqual([
    { name: 'thing', status: 'failed', detail: 'no answer within 0.05 s', advice: 'Mend it.' },
  ])
  const thrown = new Error('outer', { cause: new Error('inner') })
  expect(await runCheck({ ...base, seconds: 5, run: () => Promise.reject(thrown) })).toMatchObject([
    { status: 'failed', detail: 'outer: inner' },
  ])
})

test('secrets of the environment are hidden in external texts: values, lists, passwords in URLs', () => {
  const hide = secretsHider({
    SECRET_KEYS: 'first-key-value,second-key-value',
    DATABASE_URL: 'postgres://me:p%40ss-word@host/db',
    HOST: 'localhost',
  })
  expect(hide('second-key-value p@ss-word p%40ss-word localhost')).toBe('… … … localhost')
})
