import { expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { checkLedger } from '../../contract/admin.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import * as payments from '../../contract/payments.ts'
import { myPointsHistory, spendPoints } from '../../contract/points.ts'
import { listAppEvents } from '../../contract/webhooks.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import {
  basicOf,
  pointsOf,
  raw,
  someApp,
  someTokens,
  someUser,
  theAdmin,
  world,
  givePoints,
  type SomeApp,
} from '../test/world.ts'

const plaza = await sharedService()
const scopes = ['profile:read', 'points:read', 'points:spend'] as const
const clientOf = ({ client_id, client_secret }: SomeApp) => new PlazaClient(plaza.url, { client_id, client_secret })

async function shop(points = 100) {
  const made = await world(plaza, { points, scopes: [...scopes] })
  const spend = async (amount: number, more: { reference?: string; metadata?: Record<string, string> } = {}) =>
    (await made.tokens.api.result(spendPoints, { body: { amount, ...more } })).transfer_id
  return { ...made, shop: clientOf(made.app), spend }
}
const transfersStored = async () => (await plaza.db.sql`select 1 from transfers`).length
const unknown_id = '01890000-0000-7000-8000-000000000000'

test('D-96: a spend returns its id, and its reference and metadata are shown to those who may see them', async () => {
  const { user, app, shop: client, spend } = await shop()
  const transfer_id = await spend(30, { reference: 'order 7', metadata: { size: 'L' } })
  const { transfer } = await client.result(payments.getAppTransfer, { params: { id: transfer_id } })
  expect(transfer).toEqual({
    id: transfer_id,
    kind: 'spend',
    direction: 'in',
    amount: 30,
    points_after: 30,
    user_id: user.id,
    to_user_id: null,
    description: null,
    reference: 'order 7',
    metadata: { size: 'L' },
    hold_id: null,
    refunded_transfer_id: null,
    inserted_at: expect.any(String) as string,
  })
  const [seen] = (await user.api.result(myPointsHistory)).data
  expect(seen).toMatchObject({
    id: transfer_id,
    reference: 'order 7',
    app_id: app.id,
    app_name: expect.any(String) as string,
  })
  expect(seen).not.toHaveProperty('metadata')
})

test('D-98: a refund in parts and of the rest; one point more is refused and writes nothing', async () => {
  const { user, shop: client, spend } = await shop()
  const transfer_id = await spend(30, { reference: 'order 8' })
  const part = await client.call(payments.createRefund, { body: { transfer_id, amount: 10, reason: 'scratched' } })
  expect([part.status, part.body]).toEqual([
    201,
    {
      points: 20,
      refund: {
        id: expect.any(String) as string,
        kind: 'refund',
        direction: 'out',
        amount: 10,
        points_after: 20,
        user_id: user.id,
        to_user_id: null,
        description: 'scratched',
        reference: 'order 8',
        metadata: null,
        hold_id: null,
        refunded_transfer_id: transfer_id,
        inserted_at: expect.any(String) as string,
      },
    },
  ])
  expect(await pointsOf(user)).toBe(80)
  const before = await transfersStored()
  const more = await client.call(payments.createRefund, { body: { transfer_id, amount: 21 } })
  expect([outcome(more), await transfersStored()]).toEqual([refused('refund_exceeds_spend'), before])
  expect(await client.result(payments.createRefund, { body: { transfer_id } })).toMatchObject({
    refund: { amount: 20 },
    points: 0,
  })
  expect(outcome(await client.call(payments.createRefund, { body: { transfer_id } }))).toEqual(
    refused('refund_exceeds_spend'),
  )
  expect(await pointsOf(user)).toBe(100)
  const told = await client.result(payments.getAppTransfer, { params: { id: transfer_id } })
  expect([told.refunded_amount, told.refunds.map(({ amount }) => amount)]).toEqual([30, [10, 20]])
  const [newest] = (await user.api.result(myPointsHistory)).data
  expect(newest).toMatchObject({ kind: 'refund', direction: 'in', amount: 20, refunded_transfer_id: transfer_id })
})

test('D-98: of 30 parallel refunds of 1 of a spend of 10, ten succeed; of parallel calls with one key, one', async () => {
  const { user, shop: client, spend } = await shop()
  const transfer_id = await spend(10)
  const replies = await race(plaza, 30, () => client.call(payments.createRefund, { body: { transfer_id, amount: 1 } }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 10, 409: 20 })
  expect(await pointsOf(user)).toBe(100)
  const again = await spend(10)
  const headers = { 'idempotency-key': 'refund once' }
  const keyed = await race(plaza, 10, () =>
    client.call(payments.createRefund, { body: { transfer_id: again, amount: 4 }, headers }),
  )
  expect(new Set(keyed.map(({ body }) => (body as { refund: { id: string } }).refund.id)).size).toBe(1)
  expect(countBy(keyed, (reply) => String(reply.headers.get('idempotency-replayed')))).toEqual({ null: 1, true: 9 })
  expect(await pointsOf(user)).toBe(94)
  const other = await client.call(payments.createRefund, { body: { transfer_id: again, amount: 5 }, headers })
  expect(outcome(other)).toEqual(refused('idempotency_key_reused'))
})

