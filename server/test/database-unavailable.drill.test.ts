import { expect, onTestFinished, test } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import type { FailureCode } from '../../contract/errors.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { atEnd } from './at-end.ts'
import { databaseNameOf, startTestService, type TestService } from './harness.ts'
import { openFaultProxy } from './fault-proxy.ts'
import { refused } from './refusals.ts'
import { callAs, givePoints, pointsOf, someUser, theAdmin, world } from './world.ts'

const plaza = await startTestService({ ROLES: 'api' })
const unavailable = [503, { errors: { detail: 'Service Unavailable' } }, '1']
const refusal = (code: FailureCode, retry_after: string | null) => [...refused(code), retry_after]

/** Another instance of the service on the same database, connected through a fault proxy. */
async function startBehindProxy(silence_ms?: number) {
  const proxy = await openFaultProxy(plaza)
  const process = await plaza.startAnother(
    { DATABASE_URL: proxy.database_url, ROLES: 'api' },
    silence_ms === undefined ? {} : { silence_ms },
  )
  atEnd(() => process.service.stop().catch(() => {}))
  return { proxy, process }
}
const { proxy, process } = await startBehindProxy()

const spendBy = (process: TestService, token: string, key?: string) =>
  callAs(process, 'POST', '/api/external/points/spend', token, { amount: 1 }, key)
const kindsOf = async ({ api }: { api: Awaited<ReturnType<typeof someUser>>['api'] }) =>
  (await api.result(myPointsHistory)).data.map(({ kind }) => kind)

test('D-03, D-09: silent connections are closed, reported by health, and replaced; a service with silent ones still stops', async () => {
  const { proxy, process } = await startBehindProxy(2_000)
  const { user, tokens } = await world(plaza, { points: 100, scopes: ['points:spend', 'points:read'] })
  const callAll = () =>
    Promise.all([
      spendBy(process, tokens.access_token),
      callAs(process, 'GET', '/api/external/points', tokens.access_token),
      callAs(process, 'GET', '/health', ''),
    ])
  expect((await callAll())[2]![0]).toBe(200)
  expect(await pointsOf(user)).toBe(99)
  proxy.freezeOpen()
  const [spent, points, health] = await callAll()
  expect(spent).toEqual(refusal('outcome_unknown', null))
  expect(points).toEqual(unavailable)
  expect(health).toEqual([503, { status: 'database_unavailable', version: expect.any(String) }, '1'])
  expect(await pointsOf(user)).toBe(99)
  const [spent_again, points_again, health_again] = await callAll()
  expect([spent_again![0], points_again![0], health_again![0]]).toEqual([200, 200, 200])
  expect(await pointsOf(user)).toBe(98)
  proxy.freezeOpen()
  await process.service.stop()
  expect(process.db.pool.ended).toBe(true)
})

test('D-09: a spend whose response is lost has Retry-After only with a key; repeated, it is applied once', async () => {
  const { user, tokens } = await world(plaza, { points: 10, scopes: ['points:spend'] })
  proxy.dropResponseTo('from apply_orders_fully(')
  expect(await spendBy(process, tokens.access_token, 'k')).toEqual(refusal('outcome_unknown_keyed', '1'))
  expect(await pointsOf(user)).toBe(9)
  expect((await spendBy(process, tokens.access_token, 'k')).slice(0, 2)).toEqual([
    200,
    { success: true, points: 9, amount_spent: 1, transfer_id: expect.any(String) as string },
  ])
  proxy.dropResponseTo('from apply_moves(')
  expect(await spendBy(process, tokens.access_token)).toEqual(refusal('outcome_unknown', null))
  expect(await pointsOf(user)).toBe(8)
})

test('D-09, D-47: an award whose commit gets no response is outcome_unknown; repeated with its key it is paid once', async () => {
  const admin = await theAdmin(plaza)
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const award = (user_id: string, key?: string) =>
    callAs(process, 'POST', '/api/admin/points/award', admin.token, { user_id, amount: 5 }, key)
  proxy.dropResponseTo('commit\0')
  expect(await award(anna.id)).toEqual(refusal('outcome_unknown', null))
  expect(await kindsOf(anna)).toEqual(['award'])
  proxy.dropResponseTo('commit\0')
  expect(await award(berta.id, 'prize')).toEqual(refusal('outcome_unknown_keyed', '1'))
  expect((await award(berta.id, 'prize')).slice(0, 2)).toMatchObject([200, { points: 5 }])
  expect(await kindsOf(berta)).toEqual(['award'])
  const audit = await admin.api.result(listAudit, { query: { target_id: berta.id } })
  expect(audit.data.map(({ action }) => action)).toEqual(['points.award'])
})

test('D-03: if new connections get no answer, calls are 503 and a spend is known not to have started', async () => {
  const { user, tokens } = await world(plaza, { points: 10, scopes: ['points:spend', 'points:read'] })
  expect((await callAs(process, 'GET', '/api/external/points', tokens.access_token))[0]).toBe(200)
  const other = await someUser(plaza)
  proxy.ignoreNew()
  const [points, spent, login] = await Promise.all([
    callAs(process, 'GET', '/api/external/points', tokens.access_token),
    spendBy(process, tokens.access_token),
    callAs(process, 'POST', '/api/auth/login', '', { email: other.email, password: other.password }),
  ])
  expect(points).toEqual(unavailable)
  expect(login).toEqual(unavailable)
  // Depending on the token cache, reading the token may fail before the spend does.
  expect([unavailable, refusal('overloaded', '1')]).toContainEqual(spent)
  proxy.acceptNew()
  expect(await pointsOf(user)).toBe(10)
})

test('a stop while the database is unavailable stops everything, and the log reports it', async () => {
  proxy.refuseAll()
  await process.service.stop()
  expect(process.db.pool.ended).toBe(true)
  expect(process.logged()).toContain('the database was unavailable at the stop')
})

test('the ledger check has its own connection and timeout, and concurrent callers share one check', async () => {
  const short_timeout_url = new URL('postgres:///')
  const { connectionString } = plaza.db.pool.options
  short_timeout_url.search = String(connectionString).slice(String(connectionString).indexOf('?'))
  short_timeout_url.searchParams.set('statement_timeout', '300')
  const process = await plaza.startAnother({
    DATABASE_URL: `postgres:///${await databaseNameOf(plaza)}${short_timeout_url.search}`,
    ROLES: 'api',
  })
  const admin = await theAdmin(process)
  await givePoints(plaza, await someUser(plaza), 3)
  const checks = async () => {
    const [row] = await plaza.db.sql<{ running: number; seconds: number }>`
      select count(*) as running, coalesce(extract(epoch from max(now() - query_start)), 0)::float8 as seconds
        from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%with sides as%'`
    return row!
  }
  const holder = await plaza.db.pool.connect()
  onTestFinished(() => holder.release(true))
  await holder.query('begin; lock table transfers in access exclusive mode')
  const answers = Promise.all(Array.from({ length: 8 }, () => admin.api.call(checkLedger)))
  await expect.poll(async () => (await checks()).seconds).toBeGreaterThan(0.6)
  expect((await checks()).running).toBe(1)
  await holder.query('rollback')
  for (const { status, body } of await answers) expect([status, body]).toMatchObject([200, { balanced: true }])
})
