import { spawnSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { readiness, spendOnce } from './failover-world.ts'
import { runGuide } from './guide.ts'
import { startTestService, type TestService } from './harness.ts'
import { inParallel } from './in-parallel.ts'
import { databaseUrlOf, PostgresNode } from './postgres-node.ts'
import { sleep } from './wait.ts'
import { pointsOf, raw, theAdmin, world } from './world.ts'

const psql = spawnSync('psql', ['--version']).status === 0
if (!psql && process.env.CI === 'true') throw new Error('The drill of a failover needs psql.')
if (!psql) process.stderr.write('Left out: the drill of a failover needs psql, from Debian’s postgresql-client.\n')

const funds = 1_000_000
const connections = 8
/** For a loaded machine. Waits that never succeed still fail. */

interface Spend {
  key: string
  acknowledged: boolean
}

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
        await sleep(50)
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

/** The connection string of an administrator, as in the guide. */
const administratorOf = (node: PostgresNode) => `host=${node.host} user=postgres dbname=postgres`

/** Runs a block of the guide on these servers; returns its output. */
async function follow(id: string, { primary, standby }: { primary: PostgresNode; standby?: PostgresNode }) {
  const env = { PRIMARY: administratorOf(primary), ...(standby && { STANDBY: administratorOf(standby) }) }
  const { code, stdout, stderr } = await runGuide('failover.md', id, env)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

test.runIf(psql)(
  'the steps of the guide: a synchronous standby is set up, the primary killed under load and the standby promoted; every acknowledged spend is booked exactly once, and the service recovers by itself',
  async () => {
    const primary = await PostgresNode.primary()
    await follow('prepare-primary', { primary })
    await primary.query('create database plaza')
    const standby = await primary.standby('standby')
    await follow('make-synchronous', { primary })
    await expect.poll(() => follow('show-replication', { primary })).toMatch(/standby *\| streaming *\| sync /)

    const plaza = await startTestService({ ROLES: 'api', DATABASE_URL: databaseUrlOf('plaza', [primary, standby]) })
    // On a loaded machine a connection may find the standby first.
    const { user, tokens } = await vi.waitFor(
      () => world(plaza, { points: funds, scopes: ['points:spend', 'points:read'] }),
      { timeout: 200_000 },
    )
    const load = spendUnderLoad(plaza, tokens.access_token)
    await expect.poll(load.acknowledged).toBeGreaterThan(200)

    await primary.kill()
    const killed_at = performance.now()
    await expect.poll(() => readiness(plaza)).toBe(503)
    expect((await raw(plaza, 'GET', '/livez')).status).toBe(200)
    const lost_after = load.acknowledged()
    await follow('promote', { primary, standby })
    const promoted_at = performance.now()
    await expect.poll(load.acknowledged, { interval: 10 }).toBeGreaterThan(lost_after)
    const back_at = performance.now()
    await expect.poll(() => readiness(plaza)).toBe(200)
    await expect.poll(load.acknowledged).toBeGreaterThan(lost_after + 150)
    await load.stop()
    expect(plaza.logged()).toMatch(/"away_ms":\d+,"msg":"the database takes writes again"/)
    process.stdout.write(
      `failover: back ${Math.round(back_at - promoted_at)} ms after the promotion, ` +
        `${Math.round(back_at - killed_at)} ms after the kill; ${JSON.stringify([...load.statuses])}\n`,
    )

    const admin = await theAdmin(plaza)
    expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true })
    const booked = funds - (await pointsOf(user))
    expect(booked).toBeGreaterThanOrEqual(load.acknowledged())
    expect(booked).toBeLessThanOrEqual(load.spends.length)
    // Repeats each key: booked spends are replayed, the others are booked once.
    await inParallel(50, load.spends, async ({ key, acknowledged }) => {
      const { status, headers } = await spendOnce(plaza, tokens.access_token, key)
      expect(status).toBe(200)
      if (acknowledged) expect(headers.get('idempotency-replayed')).toBe('true')
    })
    expect(await pointsOf(user)).toBe(funds - load.spends.length)
    expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true })
  },
)