test('D-98: a full refund that races with partial ones returns the rest that they leave', async () => {
  const { user, shop: client, spend } = await shop()
  for (let round = 0; round < 5; round++) {
    const transfer_id = await spend(20)
    const replies = await race(plaza, 8, (at) =>
      client.call(payments.createRefund, { body: { transfer_id, ...(at % 2 === 0 ? { amount: 2 } : {}) } }),
    )
    const returned = replies.flatMap(({ status, body }) =>
      status === 201 ? (body as { refund: { amount: number } }).refund.amount : [],
    )
    const told = await client.result(payments.getAppTransfer, { params: { id: transfer_id } })
    expect([told.refunded_amount, returned.reduce((sum, amount) => sum + amount, 0)]).toEqual([20, 20])
    // One call without an amount took the rest.
    const without = replies.filter((_, at) => at % 2 === 1)
    expect(countBy(without, ({ status }) => status)).toEqual({ 201: 1, 409: 3 })
  }
  expect(await pointsOf(user)).toBe(100)
})

test('D-98: only a spend in this app can be refunded, all other ids get 404', async () => {
  const { shop: client, spend } = await shop()
  const transfer_id = await spend(10)
  const other = clientOf(await someApp(plaza))
  for (const id of [transfer_id, unknown_id])
    expect(outcome(await other.call(payments.createRefund, { body: { transfer_id: id } }))).toEqual(
      refused('not_found'),
    )
  const { refund } = await client.result(payments.createRefund, { body: { transfer_id, amount: 1 } })
  expect(outcome(await client.call(payments.createRefund, { body: { transfer_id: refund.id } }))).toEqual(
    refused('not_found'),
  )
  expect(outcome(await other.call(payments.getAppTransfer, { params: { id: transfer_id } }))).toEqual(
    refused('not_found'),
  )
})

test('D-98: a refund is refused if the app no longer has the points', async () => {
  const { app, shop: client, spend } = await shop()
  const transfer_id = await spend(10)
  // Only refunds reduce an app's points, so the test debits the account with SQL.
  await plaza.db.sql`update point_accounts set debited = debited + 5 where id = ${app.id}`
  expect(outcome(await client.call(payments.createRefund, { body: { transfer_id } }))).toEqual(
    refused('insufficient_points'),
  )
  await plaza.db.sql`update point_accounts set debited = debited - 5 where id = ${app.id}`
})

test('D-98: a refund is possible after a disconnect and after the approval was withdrawn', async () => {
  const { user, app, shop: client, spend } = await shop()
  const transfer_id = await spend(10)
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  await client.result(payments.createRefund, { body: { transfer_id, amount: 4 } })
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: app.id }, body: {} })
  await client.result(payments.createRefund, { body: { transfer_id, amount: 6 } })
  expect(await pointsOf(user)).toBe(100)
})

test('D-98: the refund of a person who has left names the person of its spend everywhere', async () => {
  const { user, app, shop: client, spend } = await shop()
  await client.result(listAppEvents)
  const transfer_id = await spend(10, { reference: 'late order' })
  // The erasure job does not run, so that the reference remains.
  const resting = await plaza.db.pool.connect()
  await resting.query('select pg_advisory_lock_shared(7205461343)')
  onTestFinished(() => resting.release(true))
  await user.api.result(deleteAccount, { body: { password: user.password } })
  const body = { transfer_id, amount: 4 }
  const headers = { 'idempotency-key': 'one' }
  const first = await client.result(payments.createRefund, { body, headers })
  expect(first.refund).toMatchObject({ user_id: user.id, amount: 4, reference: 'late order' })
  expect(await client.result(payments.createRefund, { body, headers })).toEqual(first)
  const list = async (query: object) => (await client.result(payments.listAppTransfers, { query })).data
  const both = await list({})
  expect(both).toMatchObject([first.refund, { id: transfer_id, user_id: user.id }])
  expect(await list({ user_id: user.id })).toEqual(both)
  expect(await list({ user_id: user.id, kind: 'refund' })).toEqual([first.refund])
  expect(await list({ user_id: user.id, reference: 'late order' })).toEqual(both)
  const shown = await client.result(payments.getAppTransfer, { params: { id: transfer_id } })
  expect(shown).toMatchObject({ refunds: [first.refund], refunded_amount: 4 })
  const { text } = await raw(plaza, 'GET', '/api/app/transfers.csv', { headers: { authorization: basicOf(app) } })
  expect(text.split('\r\n')[1]).toContain(`,refund,out,4,6,${user.id},`)
  const refundsTold = async () =>
    (await client.result(listAppEvents)).data.filter(({ type }) => type === 'points.refunded').map(({ data }) => data)
  await expect.poll(refundsTold).toMatchObject([{ transfer_id: first.refund.id, user_id: user.id }])
})

