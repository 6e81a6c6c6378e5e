import type pg from 'pg'
import { expect, test } from 'vitest'
import { getAnalytics, getAnalyticsOfMyApp } from '../../contract/operators.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { newId } from '../platform/ids.ts'
import { system_accounts, type LedgerOrder } from '../points/rules.ts'
import { applyOrders } from '../points/ledger.store.ts'
import { race, sharedService, openForeignTransaction } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { givePoints, someApp, someTokens, someUser, type SomeTokens, type SomeUser } from '../test/world.ts'
import { activityWindow } from './rules.ts'
import { countNewActivity } from './service.ts'
import { countActivity, recordLedgerPosition, sumActivity } from './store.ts'
import { long_lifetimes } from '../test/settings.ts'

const plaza = await sharedService(long_lifetimes)
const scopes: Scope[] = ['points:spend', 'app:balance:read']
const day = 86_400

interface Operator {
  app_id: string
  tokens: SomeTokens
}
async function operator(owner?: SomeUser): Promise<Operator> {
  const app = await someApp(plaza, { scopes, ...(owner && { owner }) })
  return { app_id: app.id, tokens: await someTokens(plaza, app, app.owner) }
}

/** The expected analytics, counted by a full scan. */
async function plainCount(app_id: string, days: number) {
  const since = new Date(plaza.clock.now().getTime() - days * day * 1000)
  const [row] = await plaza.db.sql<{ total_spends: number; total_awards: number }>`
    select count(*) filter (where kind = 'spend' and to_account = ${app_id}) as total_spends,
           count(*) filter (where kind = 'award' and app_id = ${app_id}) as total_awards
      from transfers
     where inserted_at >= ${since}`
  return { ...row, window_days: days }
}
async function answered({ tokens }: Operator, window_days: number) {
  const { total_users: _, ...counts } = (await tokens.api.result(getAnalytics, { query: { window_days } })).analytics
  return counts
}
async function expectExact(operators: Operator[], windows = [1, 2, 30, 365]) {
  for (const one of operators)
    for (const days of windows) expect(await answered(one, days)).toEqual(await plainCount(one.app_id, days))
}

const progress = async () =>
  (
    await plaza.db.sql<{ counted_to: number; newest: number }>`
    select counted_to, (select max(seq) from transfers) as newest from app_activity_progress`
  )[0]!
const everythingIsCounted = async () => {
  const { counted_to, newest } = await progress()
  return counted_to === newest
}
/** Runs the job until everything is counted; a committing transaction may delay it. */
async function countAll() {
  await expect.poll(async () => countNewActivity(plaza).then(everythingIsCounted)).toBe(true)
}

const spendOrder = (from_account: string, app_id: string): LedgerOrder => ({
  id: newId(),
  kind: 'spend',
  from_account,
  to_account: app_id,
  amount: 1,
  app_id,
})
const awardOrder = (to_account: string, app_id?: string): LedgerOrder => ({
  id: newId(),
  kind: 'award',
  from_account: system_accounts.issuance,
  to_account,
  amount: 1,
  app_id,
})

