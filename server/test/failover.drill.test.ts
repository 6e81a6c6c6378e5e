import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, sendVerification } from '../../contract/accounts.ts'
import { freePort } from './free-port.ts'
import { startTestService } from './harness.ts'
import { readiness, spendOnce, synchronousPair } from './failover-world.ts'
import { databaseUrlOf, type PostgresNode } from './postgres-node.ts'
import { pointsOf, someUser, world } from './world.ts'

test('a service that starts on a standby is live but not ready, and becomes ready when the standby is promoted', async () => {
  const { primary, standby } = await synchronousPair()
  const before = await startTestService({ ROLES: 'api', DATABASE_URL: databaseUrlOf('plaza', [primary]) })
  const person = await someUser(before)
  await before.service.stop()
  const port = await freePort()
  let is_ready = false
  const starting = before
    .startAnother({ DATABASE_URL: databaseUrlOf('plaza', [standby]), PORT: String(port) })
    .then((plaza) => {
      is_ready = true
      return plaza
    })
  const ask = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    return reply && [reply.status, await reply.json()]
  }
  await expect.poll(() => ask('/livez')).toEqual([200, { status: 'ok' }])
  expect(await ask('/readyz')).toEqual([
    503,
    {
      status: 'not_ready',
      checks: [
        { name: 'process', status: 'ok', reason: null },
        { name: 'database', status: 'failed', reason: null },
        { name: 'migrations', status: 'failed', reason: null },
      ],
    },
  ])
  expect((await ask('/health'))?.[0]).toBe(503)
  expect(await ask('/api/auth/me')).toEqual([503, { errors: { detail: 'Service Unavailable' } }])
  expect(is_ready).toBe(false)
  await primary.kill()
  await standby.query('select pg_promote()')
  await standby.query("alter system set synchronous_standby_names = ''")
  await standby.query('select pg_reload_conf()')
  const plaza = { ...(await starting), url: `http://127.0.0.1:${port}` }
  expect(await readiness(plaza)).toBe(200)
  const lines = plaza.logged().split('\n')
  expect(lines.filter((line) => line.includes('waiting for the database'))).toHaveLength(1)
  const credentials = { email: person.email, password: person.password }
  expect((await new PlazaClient(plaza.url).call(login, { body: credentials })).status).toBe(200)
})

test('a primary that is demoted while its connections are open: every kind of connection moves to the promoted one', async () => {
  const { primary, standby } = await synchronousPair()
  const plaza = await startTestService({ ROLES: 'api', DATABASE_URL: databaseUrlOf('plaza', [primary, standby]) })
  const { user, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const spend = async (key: string) => (await spendOnce(plaza, tokens.access_token, key)).status
  expect(await spend('before')).toBe(200)
  const connectionsTo = (node: PostgresNode) =>
    node.query<{ application_name: string }>(
      `select application_name from pg_stat_activity
        where application_name like 'plaza%' and datname = 'plaza' and wait_event is distinct from 'SyncRep'`,
    )
  const names = new Set((await connectionsTo(primary)).map(({ application_name }) => application_name))
  expect([...names].sort()).toEqual(['plaza', 'plaza-events', 'plaza-probe', 'plaza-revocations'])

  await standby.query('select pg_promote()')
  await standby.query("alter system set synchronous_standby_names = ''")
  await standby.query('select pg_reload_conf()')
  // Its commit waits for the former standby, also after the client has gone.
  const between = spendOnce(plaza, tokens.access_token, 'between')
  const waiting = () => primary.query("select 1 from pg_stat_activity where wait_event = 'SyncRep'")
  await expect.poll(waiting).not.toEqual([])
  await primary.query('alter system set default_transaction_read_only = on')
  await primary.query('select pg_reload_conf()')
  const demoted_at = performance.now()
  await expect.poll(() => spend('after'), { interval: 20 }).toBe(200)
  process.stdout.write(`demotion: back after ${Math.round(performance.now() - demoted_at)} ms\n`)
  expect((await between).status).toBe(503)
  await expect.poll(() => connectionsTo(primary)).toEqual([])
  await expect
    .poll(async () => new Set((await connectionsTo(standby)).map(({ application_name }) => application_name)))
    .toEqual(names)
  expect(await pointsOf(user)).toBe(98)
  // Jobs run on the new primary: a job sends this mail.
  const person = await someUser(plaza, { verified: false })
  await person.api.result(sendVerification)
  expect(await plaza.mailTo(person.email)).toContain(person.email)

  await primary.kill()
  expect(await spend('alone')).toBe(200)
  expect(await readiness(plaza)).toBe(200)
})
