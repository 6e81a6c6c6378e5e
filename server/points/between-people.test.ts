import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import * as of_owner from '../../contract/app-payments.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import * as payments from '../../contract/payments.ts'
import { myPointsHistory, pointsHistory, spendPoints, transferPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { countReadsOf } from '../test/rows-read.ts'
import { waitUntil } from '../test/wait.ts'
import { basicOf, raw, someApp, someTokens, someUser, world, type SomeApp } from '../test/world.ts'

const plaza = await startTestService()
const scopes = ['points:spend', 'points:transfer'] as const
const clientOf = ({ client_id, client_secret }: SomeApp) => new PlazaClient(plaza.url, { client_id, client_secret })

/** A person with points, one without, and transfers by the app from the first to the second. */
async function sent() {
  const made = await world(plaza, { points: 100, scopes: [...scopes] })
  const friend = await someUser(plaza)
  const body = { amount: 30, to_user_id: friend.id, reference: 'gift 7', metadata: { card: 'birthday' } }
  const { transfer_id } = await made.tokens.api.result(transferPoints, { body })
  return { ...made, friend, transfer_id, client: clientOf(made.app) }
}

test('D-96: an app reads a transfer that it made between people by id, with reference and metadata', async () => {
  const { user, friend, app, client, transfer_id } = await sent()
  expect(await client.result(payments.getAppTransfer, { params: { id: transfer_id } })).toEqual({
    transfer: {
      id: transfer_id,
      kind: 'transfer',
      direction: 'between',
      amount: 30,
      points_after: null,
      user_id: user.id,
      to_user_id: friend.id,
      description: null,
      reference: 'gift 7',
      metadata: { card: 'birthday' },
      hold_id: null,
      refunded_transfer_id: null,
      inserted_at: expect.any(String) as string,
    },
    refunded_amount: 0,
    refunds: [],
  })
  const stranger = clientOf(await someApp(plaza))
  expect(outcome(await stranger.call(payments.getAppTransfer, { params: { id: transfer_id } }))).toEqual(
    refused('not_found'),
  )
  expect((await stranger.result(payments.listAppTransfers)).data).toEqual([])
  for (const person of [user, friend]) {
    const [seen] = (await person.api.result(myPointsHistory)).data
    expect([seen?.reference, seen?.app_id]).toEqual(['gift 7', app.id])
    expect(seen).not.toHaveProperty('metadata')
  }
  // Transfers by another app are hidden from it.
  const other = await someTokens(plaza, await someApp(plaza, { scopes: [...scopes] }), user, [...scopes])
  const body = { amount: 1, to_user_id: friend.id }
  const { transfer_id: elsewhere } = await other.api.result(transferPoints, { body })
  expect(outcome(await client.call(payments.getAppTransfer, { params: { id: elsewhere } }))).toEqual(
    refused('not_found'),
  )
  expect((await client.result(payments.listAppTransfers)).data.map(({ id }) => id)).toEqual([transfer_id])
})

test('D-99: the list, its pages and filters, and the CSV have transfers between people; the balance and refunds do not', async () => {
  const { user, friend, app, client, tokens, transfer_id } = await sent()
  const { transfer_id: spent } = await tokens.api.result(spendPoints, { body: { amount: 5, reference: 'gift 7' } })
  const { transfer_id: later } = await tokens.api.result(transferPoints, { body: { amount: 2, to_user_id: friend.id } })
  const ids = async (query: object) =>
    (await client.result(payments.listAppTransfers, { query })).data.map(({ id }) => id)
  expect(await ids({})).toEqual([later, spent, transfer_id])
  expect(await ids({ kind: 'transfer' })).toEqual([later, transfer_id])
  expect(await ids({ kind: 'spend' })).toEqual([spent])
  expect(await ids({ reference: 'gift 7' })).toEqual([spent, transfer_id])
  expect(await ids({ reference: 'gift 7', kind: 'transfer' })).toEqual([transfer_id])
  expect(await ids({ user_id: user.id })).toEqual([later, spent, transfer_id])
  expect(await ids({ user_id: friend.id })).toEqual([later, transfer_id])
  expect(await ids({ user_id: friend.id, reference: 'gift 7' })).toEqual([transfer_id])
  const first = await client.result(payments.listAppTransfers, { query: { limit: 1 } })
  const cursor = first.next_cursor!
  expect(await ids({ limit: 2, cursor })).toEqual([spent, transfer_id])

  const { text } = await raw(plaza, 'GET', '/api/app/transfers.csv', { headers: { authorization: basicOf(app) } })
  const row = text.split('\r\n').find((line) => line.startsWith(transfer_id))
  expect(row?.replace(/,20[^,]*Z,/, ',then,')).toBe(
    `${transfer_id},then,transfer,between,30,,${user.id},gift 7,,,,"{""card"":""birthday""}",${friend.id}`,
  )
  expect(await client.result(payments.getOwnBalance)).toMatchObject({ points: 5, total_earned: 5, total_spent: 0 })
  expect(outcome(await client.call(payments.createRefund, { body: { transfer_id } }))).toEqual(refused('not_found'))
})

test('D-96: the owner reads both names, and finds the reference among all apps', async () => {
  const { user, friend, app, transfer_id } = await sent()
  const owner = app.owner.api
  const params = { id: app.id }
  const names = { direction: 'between', username: user.username, to_username: friend.username }
  expect((await owner.result(of_owner.listTransfersOfMyApp, { params })).data).toMatchObject([names])
  const detail = await owner.result(of_owner.getTransferOfMyApp, { params: { ...params, transfer_id } })
  expect(detail).toMatchObject({ transfer: names, refundable_amount: 0, deliveries: [], hold: null })
  const found = await owner.result(of_owner.searchMyApps, { query: { q: 'gift 7' } })
  expect(found.payments.map(({ app_id }) => app_id)).toEqual([app.id])
})

test('D-96: only its app and the person can read a reference, not the person’s other apps', async () => {
  const { user, app, transfer_id } = await sent()
  const readers: Scope[] = ['points:read', 'points:spend']
  const other = await someApp(plaza, { scopes: readers })
  const theirs = await someTokens(plaza, other, user, readers)
  const { transfer_id: own } = await theirs.api.result(spendPoints, { body: { amount: 1, reference: 'gift 7' } })
  const list = async (query: object) =>
    (await theirs.api.result(pointsHistory, { query })).data.map(({ id, reference }) => [id, reference])
  expect((await list({})).slice(0, 2)).toEqual([
    [own, 'gift 7'],
    [transfer_id, null],
  ])
  expect(await list({ reference: 'gift 7' })).toEqual([[own, 'gift 7']])
  expect(await list({ reference: 'gift 7', app_id: other.id })).toEqual([[own, 'gift 7']])
  expect(await list({ reference: 'gift 7', app_id: app.id })).toEqual([])
  expect(await list({ app_id: app.id })).toEqual([[transfer_id, null]])
  const mine = (await user.api.result(myPointsHistory, { query: { reference: 'gift 7' } })).data.map(({ id }) => id)
  expect(mine).toEqual([own, transfer_id])
})

test('D-106: after the sender has left, the transfer remains without its texts', async () => {
  const { user, friend, client, transfer_id } = await sent()
  await user.api.result(deleteAccount, { body: { password: user.password } })
  const read = () => client.result(payments.getAppTransfer, { params: { id: transfer_id } })
  await waitUntil(async () => (await read()).transfer.metadata === null, 'the erasure of what the app noted')
  expect((await read()).transfer).toMatchObject({ amount: 30, to_user_id: friend.id, reference: null })
})

test('D-99: among very many transfers of others only those of the app are read', async () => {
  const { app, transfer_id } = await sent()
  await plaza.db.sql`
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
    select gen_random_uuid(), 'transfer', gen_random_uuid(), gen_random_uuid(), 1, 1, 1, gen_random_uuid(), now()
      from generate_series(1, 5000)`
  await plaza.db.pool.query('analyze transfers')
  const readsOf = await countReadsOf(plaza, 'transfers')
  const { sequential, all } = await readsOf(async (url) => {
    for (const query of [{}, { kind: 'transfer' as const }]) {
      const { data } = await new PlazaClient(url, app).result(payments.listAppTransfers, { query })
      expect(data.map(({ id }) => id)).toEqual([transfer_id])
    }
  })
  expect([sequential, all > 0, all < 20]).toEqual([0, true, true])
})