/** Seeded random numbers from 0 to 1. */
function seeded(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

test('D-49: counts equal a full scan, for any progress of the job and any clock jumps', async () => {
  const random = seeded(49)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const operators = [await operator(), await operator(), await operator()]
  const user = await someUser(plaza)
  await givePoints(plaza, user, 1_000_000)
  const orderOf = () => {
    const { app_id } = pick(operators)
    return pick([
      spendOrder(user.id, app_id),
      spendOrder(user.id, app_id),
      awardOrder(user.id, app_id),
      awardOrder(user.id),
    ])
  }
  for (let round = 0; round < 40; round++) {
    for (let batch = 0; batch < 4; batch++) {
      await applyOrders(plaza.db, plaza.clock.now(), Array.from({ length: 1 + Math.floor(random() * 9) }, orderOf))
      // Also backwards: clocks of processes differ, so times do not always increase with `seq`.
      plaza.clock.advance(pick([0, 0.001, 7, 59.999, 60, 61, 3600, 3599, 5 * 3600, day, 9 * day, -90, -3601]))
    }
    await pick([
      async () => {},
      () => recordLedgerPosition(plaza.db),
      () => countActivity(plaza.db, 1 + Math.floor(random() * 20)),
      () => countNewActivity(plaza),
    ])()
    await expectExact([pick(operators)], [1, pick([2, 7, 30, 90]), 365])
  }
  await expectExact(operators)
  await countAll()
  await expectExact(operators)
})

test('D-49: a transfer committed after higher numbers is neither lost nor counted twice', async () => {
  const [late, early] = [await operator(), await operator()]
  const [slow, quick] = [await someUser(plaza), await someUser(plaza)]
  for (const user of [slow, quick]) await givePoints(plaza, user, 100)
  await countAll()
  let commit = () => {}
  const held = new Promise<void>((release) => (commit = release))
  let began = (_seq: number) => {}
  const late_seq = new Promise<number>((known) => (began = known))
  const transaction = plaza.db.transaction(async (tx) => {
    const order = spendOrder(slow.id, late.app_id)
    await applyOrders(tx, plaza.clock.now(), [order])
    const [row] = await tx.sql<{ seq: number }>`select seq from transfers where id = ${order.id}`
    began(row!.seq)
    await held
  })
  const seq = await late_seq
  for (let turn = 0; turn < 5; turn++) {
    await applyOrders(plaza.db, plaza.clock.now(), [spendOrder(quick.id, early.app_id)])
    await countNewActivity(plaza)
    expect((await progress()).counted_to).toBeLessThan(seq)
    await expectExact([late, early], [1])
  }
  commit()
  await transaction
  await expectExact([late, early], [1])
  await countAll()
  expect(await answered(late, 1)).toEqual({ total_spends: 1, total_awards: 0, window_days: 1 })
  expect(await answered(early, 1)).toEqual({ total_spends: 5, total_awards: 0, window_days: 1 })
})

test('D-49: with spends and counting on two processes concurrently, nothing is lost or counted twice', async () => {
  const other = await plaza.startAnother()
  const [app, user] = [await someApp(plaza, { scopes }), await someUser(plaza)]
  await givePoints(plaza, user, 1000)
  const here = await someTokens(plaza, app, user)
  const there = here.api
  const elsewhere = await someTokens(other, app, user)
  let going = true
  const counting = [plaza, other].map(async ({ db }) => {
    while (going) await countNewActivity({ db })
  })
  const spends = await race(plaza, 60, async (at) => {
    const api = at % 2 ? there : elsewhere.api
    for (let turn = 0; turn < 5; turn++) await api.result(spendPoints, { body: { amount: 1 } })
  })
  going = false
  await Promise.all(counting)
  const one = { app_id: app.id, tokens: here }
  expect((await answered(one, 1)).total_spends).toBe(5 * spends.length)
  await Promise.all(Array.from({ length: 8 }, () => countNewActivity(plaza)))
  await countAll()
  expect((await answered(one, 1)).total_spends).toBe(300)
  const [sums] = await plaza.db.sql<{ minutes: number; hours: number }>`
    select coalesce(sum(spends) filter (where grain = 'minute'), 0)::bigint as minutes,
           coalesce(sum(spends) filter (where grain = 'hour'), 0)::bigint as hours
      from app_activity where app_id = ${app.id}`
  expect(sums).toEqual({ minutes: 300, hours: 300 })
})

test('D-49: a long transaction in another database of the server does not stop the counting', async () => {
  const one = await operator()
  const user = await someUser(plaza)
  await givePoints(plaza, user, 10)
  await countAll()
  const end = await openForeignTransaction()
  try {
    await applyOrders(plaza.db, plaza.clock.now(), [spendOrder(user.id, one.app_id)])
    await countAll()
    expect((await answered(one, 1)).total_spends).toBe(1)
  } finally {
    await end()
  }
})

test('a progress record from another cluster, as in a restored copy, does not stop the counting', async () => {
  const one = await operator()
  const user = await someUser(plaza)
  await givePoints(plaza, user, 10)
  await plaza.db.sql`
    update app_activity_progress
       set seen_to = (select max(seq) from transfers), seen_by = ((pg_current_xact_id()::text::bigint + 1000000)::text)::xid8`
  await applyOrders(plaza.db, plaza.clock.now(), [spendOrder(user.id, one.app_id)])
  await expectExact([one], [1])
  await countAll()
  await expectExact([one], [1])
})

test('D-49: analytics read transfers and counts by index only, counted or not, for large and small apps', async () => {
  const [big, small] = [newId(), newId()]
  await plaza.db.sql`
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
    select gen_random_uuid(), kind, gen_random_uuid(), case kind when 'spend' then app_id else gen_random_uuid() end, 1, 0, 0,
           app_id, ${plaza.clock.now()}::timestamptz - n * interval '20 seconds'
      from (select n, case n % 5 when 0 then 'award' else 'spend' end as kind,
                   case when n % 10 < 2 then ${big}::uuid when n % 2000 in (5, 6) then ${small}::uuid
                        else gen_random_uuid() end as app_id
              from generate_series(1, 40000) n) moved`
  const window = activityWindow(plaza.clock.now(), 3)
  const client = await plaza.db.pool.connect()
  try {
    for (const counted of [false, true]) {
      if (counted) await countAll()
      await client.query('analyze transfers, app_activity, app_activity_progress')
      for (const app_id of [big, small])
        for (const option of ['', '(generic_plan)']) {
          const plan = await planOf(client, option, (db) => sumActivity(db, app_id, window))
          expect(plan).not.toMatch(/Seq Scan on (transfers|app_activity )/)
          // The primary key is suitable for an app with a large part of all transfers, but not for others.
          if (app_id === small)
            expect([...new Set(plan.match(/transfers_(pkey|to|awards\w+)/g))].sort()).toEqual([
              'transfers_awards_by_seq',
              'transfers_to',
            ])
        }
    }
  } finally {
    client.release()
  }
  expect(await sumActivity(plaza.db, big, window)).toEqual({ total_spends: 1296, total_awards: 1296 })
  expect(await sumActivity(plaza.db, small, window)).toEqual({ total_spends: 7, total_awards: 7 })
})

/** The plan of the single statement that `work` runs; without an answer, the rest of `work` fails. */
async function planOf(client: pg.PoolClient, option: string, work: (db: Sql) => Promise<unknown>) {
  const lines: string[] = []
  const planned = new Error('planned')
  const ended = work({
    async sql(strings: TemplateStringsArray, ...values: unknown[]) {
      const text = strings.reduce((head, part, at) => `${head}$${at}${part}`)
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain ${option} ${text}`,
        option === '' ? values : undefined,
      )
      lines.push(...rows.map((row) => row['QUERY PLAN']))
      throw planned
    },
  })
  await expect(ended).rejects.toBe(planned)
  return lines.join('\n')
}

test('D-49: the owner reads the figures of the app without a token of it; another app is not found', async () => {
  const [owner, stranger] = [await someUser(plaza), await someUser(plaza)]
  const { app_id, tokens } = await operator(owner)
  await givePoints(plaza, owner, 10)
  await tokens.api.result(spendPoints, { body: { amount: 4 } })
  const input = { params: { id: app_id }, query: { window_days: 7 } }
  expect(await owner.api.result(getAnalyticsOfMyApp, input)).toEqual({
    analytics: { total_users: 1, total_spends: 1, total_awards: 0, window_days: 7 },
  })
  expect(outcome(await stranger.api.call(getAnalyticsOfMyApp, input))).toEqual(refused('not_found'))
})
