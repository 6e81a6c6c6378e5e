import { expect, test } from 'vitest'
import { updateUser as adminUpdateUser } from '../../contract/admin.ts'
import { blockUser, listBlocks, listFriends, listPendingFriends, unblockUser } from '../../contract/social.ts'
import { race, sharedService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused } from '../test/refusals.ts'
import { callAnswer, callRequest, inProcess, requestedBy, someUsers, twoUsers } from '../test/social-world.ts'
import { raw, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const elsewhere = await plaza.startAnother()
const unknown_id = '01890000-0000-7000-8000-000000000000'
const blocked_answer = [200, { status: 'blocked' }]
const unblocked_answer = [200, { status: 'unblocked' }]

const people = (count: number) => someUsers(plaza, count)
const couple = () => twoUsers(plaza)
const overThere = (user: SomeUser) => inProcess(elsewhere, user)

const block = async (user: SomeUser, user_id: string) => outcome(await user.api.call(blockUser, { body: { user_id } }))
const unblock = async (user: SomeUser, user_id: string) =>
  outcome(await user.api.call(unblockUser, { params: { user_id } }))
const blocksOf = async (user: SomeUser) => (await user.api.result(listBlocks)).data
const blockedIds = async (user: SomeUser) => (await blocksOf(user)).map(({ user_id }) => user_id)
const lists = async (user: SomeUser) => [await user.api.result(listFriends), await user.api.result(listPendingFriends)]
const nothing = [[], []]

test('spec block and unblock: `blocked` and `unblocked`, repeatably; the list has the person and the time', async () => {
  const [anna, berta] = await couple()
  const blocked_at = plaza.clock.now().toISOString()
  expect(await unblock(anna, berta.id)).toEqual(unblocked_answer)
  expect(await block(anna, berta.id)).toEqual(blocked_answer)
  plaza.clock.advance(60)
  expect(await block(anna, berta.id.toUpperCase())).toEqual(blocked_answer)
  expect(await blocksOf(anna)).toEqual([{ user_id: berta.id, username: berta.username, blocked_at }])
  expect(await blocksOf(berta)).toEqual([])
  expect(await unblock(anna, berta.id.toUpperCase())).toEqual(unblocked_answer)
  expect(await unblock(anna, berta.id)).toEqual(unblocked_answer)
  expect(await blocksOf(anna)).toEqual([])
})

test('D-71: removing a block that does not exist succeeds', async () => {
  const user = await someUser(plaza)
  expect(await unblock(user, unknown_id)).toEqual(unblocked_answer)
  expect(await unblock(user, user.id)).toEqual(unblocked_answer)
  expect(await blocksOf(user)).toEqual([])
})

test('D-71: a block ends a friendship for both, and lifting it does not bring the friendship back', async () => {
  for (const who of [0, 1] as const) {
    const pair = await couple()
    const [blocker, other] = who === 0 ? pair : [pair[1], pair[0]]
    const friendship_id = await requestedBy(...pair)
    await callAnswer(pair[1], friendship_id, 'accept')
    expect(await block(blocker, other.id)).toEqual(blocked_answer)
    expect([await lists(blocker), await lists(other)]).toEqual([nothing, nothing])
    await unblock(blocker, other.id)
    expect([await lists(blocker), await lists(other)]).toEqual([nothing, nothing])
    expect(await callRequest(other, blocker.id)).toEqual([201, { friendship_id, status: 'pending' }])
  }
})

test('D-71: a block ends a pending request, which can no longer be accepted; a rejected one stays rejected', async () => {
  for (const who of [0, 1] as const) {
    const pair = await couple()
    const [blocker, other] = who === 0 ? pair : [pair[1], pair[0]]
    const friendship_id = await requestedBy(...pair)
    await block(blocker, other.id)
    expect(await callAnswer(pair[1], friendship_id, 'accept')).toEqual(refused('not_allowed_now'))
    expect([await lists(blocker), await lists(other)]).toEqual([nothing, nothing])
  }
  const [anna, berta] = await couple()
  const id = await requestedBy(anna, berta)
  await callAnswer(berta, id, 'reject')
  await block(berta, anna.id)
  expect(await plaza.db.sql`select status from friendships where id = ${id}`).toEqual([{ status: 'rejected' }])
})

test('D-71: the request of a blocked user is answered like one to an unknown user, byte for byte, and writes nothing', async () => {
  const [anna, berta] = await couple()
  await block(anna, berta.id)
  const request = (friend_id: string) =>
    raw(plaza, 'POST', '/api/social/friends', {
      headers: { authorization: `Bearer ${berta.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ friend_id }),
    })
  const [to_blocker, to_unknown] = [await request(anna.id), await request(unknown_id)]
  const visible = (reply: typeof to_unknown) => [
    reply.status,
    reply.text,
    [...reply.headers].filter(([name]) => name !== 'date' && !name.includes('request-id')),
  ]
  expect(visible(to_blocker)).toEqual(visible(to_unknown))
  expect(outcome(to_blocker)).toEqual(refused('user_not_found'))
  expect([await lists(anna), await lists(berta)]).toEqual([nothing, nothing])
  expect(await plaza.db.sql`select 1 from friendships where ${anna.id} in (low_id, high_id)`).toEqual([])
})

test('D-71: the blocker’s own request is 409 `blocked`, also when the other one has blocked too or is suspended', async () => {
  const [anna, berta] = await couple()
  await block(anna, berta.id)
  expect(await callRequest(anna, berta.id)).toEqual(refused('blocked'))
  await block(berta, anna.id)
  expect(await callRequest(anna, berta.id)).toEqual(refused('blocked'))
  await (await theAdmin(plaza)).api.result(adminUpdateUser, { params: { id: berta.id }, body: { suspended: true } })
  expect(await callRequest(anna, berta.id)).toEqual(refused('blocked'))
  expect(await block(anna, berta.id)).toEqual(blocked_answer)
  expect(await blockedIds(anna)).toEqual([berta.id])
  expect(await lists(anna)).toEqual(nothing)
})

test('D-71: of two users who blocked each other, each removes only the own block', async () => {
  const [anna, berta] = await couple()
  await block(anna, berta.id)
  await block(berta, anna.id)
  await unblock(anna, berta.id)
  expect([await blockedIds(anna), await blockedIds(berta)]).toEqual([[], [anna.id]])
  expect(await callRequest(anna, berta.id)).toEqual(refused('user_not_found'))
  expect(await callRequest(berta, anna.id)).toEqual(refused('blocked'))
  await unblock(berta, anna.id)
  expect((await callRequest(anna, berta.id))[0]).toBe(201)
})

test('D-71: the list of blocks comes in pages, newest first, that lose and repeat nothing', async () => {
  const [user, ...others] = (await people(6)) as [SomeUser, ...SomeUser[]]
  for (const { id } of others) await block(user, id)
  const all = await blockedIds(user)
  expect(all).toEqual(others.map(({ id }) => id).reverse())
  const paged = await rowsOfPages((next) => user.api.result(listBlocks, { query: { limit: 2, ...next } }))
  expect(paged.map(({ user_id }) => user_id)).toEqual(all)
})

/** Pairs that are blocked and also pending or friends: there must be none. */
const contradictions = () => plaza.db.sql`
  select f.id from friendships f
    join blocks b on (b.blocker_id, b.blocked_id) in ((f.low_id, f.high_id), (f.high_id, f.low_id))
   where f.status in ('pending', 'accepted')`

test('D-71: 20 rounds of accept against block, on two processes, never leave both friends and blocked', async () => {
  const users = await people(8)
  const pairs = users.flatMap((one) => users.flatMap((other) => (one === other ? [] : [[one, other] as const])))
  for (let round = 0; round < 20; round++) {
    const [anna, berta] = pairs[round % pairs.length] as [SomeUser, SomeUser]
    const id = await requestedBy(anna, berta)
    const blocker = round % 3 === 0 ? berta : anna
    const other = blocker === anna ? berta : anna
    const [accepted, blocked] = await Promise.all([
      callAnswer(round % 2 === 0 ? berta : overThere(berta), id, 'accept'),
      block(round % 2 === 0 ? overThere(blocker) : blocker, other.id),
    ])
    expect(blocked).toEqual(blocked_answer)
    expect([[200, { status: 'accepted' }], refused('not_allowed_now')]).toContainEqual(accepted)
    expect(await contradictions()).toEqual([])
    await unblock(blocker, other.id)
  }
})

/** Repeats a call that was 503 because it waited too long for the pair's row, as on a busy machine. */
async function untilServed(call: () => ReturnType<typeof callRequest>) {
  for (;;) {
    const reply = await call()
    if (reply[0] !== 503) return reply
    expect(reply).toEqual(refused('overloaded'))
  }
}

test('D-71: request, crossing request, accept, block and unblock, repeated in parallel, keep the two consistent', async () => {
  const [anna, berta] = await couple()
  const id = await requestedBy(anna, berta)
  const moves = [
    () => callRequest(anna, berta.id),
    () => callRequest(overThere(berta), anna.id),
    () => callAnswer(berta, id, 'accept'),
    () => block(overThere(anna), berta.id),
    () => unblock(anna, berta.id),
  ]
  for (let round = 0; round < 10; round++) {
    const replies = await race(plaza, 20, (at) =>
      untilServed(moves[at % moves.length] as () => ReturnType<typeof callRequest>),
    )
    expect(replies.filter(([status]) => status >= 500)).toEqual([])
    expect(await contradictions()).toEqual([])
  }
  expect(await plaza.db.sql`select 1 from friendships where id = ${id}`).toHaveLength(1)
})
