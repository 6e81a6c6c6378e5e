import { expect, test } from 'vitest'
import { checkLedger, updateUser } from '../../contract/admin.ts'
import { failures } from '../../contract/errors.ts'
import { getAppBalance, getPoints, myPointsHistory, spendPoints, transferPoints } from '../../contract/points.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused } from '../test/refusals.ts'
import { givePoints, pointsOf, someApp, someTokens, someUser, theAdmin, world } from '../test/world.ts'

const plaza = await sharedService()
const all_scopes = ['profile:read', 'points:read', 'points:spend', 'points:transfer', 'app:balance:read'] as const
const rich = (points: number) => world(plaza, { points, scopes: [...all_scopes] })
const books = async () => (await theAdmin(plaza)).api.result(checkLedger)

test('spec points/spend: takes the points, credits the operator, and answers the new balance', async () => {
  const { user, tokens } = await rich(100)
  const reply = await tokens.api.call(spendPoints, { body: { amount: 30, description: 'a hat' } })
  const transfer_id = (await user.api.result(myPointsHistory)).data[0]?.id
  expect([reply.status, reply.body]).toEqual([200, { success: true, points: 70, amount_spent: 30, transfer_id }])
  expect(await pointsOf(user)).toBe(70)
  expect(await tokens.api.result(getAppBalance)).toEqual({ points: 30 })
  expect(await tokens.api.result(getPoints)).toEqual({ points: 70, held: 0 })
})

test('D-46 insufficient_points: 409 and nothing is written', async () => {
  const { user, tokens } = await rich(20)
  const reply = await tokens.api.call(spendPoints, { body: { amount: 21 } })
  const { status, message } = failures.insufficient_points
  expect([reply.status, reply.body]).toEqual([status, { error: 'insufficient_points', message }])
  expect(await pointsOf(user)).toBe(20)
  expect((await user.api.result(myPointsHistory)).data.map(({ kind }) => kind)).toEqual(['award'])
})

test('spec points/transfer: moves points between users; both histories show it', async () => {
  const { user, tokens } = await rich(50)
  const friend = await someUser(plaza)
  const reply = await tokens.api.call(transferPoints, {
    body: { amount: 20, to_user_id: friend.id, description: 'thanks' },
  })
  const transfer_id = (await user.api.result(myPointsHistory)).data[0]?.id
  expect([reply.status, reply.body]).toEqual([200, { success: true, points: 30, amount_transferred: 20, transfer_id }])
  expect([await pointsOf(user), await pointsOf(friend)]).toEqual([30, 20])
  const [received] = (await friend.api.result(myPointsHistory)).data
  expect(received).toMatchObject({
    kind: 'transfer',
    direction: 'in',
    amount: 20,
    points_after: 20,
    other_user_id: user.id,
  })
})

test('D-46 transfers to oneself, to an unknown user, to an app or to a system account are refused and change nothing', async () => {
  const { user, app, tokens } = await rich(50)
  const to = async (to_user_id: string) => {
    const reply = await tokens.api.call(transferPoints, { body: { amount: 1, to_user_id } })
    return [reply.status, !reply.ok && reply.body.error]
  }
  expect(await to(user.id)).toEqual([422, 'validation_failed'])
  expect(await to(user.id.toUpperCase())).toEqual([422, 'validation_failed'])
  expect(await to('01890000-0000-7000-8000-000000000000')).toEqual([404, 'user_not_found'])
  expect(await to(app.id)).toEqual([404, 'user_not_found'])
  expect(await to('00000000-0000-7000-8000-000000000001')).toEqual([404, 'user_not_found'])
  expect(await pointsOf(user)).toBe(50)
})

