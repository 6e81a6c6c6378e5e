import { expect, test } from 'vitest'
import { setPayoutLimit } from '../../contract/admin-apps.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import * as app_payments from '../../contract/app-payments.ts'
import { PlazaClient } from '../../contract/client.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import * as payments from '../../contract/payments.ts'
import { myPointsHistory, spendPoints } from '../../contract/points.ts'
import { listAppEvents } from '../../contract/webhooks.ts'
import { countBy, race, sharedService, startTestService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import {
  pointsOf,
  proveUser,
  signedInAgain,
  someTokens,
  someUser,
  suspend,
  theAdmin,
  world,
  type SomeApp,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const holding = await startTestService({ EARNINGS_HELD_DAYS: '7', PAYOUT_DAILY_LIMIT: '300', JWT_TTL: '4000000' })
const scopes = ['profile:read', 'points:read', 'points:spend'] as const
const unknown_id = '01890000-0000-7000-8000-000000000000'
type Plaza = typeof plaza

/** An app with earnings from a buyer, and people connected to it. */
async function shop(at: Plaza, { earned = 100, people = 2 } = {}) {
  const made = await world(at, { points: 10_000, scopes: [...scopes] })
  const { client_id, client_secret } = made.app
  const client = new PlazaClient(at.url, { client_id, client_secret })
  const spend = async (amount: number) => (await made.tokens.api.result(spendPoints, { body: { amount } })).transfer_id
  if (earned > 0) await spend(earned)
  const winners: SomeUser[] = []
  for (let count = 0; count < people; count++) {
    const winner = await someUser(at)
    await someTokens(at, made.app, winner)
    winners.push(winner)
  }
  const balance = () => client.result(payments.getOwnBalance)
  return { ...made, client, spend, winners, balance }
}
const pay = (client: PlazaClient, to_user_id: string, amount: number, key?: string) =>
  client.call(payments.createPayout, { body: { to_user_id, amount }, headers: headersOf(key) })
const payAll = (client: PlazaClient, items: [to_user_id: string, amount: number][], key?: string) =>
  client.call(payments.createPayouts, bodyOf(items, key))
const bodyOf = (items: [to_user_id: string, amount: number][], key?: string) => ({
  body: { payouts: items.map(([to_user_id, amount]) => ({ to_user_id, amount })) },
  headers: headersOf(key),
})
const headersOf = (key: string | undefined) => (key === undefined ? {} : { 'idempotency-key': key })
const some_id = expect.any(String) as string

test('D-130: an app pays a person who is connected; the history shows app and text, the app an event', async () => {
  const { app, client, winners } = await shop(plaza)
  const [winner] = winners as [SomeUser]
  await client.result(listAppEvents)
  const body = {
    to_user_id: winner.id,
    amount: 30,
    description: 'first prize',
    reference: 'cup 7',
    metadata: { place: '1' },
  }
  const made = await client.call(payments.createPayout, { body, headers: { 'idempotency-key': 'cup' } })
  const payout = {
    id: some_id,
    kind: 'payout',
    direction: 'out',
    amount: 30,
    points_after: 70,
    user_id: winner.id,
    to_user_id: null,
    description: 'first prize',
    reference: 'cup 7',
    metadata: { place: '1' },
    hold_id: null,
    refunded_transfer_id: null,
    inserted_at: some_id,
  }
  expect(outcome(made)).toEqual([201, { payout, points: 70 }])
  const again = await client.call(payments.createPayout, { body, headers: { 'idempotency-key': 'cup' } })
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made.body, 'true'])
  const other = await client.call(payments.createPayout, {
    body: { ...body, amount: 31 },
    headers: { 'idempotency-key': 'cup' },
  })
  expect(outcome(other)).toEqual(refused('idempotency_key_reused'))
  const [seen] = (await winner.api.result(myPointsHistory)).data
  expect(seen).toMatchObject({
    kind: 'payout',
    direction: 'in',
    amount: 30,
    app_id: app.id,
    description: 'first prize',
  })
  expect(seen?.app_name).toEqual(some_id)
  const found = await client.result(payments.listAppTransfers, { query: { reference: 'cup 7', kind: 'payout' } })
  expect(found.data).toEqual([(made.body as { payout: object }).payout])
  const paid_out = async () =>
    (await client.result(listAppEvents)).data.filter(({ type }) => type === 'points.paid_out').map(({ data }) => data)
  const told = { description: 'first prize', reference: 'cup 7', metadata: { place: '1' } }
  await expect.poll(paid_out).toEqual([{ transfer_id: found.data[0]?.id, user_id: winner.id, amount: 30, ...told }])
})

