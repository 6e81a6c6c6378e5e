import { expect, test } from 'vitest'
import { updateUser as adminUpdateUser } from '../../contract/admin.ts'
import { listFriends, listPendingFriends, removeFriend } from '../../contract/social.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { befriend, callAnswer, callRequest, requestedBy, someUsers, twoUsers } from '../test/social-world.ts'
import { someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const unknown_id = '01890000-0000-7000-8000-000000000000'

const people = (count: number) => someUsers(plaza, count)
const couple = () => twoUsers(plaza)

const remove = async (user: SomeUser, id: string) => outcome(await user.api.call(removeFriend, { params: { id } }))
const friendsOf = (user: SomeUser) => user.api.result(listFriends)
const pendingOf = (user: SomeUser) => user.api.result(listPendingFriends)
const no_look = { display_name: null, picture_url: null }
const asFriend = ({ id, username, email }: SomeUser) => ({ id, username, ...no_look, email })

/** The stored friendships of the two. */
const stored = (one: SomeUser, other: SomeUser) =>
  plaza.db.sql<{ id: string; status: string; requester_id: string }>`
    select id, status, requester_id from friendships
     where low_id = least(${one.id}::uuid, ${other.id}::uuid) and high_id = greatest(${one.id}::uuid, ${other.id}::uuid)`

/** Expects that both list each other as friends and nothing is pending, or that both lists are empty. */
async function expectBetween(one: SomeUser, other: SomeUser, are: 'friends' | 'strangers') {
  expect(await friendsOf(one)).toEqual(are === 'friends' ? [asFriend(other)] : [])
  expect(await friendsOf(other)).toEqual(are === 'friends' ? [asFriend(one)] : [])
  expect([await pendingOf(one), await pendingOf(other)]).toEqual([[], []])
}

test('spec friends: a request waits in the pending list of the addressee alone; accepted, both are friends', async () => {
  const [anna, berta] = await couple()
  const sent_at = plaza.clock.now().toISOString()
  const [status, body] = await callRequest(anna, berta.id)
  const { friendship_id } = body as { friendship_id: string }
  expect([status, body]).toEqual([201, { friendship_id, status: 'pending' }])
  expect(friendship_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  expect(await pendingOf(berta)).toEqual([{ friendship_id, id: anna.id, username: anna.username, ...no_look, sent_at }])
  expect([await pendingOf(anna), await friendsOf(anna), await friendsOf(berta)]).toEqual([[], [], []])
  expect(await callAnswer(berta, friendship_id, 'accept')).toEqual([200, { status: 'accepted' }])
  await expectBetween(anna, berta, 'friends')
})

test('spec friends: a rejected request leaves both lists empty', async () => {
  const [anna, berta] = await couple()
  expect(await callAnswer(berta, await requestedBy(anna, berta), 'reject')).toEqual([200, { status: 'rejected' }])
  await expectBetween(anna, berta, 'strangers')
})

test('spec friends: friends come by name, requests newest first; other people’s are not shown', async () => {
  const [user, ...others] = (await people(4)) as [SomeUser, ...SomeUser[]]
  for (const other of others) {
    await requestedBy(other, user)
    plaza.clock.advance(1)
  }
  await befriend(...(await couple()))
  expect((await pendingOf(user)).map(({ id }) => id)).toEqual(others.map(({ id }) => id).reverse())
  for (const { friendship_id } of await pendingOf(user)) await callAnswer(user, friendship_id, 'accept')
  const by_name = [...others].sort((a, b) => (a.username < b.username ? -1 : 1))
  expect(await friendsOf(user)).toEqual(by_name.map(asFriend))
})

test('D-70: the request of a user who was suspended afterwards is not shown', async () => {
  const [user, gone] = await couple()
  await requestedBy(gone, user)
  await (await theAdmin(plaza)).api.result(adminUpdateUser, { params: { id: gone.id }, body: { suspended: true } })
  expect(await pendingOf(user)).toEqual([])
})

test('D-70: a suspended friend is not shown, and is again after the suspension', async () => {
  const [anna, berta] = await couple()
  await befriend(anna, berta)
  const suspend = async (suspended: boolean) =>
    (await theAdmin(plaza)).api.result(adminUpdateUser, { params: { id: berta.id }, body: { suspended } })
  await suspend(true)
  expect(await friendsOf(anna)).toEqual([])
  await suspend(false)
  expect(await friendsOf(anna)).toEqual([asFriend(berta)])
})

test('D-70: repeating a request returns the same one with 200, whether pending or accepted', async () => {
  const [anna, berta] = await couple()
  const friendship_id = await requestedBy(anna, berta)
  expect(await callRequest(anna, berta.id)).toEqual([200, { friendship_id, status: 'pending' }])
  expect(await callRequest(anna, berta.id.toUpperCase())).toEqual([200, { friendship_id, status: 'pending' }])
  expect(await pendingOf(berta)).toHaveLength(1)
  await callAnswer(berta, friendship_id, 'accept')
  expect(await callRequest(anna, berta.id)).toEqual([200, { friendship_id, status: 'accepted' }])
  expect(await callRequest(berta, anna.id)).toEqual([200, { friendship_id, status: 'accepted' }])
  await expectBetween(anna, berta, 'friends')
})

test('D-70: a crossing request accepts, with 200', async () => {
  const [anna, berta] = await couple()
  const friendship_id = await requestedBy(anna, berta)
  expect(await callRequest(berta, anna.id)).toEqual([200, { friendship_id, status: 'accepted' }])
  await expectBetween(anna, berta, 'friends')
})

test('D-70: only the addressee answers: the requester is 403, a third user 404, and it stays pending', async () => {
  const [anna, berta] = await couple()
  const id = await requestedBy(anna, berta)
  for (const action of ['accept', 'reject'] as const) {
    expect(await callAnswer(anna, id, action)).toEqual(refused('forbidden'))
    expect(await callAnswer(await someUser(plaza), id, action)).toEqual(refused('not_found'))
    expect(await callAnswer(berta, unknown_id, action)).toEqual(refused('not_found'))
  }
  expect(await stored(anna, berta)).toEqual([{ id, status: 'pending', requester_id: anna.id }])
})

test('D-70: an answer needs a pending request: afterwards it is 409 and changes nothing', async () => {
  for (const first of ['accept', 'reject'] as const) {
    const [anna, berta] = await couple()
    const id = await requestedBy(anna, berta)
    await callAnswer(berta, id, first)
    expect(await callAnswer(berta, id, 'accept')).toEqual(refused('not_allowed_now'))
    expect(await callAnswer(berta, id, 'reject')).toEqual(refused('not_allowed_now'))
    expect(await callAnswer(anna, id, 'accept')).toEqual(refused('forbidden'))
    await expectBetween(anna, berta, first === 'accept' ? 'friends' : 'strangers')
  }
})

test('D-70: either of the two ends a friendship, repeatably; a third user is 404 and ends nothing', async () => {
  for (const who of [0, 1] as const) {
    const pair = await couple()
    const id = await befriend(...pair)
    expect(await remove(await someUser(plaza), id)).toEqual(refused('not_found'))
    await expectBetween(...pair, 'friends')
    expect(await remove(pair[who], id)).toEqual([200, { status: 'removed' }])
    expect(await remove(pair[who], id.toUpperCase())).toEqual([200, { status: 'removed' }])
    expect(await remove(pair[1 - who] as SomeUser, id)).toEqual([200, { status: 'removed' }])
    await expectBetween(...pair, 'strangers')
    expect(await callAnswer(pair[1], id, 'accept')).toEqual(refused('not_allowed_now'))
  }
  expect(await remove(await someUser(plaza), unknown_id)).toEqual(refused('not_found'))
})

test('D-70: removing a request withdraws it; it cannot be accepted afterwards', async () => {
  const [anna, berta] = await couple()
  const id = await requestedBy(anna, berta)
  expect(await remove(anna, id)).toEqual([200, { status: 'removed' }])
  expect(await callAnswer(berta, id, 'accept')).toEqual(refused('not_allowed_now'))
  await expectBetween(anna, berta, 'strangers')
})

test('D-70: after a rejection or removal a new request of either user is pending again, under the same id', async () => {
  for (const end of ['reject', 'remove'] as const) {
    const [anna, berta] = await couple()
    const friendship_id = await requestedBy(anna, berta)
    await (end === 'reject' ? callAnswer(berta, friendship_id, 'reject') : remove(berta, friendship_id))
    plaza.clock.advance(60)
    expect(await callRequest(anna, berta.id)).toEqual([201, { friendship_id, status: 'pending' }])
    expect(await friendsOf(anna)).toEqual([])
    const sent_at = plaza.clock.now().toISOString()
    expect(await pendingOf(berta)).toEqual([
      { friendship_id, id: anna.id, username: anna.username, ...no_look, sent_at },
    ])

    await remove(anna, friendship_id)
    expect(await callRequest(berta, anna.id)).toEqual([201, { friendship_id, status: 'pending' }])
    expect(await callAnswer(berta, friendship_id, 'accept')).toEqual(refused('forbidden'))
    expect(await callAnswer(anna, friendship_id, 'accept')).toEqual([200, { status: 'accepted' }])
    await expectBetween(anna, berta, 'friends')
    expect(await stored(anna, berta)).toHaveLength(1)
  }
})