test('D-89: a transfer to a suspended user is refused like one to an unknown user; after the suspension it succeeds', async () => {
  const { user, tokens } = await rich(50)
  const friend = await someUser(plaza)
  const admin = await theAdmin(plaza)
  const send = (key?: string) =>
    tokens.api.call(transferPoints, {
      body: { amount: 10, to_user_id: friend.id },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  const before = await send('before')
  const suspend = (suspended: boolean) =>
    admin.api.result(updateUser, { params: { id: friend.id }, body: { suspended } })
  await suspend(true)
  for (const key of [undefined, 'new']) expect(outcome(await send(key))).toEqual(refused('user_not_found'))
  const again = await send('before')
  expect([again.headers.get('idempotency-replayed'), ...outcome(again)]).toEqual(['true', ...outcome(before)])
  expect(await pointsOf(user)).toBe(40)
  await suspend(false)
  const later = await send('new')
  expect([later.headers.get('idempotency-replayed'), later.status]).toEqual([null, 200])
  expect(await pointsOf(user)).toBe(30)
  expect((await books()).balanced).toBe(true)
})

test('an id in capital letters is the same account', async () => {
  const { user, tokens } = await rich(10)
  const friends = [await someUser(plaza), await someUser(plaza)]
  for (const friend of friends)
    await tokens.api.result(transferPoints, { body: { amount: 2, to_user_id: friend.id.toUpperCase() } })
  await givePoints(plaza, { id: user.id.toUpperCase() }, 5)
  expect(await Promise.all([user, ...friends].map(pointsOf))).toEqual([11, 2, 2])
  expect(await books()).toMatchObject({ balanced: true })
})

test('D-45 a balance never passes its bound: award and transfer are refused with points_limit_reached', async () => {
  const { user, tokens } = await rich(5)
  const full = await someUser(plaza)
  await givePoints(plaza, full, Number.MAX_SAFE_INTEGER)
  const reply = await tokens.api.call(transferPoints, { body: { amount: 1, to_user_id: full.id } })
  expect([reply.status, !reply.ok && reply.body.error]).toEqual([409, 'points_limit_reached'])
  await expect(givePoints(plaza, full, 1)).rejects.toThrow('points_limit_reached')
  expect([await pointsOf(user), await pointsOf(full)]).toEqual([5, Number.MAX_SAFE_INTEGER])
  expect(await books()).toMatchObject({ balanced: true, faults: [] })
})

test('a race of 200 spends of 1 on a balance of 100: 100 succeed and report 99 … 0, once each', async () => {
  const { user, tokens } = await rich(100)
  const replies = await race(plaza, 200, () => tokens.api.call(spendPoints, { body: { amount: 1 } }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 100, 409: 100 })
  const reported = replies.flatMap((reply) => (reply.ok ? [reply.body.points] : [])).sort((a, b) => b - a)
  expect(reported).toEqual(Array.from({ length: 100 }, (_, at) => 99 - at))
  expect(await pointsOf(user)).toBe(0)
})

test('D-09: 50 parallel equal spends with one key apply once and get the same response', async () => {
  const { user, tokens } = await rich(100)
  const replies = await race(plaza, 50, () =>
    tokens.api.call(spendPoints, { body: { amount: 7 }, headers: { 'idempotency-key': 'order-1' } }),
  )
  expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(replies[0]?.body).toEqual({
    success: true,
    points: 93,
    amount_spent: 7,
    transfer_id: expect.any(String) as string,
  })
  expect(replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length).toBe(49)
  expect(await pointsOf(user)).toBe(93)
})

test('D-09: the same key with another body is refused; with another user or operation it is another key', async () => {
  const { user, app, tokens } = await rich(100)
  const headers = { 'idempotency-key': 'k' }
  await tokens.api.result(spendPoints, { body: { amount: 1 }, headers })
  const reply = await tokens.api.call(spendPoints, { body: { amount: 2 }, headers })
  expect([reply.status, !reply.ok && reply.body.error]).toEqual([422, 'idempotency_key_reused'])
  const friend = await someUser(plaza)
  await givePoints(plaza, friend, 10)
  const theirs = await someTokens(plaza, app, friend)
  expect(await theirs.api.result(spendPoints, { body: { amount: 2 }, headers })).toMatchObject({ points: 8 })
  const transfer = { amount: 2, to_user_id: friend.id }
  expect(await tokens.api.result(transferPoints, { body: transfer, headers })).toMatchObject({ points: 97 })
  expect(await pointsOf(user)).toBe(97)
})

test('D-09: a refusal is not stored, so the same key may succeed after a top-up', async () => {
  const { user, tokens } = await rich(1)
  const spend = { body: { amount: 5 }, headers: { 'idempotency-key': 'later' } }
  expect((await tokens.api.call(spendPoints, spend)).status).toBe(409)
  await givePoints(plaza, user, 10)
  const reply = await tokens.api.call(spendPoints, spend)
  expect([reply.status, reply.headers.get('idempotency-replayed')]).toEqual([200, null])
})

test('opposite transfers in tight loops never deadlock and conserve the sum', async () => {
  const [app, anna, berta] = [
    await someApp(plaza, { scopes: [...all_scopes] }),
    await someUser(plaza),
    await someUser(plaza),
  ]
  await givePoints(plaza, anna, 1000)
  await givePoints(plaza, berta, 1000)
  const other = await plaza.startAnother()
  const [from_anna, from_berta] = [await someTokens(plaza, app, anna), await someTokens(other, app, berta)]
  const replies = await race(plaza, 32, async (at) => {
    const [api, to_user_id] = at % 2 === 0 ? [from_anna.api, berta.id] : [from_berta.api, anna.id]
    const statuses: number[] = []
    for (let turn = 0; turn < 5; turn++)
      statuses.push((await api.call(transferPoints, { body: { amount: 1, to_user_id } })).status)
    return statuses
  })
  expect(countBy(replies.flat(), (status) => status)).toEqual({ 200: 160 })
  expect((await pointsOf(anna)) + (await pointsOf(berta))).toBe(2000)
})

test('D-48 history: pages lose and repeat nothing, filters agree with filtering by hand', async () => {
  const { user, tokens } = await rich(100)
  const friend = await someUser(plaza)
  for (let turn = 0; turn < 6; turn++) {
    await tokens.api.result(spendPoints, { body: { amount: 1 } })
    await tokens.api.result(transferPoints, { body: { amount: 2, to_user_id: friend.id } })
  }
  const all = (await user.api.result(myPointsHistory)).data
  expect(all.length).toBe(13)
  const paged = await rowsOfPages((next) => user.api.result(myPointsHistory, { query: { limit: 4, ...next } }))
  expect(paged).toEqual(all)
  const spends = (await user.api.result(myPointsHistory, { query: { kind: 'spend', direction: 'out' } })).data
  expect(spends).toEqual(all.filter(({ kind }) => kind === 'spend'))
  expect((await user.api.call(myPointsHistory, { query: { cursor: 'nonsense' } })).status).toBe(422)
})

test('the ledger check finds a balance that was tampered with', async () => {
  const { user } = await rich(10)
  expect(await books()).toMatchObject({ balanced: true, faults: [] })
  await plaza.db.sql`update point_accounts set credited = credited + 1 where id = ${user.id}`
  const { balanced, faults } = await books()
  expect(balanced).toBe(false)
  expect(faults.map(({ account_id }) => account_id)).toContain(user.id)
  await plaza.db.sql`update point_accounts set credited = credited - 1 where id = ${user.id}`
})

test('transfers are immutable: the database itself refuses to change or delete one', async () => {
  await rich(1)
  await expect(plaza.db.sql`update transfers set amount = amount + 1`).rejects.toThrow('append-only')
  await expect(plaza.db.sql`delete from transfers`).rejects.toThrow('append-only')
})
