import { expect, test } from 'vitest'
import { setChatMute } from '../../contract/admin-moderation.ts'
import { changeUsername } from '../../contract/account-upkeep.ts'
import { failures } from '../../contract/errors.ts'
import { updateProfile } from '../../contract/profiles.ts'
import { announcePresence, blockUser, listPresence, listTablePresence, openChannel } from '../../contract/social.ts'
import { myPointsHistory, transferPoints } from '../../contract/points.ts'
import { digestTables } from '../test/table-digests.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { befriend, eventReaders, sendText, twoUsers } from '../test/social-world.ts'
import { givePoints, someApp, someTokens, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const read = eventReaders()

async function mute({ id }: SomeUser) {
  const muted_until = new Date(plaza.clock.now().getTime() + 3_600_000).toISOString()
  await admin.api.result(setChatMute, { params: { id }, body: { muted_until, reason: 'Shouting' } })
  return [403, { error: 'muted', message: failures.muted.message, muted_until }]
}
const announce = async ({ api }: SomeUser, body: { game?: string; lobby?: string }) =>
  outcome(await api.call(announcePresence, { body }))
const open = ({ api }: SomeUser, ref_id: string) => api.call(openChannel, { body: { type: 'table', ref_id } })

test('D-124: a muted person cannot name themselves, a game, lobby or new table, but can be online and join known tables', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await befriend(anna, berta)
  const known = (await open(berta, 'a table that is there')).body
  await announce(anna, { game: 'chess', lobby: 'here' })
  const muted = await mute(anna)
  const before = await digestTables(plaza)
  for (const body of [{ game: 'insult' }, { lobby: 'insult' }, { game: '', lobby: 'insult' }])
    expect(await announce(anna, body)).toEqual(muted)
  expect(outcome(await open(anna, 'an insult'))).toEqual(muted)
  expect(outcome(await anna.api.call(updateProfile, { body: { display_name: 'Insult' } }))).toEqual(muted)
  expect(await digestTables(plaza)).toEqual(before)
  expect(outcome(await open(anna, 'a table that is there'))).toEqual([200, known])
  expect(await announce(anna, {})).toEqual([200, { status: 'ok' }])
  expect((await berta.api.result(listPresence, {})).presence).toMatchObject([{ current_game: null, lobby: null }])
  plaza.clock.advance(3_601)
})

test('D-124: bad words are masked in presence and in names of tables; the original words still find the table', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await befriend(anna, berta)
  await announce(anna, { game: 'fucking chess', lobby: 'shit table' })
  const [seen] = (await berta.api.result(listPresence, {})).presence
  expect(seen).toMatchObject({ current_game: '****ing chess', lobby: '**** table' })
  const query = { game: 'fucking chess', ref_id: 'shit table' }
  expect((await berta.api.result(listTablePresence, { query })).users).toMatchObject([{ user_id: anna.id }])
  const made = await open(anna, 'shit channel')
  expect([made.status, made.body]).toMatchObject([201, { ref_id: '**** channel' }])
  expect(outcome(await open(berta, 'shit channel'))).toEqual([200, made.body])
})

test('D-124: names that differ only in masked words are two channels and two lobbies', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await befriend(anna, berta)
  const [one, other] = [await open(anna, 'room-ass'), await open(berta, 'room-a55')]
  expect([one, other].map(({ status, body }) => [status, body])).toMatchObject([
    [201, { ref_id: 'room-***' }],
    [201, { ref_id: 'room-***' }],
  ])
  expect(outcome(await open(berta, 'room-ass'))).toEqual([200, one.body])
  expect(outcome(await open(anna, 'room-***'))).toMatchObject([201, { ref_id: 'room-***' }])
  const feed = await read(plaza, berta)
  await announce(anna, { game: 'chess', lobby: 'room-ass' })
  await announce(berta, { game: 'chess', lobby: 'room-a55' })
  const at = async (ref_id: string) =>
    (await berta.api.result(listTablePresence, { query: { game: 'chess', ref_id } })).users.map((user) => user.user_id)
  expect([await at('room-ass'), await at('room-a55'), await at('room-***')]).toEqual([[anna.id], [berta.id], []])
  expect((await feed.received(1))[0]?.data).toMatchObject({ current_game: 'chess', lobby: 'room-***' })
})

