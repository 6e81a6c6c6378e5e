import { expect, test } from 'vitest'
import { approveApp } from '../../contract/admin-apps.ts'
import { startTestService } from '../../server/test/harness.ts'
import { someApp, someUser, theAdmin, world } from '../../server/test/world.ts'
import { appCredentials, openPlaza, pagesOf, rowsOf, type PlazaError } from '../src/index.ts'
import { clientFor, clientOf, failureIn } from './people.ts'
import { openRoad } from './road.ts'

const plaza = await startTestService()
const { app, tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
const shop = openPlaza({ url: plaza.url, credentials: appCredentials(app) })

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = []
  for await (const row of rows) list.push(row)
  return list
}

const buyer = clientFor(plaza, tokens)
// Records events from here on.
await shop.listAppEvents()
for (let amount = 1; amount <= 7; amount++) await buyer.spendPoints({ amount })
const newest_first = [7, 6, 5, 4, 3, 2, 1]

test('a list with cursors is read to its end, each row once, and pages are requested only when needed', async () => {
  const road = await openRoad(plaza)
  const api = clientFor(plaza, tokens, road.url)
  const rows = await all(rowsOf(api.pointsHistory, { kind: 'spend', limit: 2 }))
  expect(rows.map(({ amount }) => amount)).toEqual(newest_first)
  expect(road.requests.length).toBe(4)
  for await (const { amount } of rowsOf(api.pointsHistory, { kind: 'spend', limit: 2 })) if (amount === 6) break
  expect(road.requests.length).toBe(5)
  expect((await all(rowsOf(shop.listAppTransfers, { limit: 3 }))).map(({ amount }) => amount)).toEqual(newest_first)
  expect(await all(rowsOf(shop.listHolds))).toEqual([])
})

test('a page that fails on the way is repeated, and nothing is read twice', async () => {
  const road = await openRoad(plaza)
  const amounts: number[] = []
  for await (const { amount } of rowsOf(clientFor(plaza, tokens, road.url).pointsHistory, {
    kind: 'spend',
    limit: 3,
  })) {
    amounts.push(amount)
    if (amounts.length === 3) road.loseAnswers(1)
  }
  expect([amounts, road.requests.length]).toEqual([newest_first, 4])
})

test('D-101: the list of an app’s events ends at the newest event, with a cursor to continue', async () => {
  await expect.poll(async () => (await shop.listAppEvents()).data.length).toBe(7)
  const pages = await all(pagesOf(shop.listAppEvents, { limit: 3 }))
  expect(pages.flatMap(({ data }) => data.map((event) => event.data.amount))).toEqual([1, 2, 3, 4, 5, 6, 7])
  const cursor = pages.at(-1)?.next_cursor ?? undefined
  expect(await all(rowsOf(shop.listAppEvents, { cursor }))).toEqual([])
  await buyer.spendPoints({ amount: 8 })
  const amountsSince = async () => (await all(rowsOf(shop.listAppEvents, { cursor }))).map(({ data }) => data.amount)
  await expect.poll(amountsSince).toEqual([8])
})

test('a list with page numbers is walked to its end', async () => {
  const admin = await theAdmin(plaza)
  const names: string[] = []
  for (let at = 0; at < 5; at++) {
    const { id } = await someApp(plaza, { approved: false })
    const { app_name } = await admin.api.result(approveApp, { params: { id }, body: { listed: true } })
    names.push(app_name)
  }
  const api = openPlaza({ url: plaza.url })
  const pages = await all(pagesOf(api.listPublicOperators, { page_size: 2 }))
  expect(pages.map(({ page, data }) => [page, data.length])).toEqual([
    [1, 2],
    [2, 2],
    [3, 1],
  ])
  const listed = await all(rowsOf(api.listPublicOperators, { page_size: 2 }))
  expect(listed.map(({ app_name }) => app_name).sort()).toEqual(names.sort())
})

test('D-73: messages are read back in time to the first', async () => {
  const person = clientOf(plaza, await someUser(plaza))
  const { id: channel_id } = await person.openChannel({ type: 'table', ref_id: 'pages' })
  const texts = Array.from({ length: 8 }, (_, at) => `message ${at}`)
  for (const body of texts) await person.sendMessage({ channel_id, body })
  const messages = await all(rowsOf(person.listMessages, { channel_id, limit: 3 }))
  expect(messages.map(({ filtered_body }) => filtered_body)).toEqual(texts.toReversed())
})

test('an error ends the iteration', async () => {
  const failure = (await failureIn(all(rowsOf(buyer.pointsHistory, { cursor: 'no cursor' })))) as PlazaError
  expect([failure.code, failure.fields[0]?.path]).toEqual(['validation_failed', 'cursor'])
})

test('D-99: a CSV is a stream, which fails if the connection breaks', async () => {
  const road = await openRoad(plaza)
  const own = openPlaza({ url: road.url, credentials: appCredentials(app) })
  const text = await new Response(await own.exportAppTransfers({ kind: 'spend' })).text()
  const lines = text.trimEnd().split('\r\n')
  expect([lines.length, lines[0]?.startsWith('id,')]).toEqual([9, true])
  road.breakAnswerAfter(200)
  const broken = await own.exportAppTransfers()
  const failure = (await failureIn(new Response(broken).text())) as PlazaError
  expect([failure.code, failure.operation]).toEqual(['no_answer', 'exportAppTransfers'])

  const leaving = new AbortController()
  const left = await own.exportAppTransfers({}, { signal: leaving.signal })
  leaving.abort()
  expect(((await failureIn(new Response(left).text())) as PlazaError).code).toBe('aborted')
  await (await own.exportAppTransfers()).cancel()
  await expect.poll(() => road.open()).toBe(0)
})
