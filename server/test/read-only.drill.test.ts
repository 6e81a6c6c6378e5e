import pg from 'pg'
import { afterEach, expect, inject, test } from 'vitest'
import { failures } from '../../contract/errors.ts'
import { databaseNameOf, sharedService } from './harness.ts'
import { callAs, givePoints, pointsOf, raw, someUser, theAdmin, world } from './world.ts'

const plaza = await sharedService()
const name = await databaseNameOf(plaza)

const unavailable = [503, { errors: { detail: 'Service Unavailable' } }, '1']
const overloaded = [503, { error: 'overloaded', message: failures.overloaded.message }, '1']

/** Makes new sessions read-only, or writable again. */
async function setReadOnly(is_read_only: boolean) {
  const server = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await server.connect()
  await server.query(
    `alter database ${name} ${is_read_only ? 'set' : 'reset'} default_transaction_read_only ${is_read_only ? '= on' : ''}`,
  )
  if (is_read_only)
    await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await server.end()
}

// Other files use this service too.
afterEach(() => setReadOnly(false))

const databaseCheck = async () => {
  const { status, body } = await raw(plaza, 'GET', '/readyz')
  return [status, (body as { checks: { name: string }[] }).checks.find((check) => check.name === 'database')]
}

test('a database that is set read-only: writes are 503, reads work, readyz names the check and the log the reason; afterwards everything works without intervention', async () => {
  const { user, tokens } = await world(plaza, { points: 100, scopes: ['points:spend', 'points:read'] })
  const admin = await theAdmin(plaza)
  const other = await someUser(plaza)
  const spend = (key?: string) =>
    callAs(plaza, 'POST', '/api/external/points/spend', tokens.access_token, { amount: 1 }, key)
  const award = () => callAs(plaza, 'POST', '/api/admin/points/award', admin.token, { user_id: other.id, amount: 5 })
  const read = () => callAs(plaza, 'GET', '/api/external/points', tokens.access_token)
  const history = () => callAs(plaza, 'GET', '/api/points/history', user.token)
  expect([(await spend('before'))[0], (await read())[0]]).toEqual([200, 200])

  await setReadOnly(true)
  // The first calls may notice only that their connections were closed.
  const noticed = async () => [await databaseCheck(), plaza.logged().includes('the database is read-only')]
  await expect.poll(noticed).toEqual([[503, { name: 'database', status: 'failed', reason: null }], true])
  const health = await raw(plaza, 'GET', '/health')
  expect([health.status, health.body]).toMatchObject([503, { status: 'database_unavailable' }])
  for (let round = 0; round < 3; round++) {
    expect(await Promise.all([spend('k'), spend(), award()])).toEqual([overloaded, overloaded, unavailable])
    expect([(await read())[0], (await history())[0]]).toEqual([200, 200])
    const login = await callAs(plaza, 'POST', '/api/auth/login', '', { email: other.email, password: other.password })
    expect(login).toEqual(unavailable)
  }
  expect((await raw(plaza, 'GET', '/livez')).status).toBe(200)

  await expect.poll(() => plaza.logged().includes('"the database takes no writes"')).toBe(true)

  await setReadOnly(false)
  await expect.poll(async () => (await spend('k'))[0]).toBe(200)
  await expect.poll(async () => (await databaseCheck())[0]).toBe(200)
  // More calls than the pool has connections, so no session is read-only any longer.
  const spent = await Promise.all([spend('k'), spend(), ...Array.from({ length: 12 }, award)])
  expect(spent.map(([status]) => status)).toEqual(spent.map(() => 200))
  expect((await spend('k'))[0]).toBe(200)
  expect(await pointsOf(user)).toBe(97)
  expect(await pointsOf(other)).toBe(60)
  await expect.poll(() => /"away_ms":\d+,"msg":"the database takes writes again"/.test(plaza.logged())).toBe(true)
  await givePoints(plaza, other, 1)
})