test('D-124: channels that version 0.2 has opened get a masked name, once', async () => {
  const [anna] = await twoUsers(plaza)
  const names = ['old-shit-table', 'old-table']
  await plaza.db.sql`
    insert into channels (id, type, ref_id, inserted_at)
    select gen_random_uuid(), 'table', name, ${plaza.clock.now()} from unnest(${names}::text[]) name`
  const run = () => plaza.service.app.jobs.find(({ name }) => name === 'social.mask_channel_names')!.run({}, 'test')
  await run()
  const shown = await Promise.all(names.map((name) => open(anna, name)))
  expect(shown.map(outcome)).toMatchObject([
    [200, { ref_id: 'old-****-table' }],
    [200, { ref_id: 'old-table' }],
  ])
  const before = await digestTables(plaza)
  await run()
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-124: a muted person takes no other name; the case of the name may change', async () => {
  const [anna] = await twoUsers(plaza)
  const rename = async (username: string) =>
    outcome(await anna.api.call(changeUsername, { body: { username, password: anna.password } }))
  const muted = await mute(anna)
  const before = await digestTables(plaza)
  expect(await rename('you-are-all-fools')).toEqual(muted)
  expect(await digestTables(plaza)).toEqual(before)
  expect((await rename(anna.username.toUpperCase()))[0]).toBe(200)
  plaza.clock.advance(3_601)
  expect((await rename(`calm-${anna.username}`.slice(0, 32)))[0]).toBe(200)
})

test('D-124: ids and harmless words in names of tables are not changed', async () => {
  const [anna] = await twoUsers(plaza)
  for (const ref_id of ['01890a55-e5e1-7a55-8a55-0b00b5a550c4', 'classic-assessment', 'table 455'])
    expect((await open(anna, ref_id)).body).toMatchObject({ ref_id })
})

test('D-124: a transfer to a person who has blocked the sender gets the response for an unknown person; an earlier transfer is replayed', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const app = await someApp(plaza, { scopes: ['points:transfer'] })
  const { api } = await someTokens(plaza, app, anna, ['points:transfer'])
  await givePoints(plaza, anna, 100)
  const send = (to_user_id: string, key?: string, description = 'hello') =>
    api.call(transferPoints, {
      body: { to_user_id, amount: 1, description },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
  const sent = await send(berta.id, 'before')
  await berta.api.result(blockUser, { body: { user_id: anna.id } })
  const before = await digestTables(plaza)
  const unknown = outcome(await send('01890000-0000-7000-8000-000000000000'))
  expect(unknown).toEqual(refused('user_not_found'))
  for (const key of [undefined, 'later']) expect(outcome(await send(berta.id, key))).toEqual(unknown)
  expect(outcome(await send(berta.id, 'before'))).toEqual(outcome(sent))
  expect(await digestTables(plaza)).toEqual(before)
  // The opposite direction still works.
  const back = await someTokens(plaza, app, berta, ['points:transfer'])
  await givePoints(plaza, berta, 1)
  expect((await back.api.call(transferPoints, { body: { to_user_id: anna.id, amount: 1 } })).status).toBe(200)
})

test('D-124: the description of a transfer is masked, and a muted person cannot send one', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const app = await someApp(plaza, { scopes: ['points:transfer'] })
  const { api } = await someTokens(plaza, app, anna, ['points:transfer'])
  await givePoints(plaza, anna, 100)
  const send = (description?: string) =>
    api.call(transferPoints, {
      body: { to_user_id: berta.id, amount: 1, ...(description !== undefined && { description }) },
    })
  await send('you shit')
  expect((await berta.api.result(myPointsHistory, {})).data[0]).toMatchObject({ description: 'you ****' })
  const muted = await mute(anna)
  expect(outcome(await send('again'))).toEqual(muted)
  expect((await send()).status).toBe(200)
  const { id } = (await open(berta, 'somewhere else')).body as { id: string }
  await expect(sendText(anna, id, 'hello')).rejects.toThrow('403 muted')
})

test('D-124: a muted person does not learn from a transfer who has blocked them', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const stranger = '01900000-0000-7000-8000-00000000dead'
  await givePoints(plaza, anna, 10)
  await berta.api.result(blockUser, { body: { user_id: anna.id } })
  const app = await someApp(plaza, { scopes: ['profile:read', 'points:transfer'] })
  const { api } = await someTokens(plaza, app, anna)
  const muted = await mute(anna)
  for (const to_user_id of [berta.id, stranger])
    expect(outcome(await api.call(transferPoints, { body: { amount: 1, to_user_id, description: 'hello' } }))).toEqual(
      muted,
    )
  plaza.clock.advance(3_601)
})
