import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { myPointsHistory, pointsSeries, spendPoints } from '../../contract/points.ts'
import { countReadsOf } from '../test/rows-read.ts'
import { startTestService } from '../test/harness.ts'
import { invalid, no_integer, outcome, refused } from '../test/refusals.ts'
import { givePoints, someUser, world } from '../test/world.ts'

const plaza = await startTestService({ JWT_TTL: '315360000', ACCESS_TOKEN_TTL: '315360000' })
const asks = 'must be a time zone such as Europe/Berlin'

/** Returns a function that gives the date of a time in a time zone, as `YYYY-MM-DD`. */
function calendarOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (moment: string | Date) => format.format(new Date(moment))
}

test('D-48 series: earned, spent and closing balance of each day agree with the history, in every time zone', async () => {
  const { user, tokens } = await world(plaza, { points: 500, scopes: ['points:spend'] })
  // Five months, with changes to or from summer time in Berlin, New York and Santiago; Santiago's is at midnight.
  for (let step = 0; step < 60; step++) {
    plaza.clock.advance(60 * 60 * 61 - 7 * 60)
    if (step % 3 === 0) await givePoints(plaza, user, step + 1)
    else await tokens.api.result(spendPoints, { body: { amount: 2 } })
  }
  const history = (await user.api.result(myPointsHistory, { query: { limit: 100 } })).data
  for (const time_zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Asia/Kathmandu']) {
    const dayOf = calendarOf(time_zone)
    const dated = history.map((movement) => ({ ...movement, day: dayOf(movement.inserted_at) }))
    for (const days of [1, 30, 120]) {
      const series = await user.api.result(pointsSeries, { query: { days, time_zone } })
      expect(series.time_zone).toBe(time_zone)
      expect(series.days).toHaveLength(days)
      const today = dayOf(plaza.clock.now())
      const wanted = Array.from({ length: days }, (_, at) => {
        const date = new Date(`${today}T12:00:00Z`)
        date.setUTCDate(date.getUTCDate() - (days - 1 - at))
        const day = date.toISOString().slice(0, 10)
        const until = dated.filter((movement) => movement.day <= day)
        const here = until.filter((movement) => movement.day === day)
        const sum = (way: 'in' | 'out') =>
          here.reduce((total, { direction, amount }) => total + (direction === way ? amount : 0), 0)
        return { day, earned: sum('in'), spent: sum('out'), balance: until[0]?.points_after ?? 0 }
      })
      expect(series.days).toEqual(wanted)
    }
  }
})

test('D-48 series: thirty days of UTC by default, for an account without transfers', async () => {
  const user = await someUser(plaza)
  const { time_zone, days } = await user.api.result(pointsSeries)
  expect([time_zone, days.length]).toEqual(['UTC', 30])
  expect(days.at(-1)).toEqual({ day: calendarOf('UTC')(plaza.clock.now()), earned: 0, spent: 0, balance: 0 })
  expect(new Set(days.map(({ earned, spent, balance }) => earned + spent + balance))).toEqual(new Set([0]))
})

test('D-48 series: an invalid time zone is 422 and named, also with an invalid number of days', async () => {
  const user = await someUser(plaza)
  const ask = async (query: Record<string, unknown>) => outcome(await user.api.call(pointsSeries, { query } as never))
  for (const time_zone of ['Nowhere/Atlantis', 'UTC+3', 'PST8', '+03:00', 'Europe/', '', ' UTC', 'x; drop table'])
    expect([time_zone, await ask({ time_zone })]).toEqual([time_zone, invalid('time_zone', asks)])
  expect(await ask({ days: 'x', time_zone: '?' })).toEqual(
    refused('validation_failed', [
      { path: 'days', message: no_integer },
      { path: 'time_zone', message: asks },
    ]),
  )
})

test('F11 series: a time zone that PostgreSQL reads as an abbreviation with other offsets gets 422; unambiguous names are accepted', async () => {
  const user = await someUser(plaza)
  const ask = async (time_zone: string) => outcome(await user.api.call(pointsSeries, { query: { time_zone, days: 1 } }))
  for (const time_zone of ['CET', 'cet', 'EET', 'MET', 'WET'])
    expect([time_zone, await ask(time_zone)]).toEqual([time_zone, invalid('time_zone', asks)])
  for (const time_zone of ['UTC', 'GMT', 'Etc/GMT+5', 'Europe/Paris', 'Australia/Lord_Howe', 'EST5EDT'])
    expect([time_zone, (await ask(time_zone))[0]]).toEqual([time_zone, 200])
})

test('D-48 series: among very many transfers only those of the account since the first day are read', async () => {
  const user = await someUser(plaza)
  await givePoints(plaza, user, 1000)
  plaza.clock.advance(400 * 86_400)
  const fill = (payer: string, rows: number) => plaza.db.sql`
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, inserted_at)
    select gen_random_uuid(), 'spend', ${payer}::uuid, gen_random_uuid(), 1, 1, 1, ${plaza.clock.now()}
      from generate_series(1, ${rows}::integer)`
  for (const rows of [5_000, 5_000]) await fill(randomUUID(), rows)
  await givePoints(plaza, user, 5)
  await plaza.db.pool.query('analyze transfers')
  const readsOf = await countReadsOf(plaza, 'transfers')
  const { sequential, all } = await readsOf(async (url) => {
    const { days } = await new PlazaClient(url, user.token).result(pointsSeries, { query: { days: 366 } })
    expect(days.at(-1)).toMatchObject({ earned: 5, balance: 1005 })
    expect(days[0]).toMatchObject({ earned: 0, balance: 1000 })
  })
  expect([sequential, all > 0, all < 10]).toEqual([0, true, true])
})
