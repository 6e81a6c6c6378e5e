import { expect, test } from 'vitest'
import { listFriends, listPendingFriends, removeFriend } from '../../contract/social.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { callAnswer, callRequest, inProcess, someUsers } from '../test/social-world.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const elsewhere = await plaza.startAnother()
const people = await someUsers(plaza, 10)
/** All 45 pairs of them. */
const pairs = people.flatMap((anna, at) => people.slice(at + 1).map((berta): [SomeUser, SomeUser] => [anna, berta]))

const overThere = (user: SomeUser) => inProcess(elsewhere, user)

/** Repeats a request after 503: a small machine refuses some of many parallel calls before they have an effect. */
async function ask(from: SomeUser, to: SomeUser): Promise<[number, unknown]> {
  const reply = await callRequest(from, to.id)
  return reply[0] === 503 ? ask(from, to) : reply
}
const friendIds = async (user: SomeUser) => (await user.api.result(listFriends)).map(({ id }) => id).sort()
const stored = () => plaza.db.sql<{ id: string; status: string }>`select id, status from friendships`

test('D-70: 30 equal requests at once, on two processes, make one: 201 once', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const replies = await race(plaza, 30, (at) => ask(at % 2 === 0 ? anna : overThere(anna), berta))
  expect(countBy(replies, ([status]) => status)).toEqual({ 200: 29, 201: 1 })
  expect(new Set(replies.map(([, body]) => JSON.stringify(body))).size).toBe(1)
  expect(await berta.api.result(listPendingFriends)).toHaveLength(1)
  await plaza.db.sql`delete from friendships`
})

test('D-70: 45 pairs whose requests cross, all at once on two processes, are accepted, each exactly once', async () => {
  const replies = await race(plaza, pairs.length * 2, (at) => {
    const [anna, berta] = pairs[at >> 1] as [SomeUser, SomeUser]
    return at % 2 === 0 ? ask(anna, berta) : ask(overThere(berta), anna)
  })
  for (const at of pairs.keys()) {
    const both = replies.slice(at * 2, at * 2 + 2)
    const [{ friendship_id }] = both.map(([, body]) => body) as [{ friendship_id: string }]
    expect(both.sort(([one], [other]) => other - one)).toEqual([
      [201, { friendship_id, status: 'pending' }],
      [200, { friendship_id, status: 'accepted' }],
    ])
  }
  expect(countBy(await stored(), ({ status }) => status)).toEqual({ accepted: pairs.length })
  for (const user of people) {
    expect(await friendIds(user)).toEqual(people.flatMap(({ id }) => (id === user.id ? [] : [id])).sort())
    expect(await user.api.result(listPendingFriends)).toEqual([])
  }
  await plaza.db.sql`delete from friendships`
})

test('D-70: of a parallel accept and reject on two processes, one wins, and its status is stored', async () => {
  for (const [anna, berta] of pairs.slice(0, 20)) {
    const [, body] = await ask(anna, berta)
    const { friendship_id } = body as { friendship_id: string }
    const replies = await race(plaza, 6, (at) =>
      callAnswer(at < 3 ? berta : overThere(berta), friendship_id, at % 2 === 0 ? 'accept' : 'reject'),
    )
    const won = replies.filter(([status]) => status === 200)
    expect(won).toHaveLength(1)
    expect(replies.filter(([status]) => status !== 200)).toEqual(Array(5).fill(refused('not_allowed_now')))
    const [row] = await plaza.db.sql<{ status: string }>`select status from friendships where id = ${friendship_id}`
    expect(row).toEqual(won[0]?.[1])
  }
  await plaza.db.sql`delete from friendships`
})

test('D-70: a removal that races with an acceptance ends as removed or came first, and never leaves a request', async () => {
  for (const [anna, berta] of pairs.slice(0, 20)) {
    const [, body] = await ask(anna, berta)
    const { friendship_id: id } = body as { friendship_id: string }
    const [accepted, removed] = await race(plaza, 2, async (at) =>
      at === 0
        ? callAnswer(overThere(berta), id, 'accept')
        : outcome(await anna.api.call(removeFriend, { params: { id } })),
    )
    expect(removed).toEqual([200, { status: 'removed' }])
    expect([[200, { status: 'accepted' }], refused('not_allowed_now')]).toContainEqual(accepted)
  }
  expect(countBy(await stored(), ({ status }) => status)).toEqual({ removed: 20 })
})
