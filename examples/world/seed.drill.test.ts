import { expect, test } from 'vitest'
import { login, me } from '../../contract/accounts.ts'
import { adminListUsers, checkLedger } from '../../contract/admin.ts'
import { adminListApps } from '../../contract/admin-apps.ts'
import { PlazaClient } from '../../contract/client.ts'
import { listFriends } from '../../contract/social.ts'
import { listMyHolds } from '../../contract/payments.ts'
import { databaseNameOf, startTestService } from '../../server/test/harness.ts'
import { apiProcess, startProcess } from '../../server/test/processes.ts'
import { fillDatabase } from './fill-database.ts'
import { example_admin } from './world.ts'

const plaza = await startTestService()
const name = await databaseNameOf(plaza)
const settings = apiProcess(name, { port: Number(new URL(plaza.url).port), public_url: plaza.url })

const outputs = { signal: new AbortController().signal, print: () => {}, printError: () => {} }
const seed = (env = {}) => fillDatabase({ ...settings, ...env }, outputs)

const tables = ['users', 'oauth_apps', 'transfers', 'holds', 'messages', 'friendships', 'deployments'] as const

/** The number of rows of each table. */
async function counts() {
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await plaza.db.pool.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`)
      return [table, rows[0]?.rows ?? 0] as const
    }),
  )
  return Object.fromEntries(found)
}

test('npm run seed refuses a database or an address of another machine, and names it without its password', async () => {
  const before = await counts()
  await expect(seed({ DATABASE_URL: 'postgres://plaza:hush@db.example/plaza' })).rejects.toThrow(
    /^The example accounts .* on this machine only: DATABASE_URL \(db\.example, database plaza, user plaza\) is not of it\. Nothing was written\.$/,
  )
  await expect(seed({ HOST: '0.0.0.0', PUBLIC_URL: 'https://plaza.example' })).rejects.toThrow(
    /: HOST \(0\.0\.0\.0\), PUBLIC_URL \(https:\/\/plaza\.example\) is not of it\. Nothing was written\.$/,
  )
  expect(await counts()).toEqual(before)
})

test('npm run seed refuses a sandbox', async () => {
  const before = await counts()
  await expect(seed({ SANDBOX: 'on' })).rejects.toThrow(
    /^The example world is for the real space: leave SANDBOX out\. Nothing was written\.$/,
  )
  expect(await counts()).toEqual(before)
})

test('npm run seed fills the database of a running service beside its first admin, once, and prints who can sign in', async () => {
  const args = ['--import', 'tsx', 'examples/world/seed.ts']
  const { code, stdout, stderr } = await startProcess(process.execPath, args, settings).ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    `The example world is made. Sign in at ${plaza.url} (npm start, if it does not run yet):`,
    '  person    ada@people.example    the password of Ada',
    '  operator  olga@people.example   the password of Olga',
    '  admin     admin@plaza.example   the keys to the plaza',
    '',
  ])

  const anonymous = new PlazaClient(plaza.url)
  const as = async (body: { email: string; password: string }) =>
    anonymous.withToken((await anonymous.result(login, { body })).token)
  const ada = await as({ email: 'ada@people.example', password: 'the password of Ada' })
  expect((await ada.result(me)).user).toMatchObject({ username: 'Ada', email_verified: true })
  expect(await ada.result(listFriends)).toHaveLength(3)
  const holds = (await ada.result(listMyHolds)).data
  expect(holds.map(({ status }) => status)).toEqual(['open', 'released', 'captured'])
  const admin = await as(example_admin)
  expect((await admin.result(checkLedger)).balanced).toBe(true)
  expect((await admin.result(adminListUsers, { query: {} })).data.length).toBeGreaterThan(7)
  expect((await admin.result(adminListApps, { query: {} })).data).toHaveLength(4)
  await as({ email: 'olga@people.example', password: 'the password of Olga' })

  const before = await counts()
  expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([])
  await expect(seed()).rejects.toThrow(
    /^The example world needs an empty database, and the one of DATABASE_URL \(.*\) is in use\. Nothing was written\. Let DATABASE_URL name another one\.$/,
  )
  expect(await counts()).toEqual(before)
})
