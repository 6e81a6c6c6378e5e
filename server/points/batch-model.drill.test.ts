import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHold } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { setDailyLimit } from '../../contract/oauth.ts'
import { newId } from '../platform/ids.ts'
import { startTestService } from '../test/harness.ts'
import { givePoints, someApp, someTokens, someUser } from '../test/world.ts'
import { system_accounts, type LedgerOrder } from './rules.ts'
import { applyOrders } from './ledger.store.ts'

// A batch mixes the orders of many callers. An order may be affected by the others only through the accounts.

const plaza = await startTestService()
const apps = [await someApp(plaza, { scopes: ['points:spend'] }), await someApp(plaza, { scopes: ['points:spend'] })]
const users = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]

interface Standing {
  user: string
  app: string
  id: string
}
const [holds, spends]: [Standing[], Standing[]] = [[], []]
for (const user of users) {
  await givePoints(plaza, user, 100)
  for (const app of apps) {
    const { api } = await someTokens(plaza, app, user)
    const of = { user: user.id, app: app.id }
    holds.push({ ...of, id: (await api.result(createHold, { body: { amount: 10 } })).hold.id })
    spends.push({ ...of, id: (await api.result(spendPoints, { body: { amount: 10 } })).transfer_id })
  }
}
// One person has a limit for one app.
await users[0]!.api.result(setDailyLimit, { params: { app_id: apps[0]!.id }, body: { daily_limit: 40 } })

const user_id = fc.constantFrom(...users.map(({ id }) => id))
const app_id = fc.constantFrom(...apps.map(({ id }) => id))
const amount = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(30, 70))
const key = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined, freq: 2 })
plaza.clock.advance(60)
/** Points earned since then stay in the apps. */
const earned_before = plaza.clock.now()
plaza.clock.advance(60)
const expires_at = new Date(plaza.clock.now().getTime() + 60_000)

type Without<Order> = Order extends unknown ? Omit<Order, 'id' | 'request_hash'> : never
type Draft = Without<LedgerOrder>
const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .record({ user_id, app_id, amount, key })
    .map(({ user_id: from_account, app_id: app, amount: sum, key: idempotency_key }): Draft => ({
      kind: 'spend',
      from_account,
      to_account: app,
      amount: sum,
      app_id: app,
      idempotency_key,
    })),
  fc
    .record({ user_id, other: user_id, app_id, amount, key })
    .filter(({ user_id: from, other }) => from !== other)
    .map(({ user_id: from_account, other, app_id: app, amount: sum, key: idempotency_key }): Draft => ({
      kind: 'transfer',
      from_account,
      to_account: other,
      amount: sum,
      app_id: app,
      idempotency_key,
    })),
  fc
    .record({ user_id, app_id, amount, key })
    .map(({ user_id: from_account, app_id: app, amount: sum, key: idempotency_key }): Draft => ({
      kind: 'hold',
      from_account,
      to_account: app,
      amount: sum,
      app_id: app,
      idempotency_key,
      expires_at,
    })),
  fc.record({ user_id, amount }).map(({ user_id: to_account, amount: sum }): Draft => ({
    kind: 'award',
    from_account: system_accounts.issuance,
    to_account,
    amount: sum,
  })),
  fc
    .record({ hold: fc.constantFrom(...holds), amount: fc.integer({ min: 1, max: 11 }), captures: fc.boolean() })
    .map(({ hold: { id, user, app }, amount: sum, captures }): Draft => ({
      kind: captures ? 'capture' : 'voided',
      from_account: user,
      to_account: app,
      amount: sum,
      app_id: app,
      hold_id: id,
    })),
  fc
    .record({ spend: fc.constantFrom(...spends), amount: fc.integer({ min: 1, max: 11 }), key })
    .map(({ spend: { id, user, app }, amount: sum, key: idempotency_key }): Draft => ({
      kind: 'refund',
      from_account: app,
      to_account: user,
      amount: sum,
      app_id: app,
      refunded_id: id,
      idempotency_key,
    })),
  fc
    .record({ user_id, app_id, amount, key, held: fc.boolean() })
    .map(({ user_id: to_account, app_id: app, amount: sum, key: idempotency_key, held }): Draft => ({
      kind: 'payout',
      from_account: app,
      to_account,
      amount: sum,
      app_id: app,
      idempotency_key,
      payout_limit: app === apps[0]?.id ? 20 : undefined,
      earned_before: held ? earned_before : undefined,
    })),
)

const hashOf = (order: Draft) => Buffer.from(`${order.amount} ${'refunded_id' in order ? order.refunded_id : ''}`)
const numbered = (drafts: readonly Draft[]) =>
  drafts.map((order) => ({ ...order, id: newId(), request_hash: hashOf(order) }))

class Undone extends Error {}

/** Returns the results of the batches and the rows that they wrote, then rolls back. */
async function tried(batches: readonly LedgerOrder[][]) {
  let seen: unknown
  await plaza.db
    .transaction(async (tx: Tx) => {
      const results = []
      for (const batch of batches) results.push(...(await applyOrders(tx, plaza.clock.now(), batch)))
      seen = {
        results: results.map(({ outcome, transfer_id, from_after }) => ({ outcome, transfer_id, from_after })),
        accounts: await tx.sql`select id, credited, debited, held from point_accounts order by id`,
        holds: await tx.sql`select id, status, captured_amount, transfer_id, release_reason from holds order by id`,
        transfers: await tx.sql`
          select id, kind, from_account, to_account, amount, from_after, to_after, hold_id, refunded_id from transfers order by seq`,
        keys: await tx.sql`select user_id, app_id, operation, key, transfer_id, points from idempotency_keys order by 1, 2, 3, 4`,
      }
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  return seen
}

test('D-97, D-98, D-100, D-130: a mixed batch of orders has the same results as the orders applied one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(draft, { minLength: 2, maxLength: 12 }), async (drafts) => {
      const orders = numbered(drafts)
      expect(await tried([orders])).toEqual(await tried(orders.map((order) => [order])))
    }),
    { numRuns: 120, endOnFailure: true },
  )
})

test('D-98: a refund causes no refusal of spends in the same batch', async () => {
  const [first] = spends
  const others = users.map(({ id }): Draft => ({
    kind: 'spend',
    from_account: id,
    to_account: apps[1]!.id,
    amount: 1,
    app_id: apps[1]!.id,
  }))
  const refund: Draft = {
    kind: 'refund',
    from_account: first!.app,
    to_account: first!.user,
    amount: 3,
    app_id: first!.app,
    refunded_id: first!.id,
  }
  const { results } = (await tried([numbered([...others, refund, ...others])])) as { results: { outcome: string }[] }
  expect(results.map(({ outcome }) => outcome)).toEqual(Array<string>(7).fill('applied'))
})
