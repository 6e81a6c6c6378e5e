import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { getAppSeries, getSeriesOfMyApp } from '../../contract/app-payments.ts'
import { createRefund } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import { startTestService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { countReadsOf } from '../test/rows-read.ts'
import { world } from '../test/world.ts'
import { countNewDays } from './series.service.ts'
import { countNewActivity } from './service.ts'

const plaza = await startTestService({ JWT_TTL: '300000000', ACCESS_TOKEN_TTL: '300000000' })
const day_seconds = 86_400

async function shop() {
  const made = await world(plaza, { points: 1_000, scopes: ['points:spend'] })
  const { app, tokens } = made
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
  const spend = async (amount: number) => (await tokens.api.result(spendPoints, { body: { amount } })).transfer_id
  return { ...made, client, spend }
}

async function countAll() {
  await expect
    .poll(async () => {
      await countNewActivity(plaza)
      await countNewDays(plaza)
      const [row] = await plaza.db.sql<{ behind: boolean }>`
        select counted_to < (select max(seq) from transfers) as behind from app_days_progress`
      return row?.behind
    })
    .toBe(false)
}

const today = () => plaza.clock.now().toISOString().slice(0, 10)
const daysAgo = (days: number) =>
  new Date(plaza.clock.now().getTime() - days * day_seconds * 1000).toISOString().slice(0, 10)

test('D-99 series: days and months are the same with all, some or none of their movements summed up', async () => {
  const { app, client, spend } = await shop()
  const first = await spend(100)
  plaza.clock.advance(2 * day_seconds)
  await spend(20)
  await client.result(createRefund, { body: { transfer_id: first, amount: 30 } })
  plaza.clock.advance(day_seconds)
  await spend(5)
  const query = { from: daysAgo(4), to: daysAgo(-1) }
  const days = [
    { starts_on: daysAgo(4), earned: 0, spent: 0, transfers: 0, balance: 0 },
    { starts_on: daysAgo(3), earned: 100, spent: 0, transfers: 1, balance: 100 },
    { starts_on: daysAgo(2), earned: 0, spent: 0, transfers: 0, balance: 100 },
    { starts_on: daysAgo(1), earned: 20, spent: 30, transfers: 2, balance: 90 },
    { starts_on: today(), earned: 5, spent: 0, transfers: 1, balance: 95 },
  ]
  const asked = async (more: object = {}) => client.result(getAppSeries, { query: { ...query, ...more } })
  expect(await asked()).toEqual({ unit: 'day', periods: days })
  await countAll()
  expect(await asked()).toEqual({ unit: 'day', periods: days })
  // Later movements of the same day are added to the sums.
  await spend(1)
  const later = [...days.slice(0, -1), { starts_on: today(), earned: 6, spent: 0, transfers: 2, balance: 96 }]
  expect(await asked()).toEqual({ unit: 'day', periods: later })
  await countAll()
  expect(await asked()).toEqual({ unit: 'day', periods: later })
  // A later range opens with the balance before it.
  expect((await asked({ from: daysAgo(2), to: daysAgo(1) })).periods).toEqual([days[2]])

  const params = { id: app.id }
  const of_owner = await app.owner.api.result(getSeriesOfMyApp, { params, query: { unit: 'month' } })
  expect(of_owner.periods).toHaveLength(12)
  const sum = (key: 'earned' | 'spent' | 'transfers') => of_owner.periods.reduce((total, row) => total + row[key], 0)
  expect([sum('earned'), sum('spent'), sum('transfers'), of_owner.periods.at(-1)?.balance]).toEqual([126, 30, 5, 96])
  expect(of_owner.periods.map(({ starts_on }) => starts_on.slice(8))).toEqual(Array(12).fill('01'))
  const usual = await app.owner.api.result(getSeriesOfMyApp, { params })
  expect([usual.unit, usual.periods.length, usual.periods.at(-1)]).toEqual(['day', 30, later.at(-1)])
})

test('D-99 series: invalid days and a reversed or too long range are refused', async () => {
  const { client } = await shop()
  const refusal = async (query: object) => outcome(await client.call(getAppSeries, { query }))
  expect(await refusal({ from: '2026-02-30', to: '2026-13-01' })).toEqual(
    refused('validation_failed', [
      { path: 'from', message: 'is not a day' },
      { path: 'to', message: 'is not a day' },
    ]),
  )
  expect(await refusal({ from: '0000-01-01', to: '0000-12-31' })).toEqual(
    refused('validation_failed', [
      { path: 'from', message: 'is not a day' },
      { path: 'to', message: 'is not a day' },
    ]),
  )
  expect(await refusal({ to: '0001-01-01' })).toEqual(invalid('to', 'must be after from'))
  expect(await refusal({ to: '0001-01-15' })).toMatchObject([
    200,
    { periods: { length: 14, 0: { starts_on: '0001-01-01' } } },
  ])
  expect(await refusal({ from: '2026-2-3' })).toEqual(invalid('from', 'must be a day such as 2026-01-31'))
  expect(await refusal({ from: '2026-02-03', to: '2026-02-03' })).toEqual(invalid('to', 'must be after from'))
  expect(await refusal({ from: '2020-01-01', to: '2026-01-01' })).toEqual(
    invalid('from', 'must be at most 366 days before to'),
  )
  expect(await refusal({ unit: 'month', from: '1020-01-01', to: '2026-01-01' })).toEqual(
    invalid('from', 'must be at most 366 months before to'),
  )
})

test('D-99 series: of a busy app only the kept days and the newest transfers are read', async () => {
  const { app, user, spend } = await shop()
  await spend(1)
  const rows = 20_000
  await plaza.db.sql`
    insert into transfers (id, kind, from_account, to_account, amount, app_id, from_after, to_after, inserted_at)
    select gen_random_uuid(), 'spend', ${user.id}, ${app.id}, 1, ${app.id}, 0, n, ${plaza.clock.now()}
      from generate_series(1, ${rows}::integer) n`
  await countAll()
  await plaza.db.pool.query('analyze transfers')
  const readsOf = await countReadsOf(plaza, 'transfers')
  const { sequential, all } = await readsOf(async (url) => {
    const { periods } = await new PlazaClient(url, app).result(getAppSeries)
    expect(periods.at(-1)).toMatchObject({ earned: rows + 1, transfers: rows + 1, balance: rows })
  })
  expect([sequential, all < 10]).toEqual([0, true])
})
