import { expect, test } from 'vitest'
import { pointsHistory, spendPoints } from '../../contract/points.ts'
import { runGuide } from '../test/guide.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { someUser, world } from '../test/world.ts'

test('DATABASE_CONNECTIONS=22: all kinds of work at the same time succeed, and no more connections are opened', async () => {
  const plaza = await startTestService({ ROLES: 'api', DATABASE_CONNECTIONS: '22' })
  const name = await databaseNameOf(plaza)
  const { tokens } = await world(plaza, { points: 1_000, scopes: ['points:spend', 'points:read'] })
  let most = 0
  const count = async () => {
    const [row] = await plaza.db.sql<{ connections: number }>`
      select count(*)::integer as connections from pg_stat_activity where datname = ${name} and application_name like 'plaza%'`
    most = Math.max(most, row?.connections ?? 0)
  }
  const work = Array.from({ length: 40 }, (_, at) => async () => {
    // A registration is a transaction; the others are batched or single statements.
    if (at % 4 === 0) return void (await someUser(plaza))
    await tokens.api.result(spendPoints, { body: { amount: 1 } })
    await tokens.api.result(pointsHistory, { query: {} })
    await count()
  })
  await Promise.all(work.map((each) => each()))
  expect(most).toBeGreaterThan(8)
  expect(most).toBeLessThanOrEqual(22)
})

test('the guide’s command shows the limit of open files', async () => {
  const { code, stdout } = await runGuide('sizing.md', 'open-files', {})
  expect(code).toBe(0)
  expect(stdout).toMatch(/^(\d+|unlimited)\n$/)
})