test('D-130: refusals of payouts have their exact bodies, and nothing is written', async () => {
  const { app, client, winners } = await shop(plaza, { people: 4 })
  const [winner, suspended, gone, left] = winners as [SomeUser, SomeUser, SomeUser, SomeUser]
  await suspend(plaza, suspended)
  await gone.api.result(disconnectApp, { params: { app_id: app.id } })
  await left.api.result(deleteAccount, { body: { password: left.password } })
  const of_another_app = (await shop(plaza, { people: 1, earned: 0 })).winners[0]!
  const before = await digestTables(plaza)
  const strangers = [suspended, gone, left, of_another_app, app.owner, { id: app.id }, { id: unknown_id }]
  for (const { id } of strangers) expect(outcome(await pay(client, id, 1))).toEqual(refused('recipient_not_connected'))
  expect(outcome(await pay(client, winner.id, 101))).toEqual(refused('insufficient_points'))
  expect(outcome(await pay(client, winner.id, 0))).toEqual(invalid('amount', 'must be >= 1'))
  expect(outcome(await payAll(client, []))).toEqual(invalid('payouts', 'must NOT have fewer than 1 items'))
  const too_many = Array.from({ length: 1_001 }, (): [string, number] => [winner.id, 1])
  expect(outcome(await payAll(client, too_many))).toEqual(invalid('payouts', 'must NOT have more than 1000 items'))
  const one_malformed = await payAll(client, [
    [winner.id, 1],
    [winner.id, 0],
  ])
  expect(outcome(one_malformed)).toEqual(invalid('payouts.1.amount', 'must be >= 1'))
  expect(await digestTables(plaza)).toEqual(before)
})

const paid = (amount: number, user_id: string, points_after: number) => ({
  payout: expect.objectContaining({ kind: 'payout', amount, user_id, points_after }) as object,
  error: null,
  message: null,
})
const notPaid = (code: 'recipient_not_connected' | 'insufficient_points' | 'payout_limit_reached') => ({
  payout: null,
  error: code,
  message: (refused(code)[1] as { message: string }).message,
})

test('D-130: each item of a batch has its outcome; a replay gets the same response, including refusals, and other items under the key pay nothing', async () => {
  const { client, winners, spend, app } = await shop(plaza)
  const [first, second] = winners as [SomeUser, SomeUser]
  const stranger = await someUser(plaza)
  const items: [string, number][] = [
    [first.id, 30],
    [stranger.id, 5],
    [first.id, 20],
    [second.id, 51],
    [second.id, 50],
  ]
  const made = await payAll(client, items, 'prizes')
  const outcomes = [
    paid(30, first.id, 70),
    notPaid('recipient_not_connected'),
    paid(20, first.id, 50),
    notPaid('insufficient_points'),
    paid(50, second.id, 0),
  ]
  expect(outcome(made)).toEqual([200, { outcomes }])
  // Each refused item could now be paid.
  await spend(200)
  await someTokens(plaza, app, stranger)
  const before = await digestTables(plaza)
  const again = await payAll(client, items, 'prizes')
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made.body, 'true'])
  expect(outcome(await payAll(client, items.slice(1), 'prizes'))).toEqual(refused('idempotency_key_reused'))
  for (const others of [items.toReversed(), [...items, [first.id, 1] as [string, number]]])
    expect(outcome(await payAll(client, others, 'prizes'))).toEqual(refused('idempotency_key_reused'))
  expect(await digestTables(plaza)).toEqual(before)
  expect(await payAll(client, items)).toMatchObject({ status: 200, body: { outcomes: { length: 5 } } })
  expect([await pointsOf(first), await pointsOf(second), await pointsOf(stranger)]).toEqual([100, 151, 5])
})

