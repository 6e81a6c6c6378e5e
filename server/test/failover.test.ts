import { expect, test } from 'vitest'
import { PlazaClient } from '../../client/client.ts'
import { login, sendVerification } from '../../contract/accounts.ts'
import { checkLedger } from '../../contract/admin.ts'
import { freePort } from './free-port.ts'
import { startTestService, type TestService } from './harness.ts'
import { databaseUrlOf, PostgresNode } from './postgres-node.ts'
import { pointsOf, raw, someUser, theAdmin, world } from './world.ts'

const funds = 1_000_000
const connections = 24

interface Spend {
  key: string
  acknowledged: boolean
}

const spendOnce = (plaza: TestService, token: string, key: string) =>
  raw(plaza, 'POST', '/api/external/points/spend', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ amount: 1 }),
  })

/** Sends keyed spends on many connections until `stop`; records the status of each. */
function spendUnderLoad(plaza: TestService, token: string) {
  const spends: Spend[] = []
  let on = true
  const statuses = new Map<number, number>()
  const done = Promise.all(
    Array.from({ length: connections }, async () => {
      while (on) {
        const spend = { key: `load-${spends.length}`, acknowledged: false }
        spends.push(spend)
        const { status } = await spendOnce(plaza, token, spend.key)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        spend.acknowledged = status === 200
        if (status !== 200) await new Promise((next) => setTimeout(next, 20))
      }
    }),
  )
  return {
    spends,
    statuses,
    acknowledged: () => spends.filter(({ acknowledged }) => acknowledged).length,
    async stop() {
      on = false
      await done
    },
  }
}

/** A primary and a standby with synchronous replication. */
async function synchronousPair() {
  const primary = await PostgresNode.primary()
  await primary.query('create database plaza')
  const standby = await primary.standby('standby')
  await primary.query("alter system set synchronous_standby_names = 'standby'")
  await primary.query('select pg_reload_conf()')
  const isSynchronous = () => primary.query("select 1 from pg_stat_replication where sync_state = 'sync'")
  await expect.poll(isSynchronous).toHaveLength(1)
  return { primary, standby }
}

const readiness = async (plaza: TestService) => (await raw(plaza, 'GET', '/readyz')).status

test('the primary is killed under load and the standby promoted: every acknowledged spend is booked exactly once, and the service recovers by itself', async () => {
  const { primary, standby } = await synchronousPair()
  const plaza = await startTestService({ ROLES: 'api', DATABASE_URL: databaseUrlOf('plaza', [primary, standby]) })
  const { user, tokens } = await world(plaza, { points: funds, scopes: ['points:spend', 'points:read'] })
  const load = spendUnderLoad(plaza, tokens.access_token)
  await expect.poll(load.acknowledged).toBeGreaterThan(200)

  await primary.kill()
  const killed_at = performance.now()
  await expect.poll(() => readiness(plaza)).toBe(503)
  // Reads continue on the standby.
  await expect.poll(async () => (await raw(plaza, 'GET', '/livez')).status).toBe(200)
  await standby.query('select pg_promote()')
  await standby.query("alter system set synchronous_standby_names = ''")
  await standby.query('select pg_reload_conf()')
  const promoted_at = performance.now()
  const acknowledged_before = load.acknowledged()
  await expect.poll(load.acknowledged, { interval: 10 }).toBeGreaterThan(acknowledged_before)
  const back_at = performance.now()
  await expect.poll(() => readiness(plaza)).toBe(200)
  await expect.poll(load.acknowledged).toBeGreaterThan(acknowledged_before + 150)
  await load.stop()
  await expect.poll(() => /"away_ms":\d+,"msg":"the database takes writes again"/.test(plaza.logged())).toBe(true)
  process.stdout.write(
    `failover: back ${Math.round(back_at - promoted_at)} ms after the promotion, ` +
      `${Math.round(back_at - killed_at)} ms after the kill; ${JSON.stringify([...load.statuses])}\n`,
  )

  // Repeats each key: acknowledged spends are replayed, the others are applied once.
  for (let at = 0; at < load.spends.length; at += 50)
    await Promise.all(
      load.spends.slice(at, at + 50).map(async ({ key }) => {
        expect((await spendOnce(plaza, tokens.access_token, key)).status).toBe(200)
      }),
    )
  expect(await pointsOf(user)).toBe(funds - load.spends.length)
  const admin = await theAdmin(plaza)
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true })
})

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
        { name: 'database', status: 'failed', reason: 'the database is a standby' },
        { name: 'migrations', status: 'failed', reason: 'the schema was not checked yet' },
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
      "select application_name from pg_stat_activity where application_name like 'plaza%' and datname = 'plaza'",
    )
  const names = new Set((await connectionsTo(primary)).map(({ application_name }) => application_name))
  expect([...names].sort()).toEqual(['plaza', 'plaza-events', 'plaza-probe', 'plaza-revocations'])

  await standby.query('select pg_promote()')
  await standby.query("alter system set synchronous_standby_names = ''")
  await standby.query('select pg_reload_conf()')
  await primary.query('alter system set default_transaction_read_only = on')
  await primary.query('select pg_reload_conf()')
  const demoted_at = performance.now()
  await expect.poll(() => spend('after'), { interval: 20 }).toBe(200)
  process.stdout.write(`demotion: back after ${Math.round(performance.now() - demoted_at)} ms\n`)
  await expect.poll(() => connectionsTo(primary)).toEqual([])
  await expect
    .poll(async () => new Set((await connectionsTo(standby)).map(({ application_name }) => application_name)))
    .toEqual(names)
  expect(await pointsOf(user)).toBe(98)
  // Jobs run on the new primary: this mail is sent by one.
  const person = await someUser(plaza, { verified: false })
  await person.api.result(sendVerification)
  expect(await plaza.mailTo(person.email)).toContain(person.email)

  await primary.kill()
  expect(await spend('alone')).toBe(200)
  expect(await readiness(plaza)).toBe(200)
})
