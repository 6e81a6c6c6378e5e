import { expect, test } from 'vitest'
import { setChatMute } from '../../contract/admin-moderation.ts'
import { updateUser } from '../../contract/admin.ts'
import { login } from '../../contract/accounts.ts'
import { listNotices } from '../../contract/notices.ts'
import { myPointsHistory } from '../../contract/points.ts'
import {
  cancelPointRequest,
  declinePointRequest,
  listPointRequests,
  payPointRequest,
  requestPoints,
  sendPoints,
} from '../../contract/sending.ts'
import { blockUser } from '../../contract/social.ts'
import { setEmailVerified } from '../accounts/store.ts'
import { race, startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { befriend, twoUsers } from '../test/social-world.ts'
import { digestTables } from '../test/table-digests.ts'
import { givePoints, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await startTestService({ SEND_PROOF_ABOVE: '100', SEND_DAILY_LIMIT: '300', JWT_TTL: '4000000' })

/** Two friends; the first has points. */
async function friends(points = 1_000) {
  const [anna, berta] = await twoUsers(plaza)
  await befriend(anna, berta)
  await givePoints(plaza, anna, points)
  return [anna, berta] as const
}
const send = ({ api }: SomeUser, to: SomeUser, amount: number, key?: string) =>
  api.call(sendPoints, {
    body: { to_user_id: to.id, amount, description: 'shit happens' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
const pointsOf = async ({ id }: SomeUser) => {
  const [row] = await plaza.db.sql<{ points: number }>`
    select credited - debited as points from point_accounts where id = ${id}`
  return row!.points
}
const ask = (asker: SomeUser, asked: SomeUser, amount = 20) =>
  asker.api.result(requestPoints, { body: { from_user_id: asked.id, amount, description: 'shit lunch' } })

test('D-137: a person sends points, once for each key; both see the other in their history', async () => {
  const [anna, berta] = await friends()
  const sent = await send(anna, berta, 40, 'key 1')
  expect(outcome(sent)).toEqual([
    200,
    { success: true, points: 960, amount_transferred: 40, transfer_id: expect.any(String) as string },
  ])
  expect((await send(anna, berta, 40, 'key 1')).body).toEqual(sent.body)
  expect(outcome(await send(anna, berta, 41, 'key 1'))).toEqual(refused('idempotency_key_reused'))
  const [out] = (await anna.api.result(myPointsHistory)).data
  expect(out).toMatchObject({ kind: 'direct', direction: 'out', description: '**** happens', app_id: null })
  expect(out).toMatchObject({ other_user_id: berta.id, other_username: berta.username })
  const [into] = (await berta.api.result(myPointsHistory)).data
  expect(into).toMatchObject({ kind: 'direct', direction: 'in', amount: 40, other_username: anna.username })
  expect([await pointsOf(anna), await pointsOf(berta)]).toEqual([960, 40])
})

test('D-137: a sending that is refused moves nothing', async () => {
  const [anna, berta] = await friends(50)
  const [blocker, blocked, suspended, unverified, muted] = await Promise.all([1, 2, 3, 4, 5].map(() => someUser(plaza)))
  await blocker!.api.result(blockUser, { body: { user_id: anna.id } })
  await anna.api.result(blockUser, { body: { user_id: blocked!.id } })
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: suspended!.id }, body: { suspended: true } })
  await plaza.db.sql`update users set email_verified = false where id = ${unverified!.id}`
  const muted_until = new Date(plaza.clock.now().getTime() + 3_600_000).toISOString()
  await admin.api.result(setChatMute, { params: { id: muted!.id }, body: { muted_until, reason: 'Shouting' } })
  const nobody = { ...anna, id: '0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f' }
  const before = await digestTables(plaza)
  for (const other of [blocker!, blocked!, suspended!, nobody]) {
    expect(outcome(await send(anna, other, 1))).toEqual(refused('user_not_found'))
    const body = { from_user_id: other.id, amount: 1 }
    expect(outcome(await anna.api.call(requestPoints, { body }))).toEqual(refused('user_not_found'))
  }
  expect(outcome(await send(anna, berta, 51))).toEqual(refused('insufficient_points'))
  expect(outcome(await send(unverified!, berta, 1))).toEqual(refused('email_not_verified'))
  expect(await send(muted!, berta, 1)).toMatchObject({ status: 403, body: { error: 'muted', muted_until } })
  expect((await send(anna, anna, 1)).status).toBe(422)
  const body = { from_user_id: muted!.id, amount: 1 }
  expect(outcome(await anna.api.call(requestPoints, { body }))).toEqual(refused('not_friends'))
  expect(await digestTables(plaza)).toEqual(before)
  await setEmailVerified(plaza.db, unverified!.id)
})

test('D-137: more than an amount at once needs a proof, more than the limit of a day is refused', async () => {
  const [anna, berta] = await friends()
  plaza.clock.advance(301)
  expect(outcome(await send(anna, berta, 101))).toEqual(refused('proof_required'))
  expect((await send(anna, berta, 100, 'small')).status).toBe(200)
  const { token } = await anna.api.result(login, { body: { email: anna.email, password: anna.password } })
  const proved = { ...anna, api: anna.api.withToken(token) }
  expect((await send(proved, berta, 101)).status).toBe(200)
  expect(outcome(await send(proved, berta, 100))).toEqual(refused('send_limit_reached'))
  const results = await race(plaza, 8, () => send(proved, berta, 33))
  expect(results.filter(({ status }) => status === 200)).toHaveLength(3)
  expect((await send(anna, berta, 100, 'small')).status).toBe(200)
  plaza.clock.advance(86_401)
  expect((await send(anna, berta, 100)).status).toBe(200)
  expect(await pointsOf(berta)).toBe(400)
})

test('D-137: a friend pays a request once, however many calls pay, decline and cancel it', async () => {
  const [anna, berta] = await friends()
  const asked = await ask(berta, anna)
  expect(asked).toMatchObject({ direction: 'out', status: 'open', description: '**** lunch', other_user_id: anna.id })
  expect((await anna.api.result(listNotices)).data[0]).toMatchObject({ event: 'points_requested', amount: 20 })
  const params = { params: { id: asked.id } }
  expect(outcome(await berta.api.call(payPointRequest, params))).toEqual(refused('not_found'))
  expect(outcome(await anna.api.call(cancelPointRequest, params))).toEqual(refused('not_found'))
  const calls = [
    () => anna.api.call(payPointRequest, params),
    () => anna.api.call(declinePointRequest, params),
    () => berta.api.call(cancelPointRequest, params),
  ]
  const results = await race(plaza, 12, (at) => calls[at % 3]!())
  const [won, ...more] = results.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  for (const lost of results.filter((result) => result !== won))
    expect(outcome(lost)).toEqual(refused('request_closed'))
  const [request] = (await anna.api.result(listPointRequests, { query: { direction: 'in' } })).data
  expect(await pointsOf(berta)).toBe(request!.status === 'paid' ? 20 : 0)
  const paid = await anna.api.result(payPointRequest, { params: { id: (await ask(berta, anna)).id } })
  expect(paid).toMatchObject({ status: 'paid', transfer_id: expect.any(String) as string })
  const [movement] = (await anna.api.result(myPointsHistory)).data
  expect(movement).toMatchObject({ id: paid.transfer_id, description: '**** lunch', other_username: berta.username })
})

test('D-137: a request is declined or cancelled with a notice, expires, and at most 20 are open', async () => {
  const [anna, berta] = await friends(10)
  const [one, two] = [await ask(berta, anna), await ask(berta, anna)]
  expect(outcome(await anna.api.call(payPointRequest, { params: { id: one.id } }))).toEqual(
    refused('insufficient_points'),
  )
  await anna.api.result(declinePointRequest, { params: { id: one.id } })
  await berta.api.result(cancelPointRequest, { params: { id: two.id } })
  expect((await anna.api.result(listNotices)).data.map(({ event }) => event)).not.toContain('points_requested')
  expect((await berta.api.result(listNotices)).data[0]).toMatchObject({ event: 'points_request_declined' })
  const body = { from_user_id: anna.id, amount: 1 }
  const results = await race(plaza, 24, () => berta.api.call(requestPoints, { body }))
  expect(results.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(outcome(results.find(({ status }) => status !== 201)!)).toEqual(refused('too_many_open_requests'))
  plaza.clock.advance(30 * 86_400)
  const [late] = (await berta.api.result(listPointRequests, { query: { status: 'expired', limit: 1 } })).data
  expect(outcome(await anna.api.call(payPointRequest, { params: { id: late!.id } }))).toEqual(refused('request_closed'))
})

test('D-71: a block ends the open requests of the two without a notice to either, and no other', async () => {
  const [anna, berta] = await friends()
  const carla = await someUser(plaza)
  await befriend(anna, carla)
  const other = await ask(carla, anna)
  await ask(berta, anna)
  await ask(anna, berta)
  await anna.api.result(blockUser, { body: { user_id: berta.id } })
  const requestsOf = async ({ api }: SomeUser) =>
    (await api.result(listPointRequests)).data.map(({ status, other_user_id: id }) => [status, id])
  expect(await requestsOf(anna)).toEqual([
    ['cancelled', berta.id],
    ['declined', berta.id],
    ['open', carla.id],
  ])
  const about = async ({ api }: SomeUser) =>
    (await api.result(listNotices)).data.flatMap(({ kind, subject_id }) => (kind === 'points' ? [subject_id] : []))
  expect([await about(anna), await about(berta)]).toEqual([[carla.id], []])
  expect((await anna.api.result(payPointRequest, { params: { id: other.id } })).status).toBe('paid')
})

test('D-71: requests and payments at the moment of a block come before it, or not at all', async () => {
  const [anna, berta] = await friends()
  const body = { from_user_id: berta.id, amount: 1 }
  const calls: (() => Promise<{ status: number }>)[] = [
    () => anna.api.call(requestPoints, { body }),
    () => send(anna, berta, 1),
    () => berta.api.call(blockUser, { body: { user_id: anna.id } }),
  ]
  const statuses = (await race(plaza, 15, (at) => calls[at % 3]!())).map(({ status }) => status)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  expect((await anna.api.result(listPointRequests, { query: { status: 'open' } })).data).toEqual([])
})