test('D-130: of two batches with one key at once, in two processes, one pays each item once, or one pays and the other is refused', async () => {
  const { client, winners, balance, app } = await shop(plaza, { earned: 5_000, people: 1 })
  const another = await plaza.startAnother()
  const clients = [client, new PlazaClient(another.url, { client_id: app.client_id, client_secret: app.client_secret })]
  const many = (amount: number) => Array.from({ length: 150 }, (): [string, number] => [winners[0]!.id, amount])
  // Some items are refused: the points suffice for 1,000 of them.
  const alike = await race(plaza, 4, (at) => payAll(clients[at % 2]!, many(40), 'twice'))
  expect(new Set(alike.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect([(await balance()).points, await pointsOf(winners[0]!)]).toEqual([0, 5_000])
  const other = await shop(plaza, { earned: 5_000, people: 1 })
  const both = [
    other.client,
    new PlazaClient(another.url, { client_id: other.app.client_id, client_secret: other.app.client_secret }),
  ]
  const items = (amount: number) => Array.from({ length: 150 }, (): [string, number] => [other.winners[0]!.id, amount])
  const replies = await race(plaza, 2, (at) => payAll(both[at]!, items(at + 1), 'either'))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 422: 1 })
  const winner = replies.findIndex(({ status }) => status === 200)
  expect(await pointsOf(other.winners[0]!)).toBe(150 * (winner + 1))
})

test('D-130: a batch that fails in the middle is completed by a repetition with its key; without a key its outcome is unknown', async () => {
  const { client, winners } = await shop(await plaza.startAnother({}, { patience: 1 }), { earned: 1_000 })
  const [first, second] = winners as [SomeUser, SomeUser]
  // More than one transaction books; the last item is for another person.
  const items = [
    ...Array.from({ length: 128 }, (): [string, number] => [first.id, 1]),
    [second.id, 20] as [string, number],
  ]
  const foreign = await plaza.db.pool.connect()
  await foreign.query('begin')
  await foreign.query('select from point_accounts where id = $1 for update', [second.id])
  const cut = await Promise.all([payAll(client, items, 'cut'), payAll(client, items)])
  await foreign.query('rollback')
  foreign.release()
  expect(cut.map(outcome)).toEqual([refused('overloaded'), refused('outcome_unknown')])
  const { outcomes } = await client.result(payments.createPayouts, bodyOf(items, 'cut'))
  expect(outcomes.filter(({ payout }) => payout !== null)).toHaveLength(129)
  expect([await pointsOf(first), await pointsOf(second)]).toEqual([256, 20])
})

test('D-130: payouts during a refund of the last points, and during a disconnect: nothing is paid twice or after the end', async () => {
  for (let round = 0; round < 2; round++) {
    const { app, client, winners, spend, balance } = await shop(plaza, { earned: 0, people: 1 })
    const transfer_id = await spend(50)
    const [winner] = winners as [SomeUser]
    const replies = await race(plaza, 6, (at): Promise<{ status: number }> =>
      at === 0 ? client.call(payments.createRefund, { body: { transfer_id } }) : pay(client, winner.id, 50),
    )
    expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 1, 409: 5 })
    await spend(10)
    const [reply, ended] = await race(plaza, 2, (at): Promise<{ status: number }> =>
      at === 0 ? pay(client, winner.id, 10) : winner.api.call(disconnectApp, { params: { app_id: app.id } }),
    )
    expect(ended?.status).toBe(200)
    expect((await balance()).points).toBe(reply?.status === 201 ? 0 : 10)
    expect(outcome(await pay(client, winner.id, 1))).toEqual(refused('recipient_not_connected'))
  }
})

test('D-132: payouts of 24 hours stay within the limit of the setting, or that of an admin, also in parallel; withdrawals do not count', async () => {
  const { app, client, winners } = await shop(holding, { earned: 2_000, people: 1 })
  const [winner] = winners as [SomeUser]
  holding.clock.advance(8 * day)
  const replies = await race(holding, 10, () => pay(client, winner.id, 60))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 5, 409: 5 })
  expect(outcome(await pay(client, winner.id, 1))).toEqual(refused('payout_limit_reached'))
  const admin = await signedInAgain(holding, await theAdmin(holding))
  const setLimit = (payout_limit: number | null) =>
    admin.api.result(setPayoutLimit, { params: { id: app.id }, body: { payout_limit, reason: 'asked by mail' } })
  expect(await setLimit(310)).toMatchObject({ id: app.id, payout_limit: 310 })
  const batch = await payAll(client, [
    [winner.id, 6],
    [winner.id, 5],
    [winner.id, 7],
  ])
  const over = notPaid('payout_limit_reached')
  expect(batch.body).toEqual({ outcomes: [paid(6, winner.id, 1_694), over, over] })
  const [entry] = (await admin.api.result(listAudit, { query: { limit: 1 } })).data
  expect(entry).toMatchObject({
    action: 'app.payout_limit',
    target_id: app.id,
    details: { payout_limit: 310, reason: 'asked by mail' },
  })
  await setLimit(0)
  expect(outcome(await pay(client, winner.id, 1))).toEqual(refused('payout_limit_reached'))
  const owner = await signedInAgain(holding, app.owner)
  expect((await withdraw(owner, app, 500)).status).toBe(201)
  await setLimit(null)
  holding.clock.advance(day + 1)
  expect((await pay(client, winner.id, 300)).status).toBe(201)
})