test('D-99: the list is filtered by person, kind, reference and time, in pages that lose and repeat nothing', async () => {
  const { user, app, shop: client, spend } = await shop(1_000)
  const other = await someUser(plaza)
  await givePoints(plaza, other, 100)
  const theirs = await someTokens(plaza, app, other, [...scopes])
  const ids: string[] = []
  for (let n = 1; n <= 7; n++) ids.push(await spend(n, { reference: `order ${n % 2}` }))
  plaza.clock.advance(1_800)
  const { transfer_id: their_id } = await theirs.api.result(spendPoints, { body: { amount: 50 } })
  const { refund } = await client.result(payments.createRefund, { body: { transfer_id: ids[0]! } })
  const pagesOf = (query: object) =>
    rowsOfPages((next) => client.result(payments.listAppTransfers, { query: { limit: 2, ...query, ...next } }))
  const list = async (query: object) => (await pagesOf(query)).map(({ id }) => id)
  const newest_first = [refund.id, their_id, ...ids.toReversed()]
  expect(await list({})).toEqual(newest_first)
  expect(await list({ user_id: user.id })).toEqual(newest_first.filter((id) => id !== their_id))
  expect(await list({ kind: 'refund' })).toEqual([refund.id])
  expect(await list({ reference: 'order 1' })).toEqual([refund.id, ids[6], ids[4], ids[2], ids[0]])
  expect(await list({ reference: 'order 1', user_id: user.id })).toEqual([refund.id, ids[6], ids[4], ids[2], ids[0]])
  // An app is not a person: its own id finds nothing, with or without a reference.
  for (const nobody of [other.id, app.id]) expect(await list({ reference: 'order 1', user_id: nobody })).toEqual([])
  expect(await list({ user_id: app.id })).toEqual([])
  const moment = refund.inserted_at
  expect(await list({ from: moment })).toEqual([refund.id, their_id])
  expect(await list({ to: moment })).toEqual(ids.toReversed())
  expect(await list({ to: moment, user_id: other.id })).toEqual([])
  const backwards = await client.call(payments.listAppTransfers, { query: { from: moment, to: moment } })
  expect(outcome(backwards)).toEqual(invalid('to', 'must be after from'))
})

test('D-99: the CSV has the same rows, quotes cells where needed and disarms formulas', async () => {
  const { app, shop: client, tokens } = await shop()
  const body = {
    amount: 5,
    description: '=HYPERLINK("x")',
    reference: 'a,b',
    metadata: { note: 'say "hi"', b: 'c, d: e' },
  }
  const { transfer_id } = await tokens.api.result(spendPoints, { body })
  const authorization = basicOf(app)
  const reply = await raw(plaza, 'GET', '/api/app/transfers.csv', { headers: { authorization } })
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    'attachment; filename="transfers.csv"',
  ])
  const [head, row, end] = reply.text.split('\r\n')
  expect(head).toBe(
    'id,inserted_at,kind,direction,amount,points_after,user_id,reference,description,hold_id,refunded_transfer_id,metadata,to_user_id',
  )
  const listed = (await client.result(payments.listAppTransfers)).data[0]
  expect(row).toBe(
    `${transfer_id},${listed?.inserted_at},spend,in,5,5,${listed?.user_id},"a,b","'=HYPERLINK(""x"")",,,"{""b"":""c, d: e"",""note"":""say \\""hi\\""""}",`,
  )
  expect(end).toBe('')
  for (const [description, cell] of [
    ['-1, "zwei"\nZeilen ü', `"'-1, ""zwei""\nZeilen ü"`],
    ['@here', `'@here`],
    ['＝1+2', `'＝1+2`],
    ['x;＠y', `x;'＠y`],
    ['a-b=c+d@e', 'a-b=c+d@e'],
    ['\\r\\n', '\\r\\n'],
    ['x;=1', `x;'=1`],
    ['x;"=1', `"x;'""=1"`],
    ['x;y=1; -2;+3', `x;y=1; -2;'+3`],
    ['a\n=1', `"a\n'=1"`],
    ['a\t=1\r@b', `"a\t'=1\r'@b"`],
  ] as const) {
    await tokens.api.result(spendPoints, { body: { amount: 1, description } })
    const { text } = await raw(plaza, 'GET', '/api/app/transfers.csv', { headers: { authorization } })
    const [, newest] = text.split('\r\n')
    expect(newest).toContain(`,,${cell},,,`)
  }
})

test('after all of these tests the ledger balances, and the check finds refunds that exceed their spend', async () => {
  const { balanced, faults } = await (await theAdmin(plaza)).api.result(checkLedger)
  expect([balanced, faults]).toEqual([true, []])
})
