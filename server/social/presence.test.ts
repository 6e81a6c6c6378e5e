import { expect, test } from 'vitest'
import { updateUser as adminUpdateUser } from '../../contract/admin.ts'
import { decisions } from '../../contract/decisions.ts'
import {
  announcePresence,
  blockUser,
  leavePresence,
  listPresence,
  listTablePresence,
  removeFriend,
  unblockUser,
} from '../../contract/social.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome } from '../test/refusals.ts'
import { befriend, inProcess, requestedBy, someUsers, twoUsers } from '../test/social-world.ts'
import { raw, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const { online_seconds, name_max, user_ids_max } = decisions.presence
const unknown_id = '01890000-0000-7000-8000-000000000000'
const ok = [200, { status: 'ok' }]

const people = (count: number) => someUsers(plaza, count)
const couple = () => twoUsers(plaza)
const now = () => plaza.clock.now().toISOString()

async function friends() {
  const pair = await couple()
  await befriend(...pair)
  return pair
}

const announce = async (user: SomeUser, body: { game?: string; lobby?: string } = {}) =>
  outcome(await user.api.call(announcePresence, { body }))
const leave = async (user: SomeUser) => outcome(await user.api.call(leavePresence))
const seenBy = async (user: SomeUser, ...users: SomeUser[]) => {
  const user_ids = users.map(({ id }) => id).join(',')
  return (await user.api.result(listPresence, users.length > 0 ? { query: { user_ids } } : {})).presence
}
const atTable = async (user: SomeUser, game: string, ref_id: string) =>
  (await user.api.result(listTablePresence, { query: { game, ref_id } })).users
const lookOf = ({ id, username }: SomeUser) => ({ user_id: id, username, display_name: null, picture_url: null })
const idsAtTable = async (user: SomeUser, game: string, ref_id: string) =>
  (await atTable(user, game, ref_id)).map(({ user_id }) => user_id).sort()
const ids = (...users: SomeUser[]) => users.map(({ id }) => id).sort()

test('spec presence: a POST marks the caller online for friends, with the game and lobby it names', async () => {
  const [anna, berta] = await friends()
  expect(await seenBy(berta)).toEqual([])
  expect(await announce(anna, { game: 'chess', lobby: 'table 7' })).toEqual(ok)
  const here = { user_id: anna.id, status: 'online', last_seen: now(), current_game: 'chess', lobby: 'table 7' }
  expect(await seenBy(berta)).toEqual([here])
  expect(await seenBy(anna)).toEqual([])
  plaza.clock.advance(30)
  const without_body = await raw(plaza, 'POST', '/api/social/presence', {
    headers: { authorization: `Bearer ${anna.token}` },
  })
  expect(outcome(without_body)).toEqual(ok)
  expect(await seenBy(berta)).toEqual([{ ...here, last_seen: now(), current_game: null, lobby: null }])
})

test('D-75: online for 90 seconds after the last POST; then offline, last seen at that POST, and nowhere', async () => {
  const [anna, berta] = await friends()
  await announce(anna, { game: 'go', lobby: 'a' })
  const last_seen = now()
  const shown = { user_id: anna.id, last_seen }
  plaza.clock.advance(online_seconds - 1)
  expect(await seenBy(berta)).toEqual([{ ...shown, status: 'online', current_game: 'go', lobby: 'a' }])
  plaza.clock.advance(1)
  expect(await seenBy(berta)).toEqual([{ ...shown, status: 'offline', current_game: null, lobby: null }])
  await announce(anna)
  expect(await seenBy(berta)).toMatchObject([{ status: 'online', last_seen: now(), current_game: null, lobby: null }])
})

test('spec presence: DELETE removes the record immediately, repeatably', async () => {
  const [anna, berta] = await friends()
  await announce(anna, { game: 'go', lobby: 'here' })
  expect(await leave(anna)).toEqual(ok)
  expect(await seenBy(berta)).toEqual([])
  expect(await atTable(berta, 'go', 'here')).toEqual([])
  expect(await leave(anna)).toEqual(ok)
  expect(await plaza.db.sql`select 1 from presence where user_id = ${anna.id}`).toEqual([])
})

test('D-75: friends alone are shown, accepted ones: not when named, not after a removal or a suspension', async () => {
  const [user, stranger, asking, asked_by_user, friend] = (await people(5)) as [
    SomeUser,
    SomeUser,
    SomeUser,
    SomeUser,
    SomeUser,
  ]
  await requestedBy(asking, user)
  await requestedBy(user, asked_by_user)
  const id = await befriend(friend, user)
  const all = [user, stranger, asking, asked_by_user, friend]
  for (const one of all) await announce(one)
  const seen = async (...named: SomeUser[]) => (await seenBy(user, ...named)).map(({ user_id }) => user_id)
  expect(await seen()).toEqual([friend.id])
  expect(await seen(...all)).toEqual([friend.id])
  const suspend = async (suspended: boolean) =>
    (await theAdmin(plaza)).api.result(adminUpdateUser, { params: { id: friend.id }, body: { suspended } })
  await suspend(true)
  expect(await seen()).toEqual([])
  await suspend(false)
  // D-40: a suspension removes the presence.
  await expect.poll(() => seen()).toEqual([])
  await user.api.result(removeFriend, { params: { id } })
  expect(await seen(...all)).toEqual([])
})

test('D-75: user_ids selects friends; duplicates and capitals do not matter, friends without a record are left out', async () => {
  const [user, ...others] = (await people(4)) as [SomeUser, SomeUser, SomeUser, SomeUser]
  for (const other of others) await befriend(user, other)
  const [first, second, silent] = others
  await announce(first)
  plaza.clock.advance(1)
  await announce(second)
  const seen = async (user_ids: string) =>
    (await user.api.result(listPresence, { query: { user_ids } })).presence.map(({ user_id }) => user_id)
  expect((await seenBy(user)).map(({ user_id }) => user_id)).toEqual([second.id, first.id])
  expect(await seen(`${first.id},${first.id.toUpperCase()},${silent.id},${unknown_id}`)).toEqual([first.id])
  expect(await seen(unknown_id)).toEqual([])
})

test('D-75: user_ids takes 200 ids', async () => {
  const user_ids = Array(user_ids_max).fill(unknown_id).join(',')
  const { api } = await someUser(plaza)
  expect(outcome(await api.call(listPresence, { query: { user_ids } }))).toEqual([200, { presence: [] }])
})

test('D-75: names of games and lobbies have 200 characters, emoji count one', async () => {
  const user = await someUser(plaza)
  expect(await announce(user, { game: '🎲'.repeat(name_max), lobby: 'x'.repeat(name_max) })).toEqual(ok)
})

test('spec presence/table: users who gave its game and ref_id, with status and last_seen, friend or not', async () => {
  const [anna, berta] = await couple()
  await announce(anna, { game: 'skat', lobby: 't1' })
  const last_seen = now()
  plaza.clock.advance(10)
  await announce(berta, { game: 'skat', lobby: 't1' })
  expect(await atTable(anna, 'skat', 't1')).toEqual([
    { ...lookOf(berta), status: 'online', last_seen: now() },
    { ...lookOf(anna), status: 'online', last_seen },
  ])
})

test('D-75: a table matches game and lobby exactly, without users who moved on or were not seen for 90 seconds', async () => {
  const names = ['50% off', '50X off', 'a_b', 'a\\b', 'Ünï ♟️', 'unï ♟️', ' a', 'a']
  const users = await people(names.length)
  for (const [at, user] of users.entries())
    await announce(user, { game: names[at] as string, lobby: names[at] as string })
  const viewer = users[0] as SomeUser
  for (const [at, user] of users.entries()) {
    const name = names[at] as string
    expect(await idsAtTable(viewer, name, name)).toEqual([user.id])
    expect(await idsAtTable(viewer, name, 'elsewhere')).toEqual([])
  }
  await announce(viewer, { game: 'a', lobby: 'a' })
  expect(await idsAtTable(viewer, '50% off', '50% off')).toEqual([])
  expect(await idsAtTable(viewer, 'a', 'a')).toEqual(ids(viewer, users.at(-1) as SomeUser))
  plaza.clock.advance(online_seconds - 1)
  await announce(viewer, { game: 'a', lobby: 'a' })
  plaza.clock.advance(1)
  expect(await idsAtTable(viewer, 'a', 'a')).toEqual([viewer.id])
})

test('D-71: a block hides the two from each other at a table, both ways, and from nobody else', async () => {
  const [anna, berta, clara] = (await people(3)) as [SomeUser, SomeUser, SomeUser]
  await befriend(anna, berta)
  for (const user of [anna, berta, clara]) await announce(user, { game: 'darts', lobby: '1' })
  await anna.api.result(blockUser, { body: { user_id: berta.id } })
  expect(await idsAtTable(anna, 'darts', '1')).toEqual(ids(anna, clara))
  expect(await idsAtTable(berta, 'darts', '1')).toEqual(ids(berta, clara))
  expect(await idsAtTable(clara, 'darts', '1')).toEqual(ids(anna, berta, clara))
  expect([await seenBy(anna, berta), await seenBy(berta, anna)]).toEqual([[], []])
  await anna.api.result(unblockUser, { params: { user_id: berta.id } })
  expect(await idsAtTable(berta, 'darts', '1')).toEqual(ids(anna, berta, clara))
  await (await theAdmin(plaza)).api.result(adminUpdateUser, { params: { id: clara.id }, body: { suspended: true } })
  expect(await idsAtTable(berta, 'darts', '1')).toEqual(ids(anna, berta))
})

test('300 POSTs and DELETEs of 12 users at once, on two processes, all succeed, and the last call of each counts', async () => {
  const elsewhere = await plaza.startAnother()
  const users = await people(12)
  const over_there = users.map((user) => inProcess(elsewhere, user))
  const replies = await race(plaza, 300, (at) => {
    const user = (at % 2 === 0 ? users : over_there)[at % users.length] as SomeUser
    return at % 5 === 0 ? leave(user) : announce(user, { game: 'race', lobby: String(at) })
  })
  expect(countBy(replies, ([status]) => status)).toEqual({ 200: 300 })
  await race(plaza, users.length, (at) =>
    at % 3 === 0 ? leave(over_there[at] as SomeUser) : announce(users[at] as SomeUser, { game: 'race', lobby: 'end' }),
  )
  const stayed = users.filter((_, at) => at % 3 !== 0)
  expect(await idsAtTable(over_there[0] as SomeUser, 'race', 'end')).toEqual(ids(...stayed))
  const stored = await plaza.db.sql`select 1 from presence where user_id = any(${users.map(({ id }) => id)}::uuid[])`
  expect(stored).toHaveLength(stayed.length)
})