const day = 86_400
const withdraw = (owner: SomeUser, app: SomeApp, amount: number, key?: string) =>
  owner.api.call(app_payments.withdrawFromMyApp, {
    params: { id: app.id },
    body: { amount, password: owner.password },
    headers: headersOf(key),
  })

test('D-131: income that came in lately stays in the app for refunds; neither a payout nor a withdrawal takes it', async () => {
  const { app, client, winners, balance, user } = await shop(holding, { earned: 100, people: 1 })
  const [winner] = winners as [SomeUser]
  expect(await balance()).toMatchObject({ points: 100, held_earnings: 100 })
  const before = await digestTables(holding)
  expect(outcome(await pay(client, winner.id, 1))).toEqual(refused('insufficient_points'))
  expect(outcome(await withdraw(app.owner, app, 1))).toEqual(refused('earnings_held'))
  expect(outcome(await withdraw(app.owner, app, 101))).toEqual(refused('insufficient_points'))
  expect(await digestTables(holding)).toEqual(before)
  holding.clock.advance(8 * day)
  const tokens = await someTokens(holding, app, await signedInAgain(holding, user))
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 40 } })
  expect(await balance()).toMatchObject({ points: 140, held_earnings: 40 })
  // A refund of held earnings does not reduce the rest.
  await client.result(payments.createRefund, { body: { transfer_id, amount: 30 } })
  expect(await balance()).toMatchObject({ points: 110, held_earnings: 10 })
  const owner = await signedInAgain(holding, app.owner)
  const replies = await race(holding, 8, (at): Promise<{ status: number }> =>
    at % 2 === 0 ? pay(client, winner.id, 25) : withdraw(owner, app, 25),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 4, 409: 4 })
  expect(await balance()).toMatchObject({ points: 10, held_earnings: 10 })
})

test('D-131: an owner with a proof moves points of the app to the own account, once for each key', async () => {
  const { app, client } = await shop(plaza, { people: 0 })
  const stranger = await someUser(plaza)
  const call = (owner: SomeUser, body: object) =>
    owner.api.call(app_payments.withdrawFromMyApp, { params: { id: app.id }, body: body as { amount: number } })
  const before = await digestTables(plaza)
  expect(outcome(await call(app.owner, { amount: 60 }))).toEqual(invalid('password', 'is required'))
  expect(outcome(await call(stranger, { amount: 60, password: stranger.password }))).toEqual(refused('not_found'))
  expect(outcome(await call(app.owner, { amount: 0, password: app.owner.password }))).toEqual(
    invalid('amount', 'must be >= 1'),
  )
  expect(await digestTables(plaza)).toEqual(before)
  expect(outcome(await call(app.owner, { amount: 60, password: 'wrong password' }))).toEqual(refused('wrong_password'))
  const made = await withdraw(app.owner, app, 60, 'income')
  expect(outcome(made)).toEqual([
    201,
    {
      withdrawal: expect.objectContaining({
        kind: 'withdrawal',
        direction: 'out',
        amount: 60,
        user_id: app.owner.id,
      }) as object,
      points: 40,
    },
  ])
  await proveUser(app.owner)
  const again = await app.owner.api.call(app_payments.withdrawFromMyApp, {
    params: { id: app.id },
    body: { amount: 60 },
    headers: { 'idempotency-key': 'income' },
  })
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made.body, 'true'])
  expect(outcome(await withdraw(app.owner, app, 61, 'income'))).toEqual(refused('idempotency_key_reused'))
  const [seen] = (await app.owner.api.result(myPointsHistory)).data
  expect(seen).toMatchObject({ kind: 'withdrawal', direction: 'in', amount: 60, app_id: app.id })
  expect(await client.result(payments.getOwnBalance)).toMatchObject({ points: 40, total_spent: 60, held_earnings: 0 })
})
