import { expect, test } from 'vitest'
import { adminGetMessage } from '../../contract/admin.ts'
import { adminGetCase, adminListCases, decideCase, setChatMute } from '../../contract/admin-moderation.ts'
import * as contract from '../../contract/conversations.ts'
import { decisions } from '../../contract/decisions.ts'
import { createReport } from '../../contract/moderation.ts'
import { blockUser, listMessages, readEvents, removeFriend, sendMessage } from '../../contract/social.ts'
import { race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { befriend, eventReaders, sendText, someChannel, someUsers, twoUsers } from '../test/social-world.ts'
import { digestTables } from '../test/table-digests.ts'
import { theAdmin, world, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const read = eventReaders()
const { edit_seconds, deleted_text } = decisions.message_changes
const unknown_id = '01890000-0000-7000-8000-000000000000'

async function friends() {
  const [anna, berta] = await twoUsers(plaza)
  const friendship_id = await befriend(anna, berta)
  return { anna, berta, friendship_id }
}

const call = ({ api }: SomeUser, { id: user_id }: { id: string }, body: string, key?: string) =>
  api.call(contract.sendDirectMessage, {
    params: { user_id },
    body: { body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
const write = ({ api }: SomeUser, { id: user_id }: SomeUser, body: string) =>
  api.result(contract.sendDirectMessage, { params: { user_id }, body: { body } })
const history = ({ api }: SomeUser, { id: user_id }: { id: string }) =>
  api.call(contract.listDirectMessages, { params: { user_id } })
const unread = ({ api }: SomeUser) => api.result(contract.listUnread)
const channelIdOf = async (one: SomeUser, other: SomeUser) => {
  const [row] = await plaza.db.sql<{ id: string }>`
    select id from channels where low_id = least(${one.id}::uuid, ${other.id}) and high_id = greatest(${one.id}::uuid, ${other.id})`
  return row!.id
}

test('D-161: friends write to each other with the filter, order and keys of chat; both get it on their streams', async () => {
  const { anna, berta } = await friends()
  expect(outcome(await history(anna, berta))).toEqual([200, []])
  const [of_anna, of_berta] = [await read(plaza, anna), await read(plaza, berta)]
  const sent = await call(anna, berta, 'Oh fuck, hello', 'one')
  expect(outcome(sent)).toEqual([
    201,
    {
      id: expect.any(String),
      sender_id: anna.id,
      sender_username: anna.username,
      sender_display_name: null,
      sender_picture_url: null,
      filtered_body: 'Oh ****, hello',
      sent_at: expect.any(String),
      removed: false,
      removed_by: null,
      edited_at: null,
      reactions: [],
      my_reactions: [],
    },
  ])
  expect(outcome(await call(anna, berta, 'Oh fuck, hello', 'one'))).toEqual(outcome(sent))
  expect(outcome(await call(anna, berta, 'other', 'one'))).toEqual(refused('idempotency_key_reused'))
  const second = await write(berta, anna, 'hello')
  for (const [one, other] of [
    [anna, berta],
    [berta, anna],
  ] as const)
    expect(outcome(await history(one, other))).toEqual([200, [second, sent.body]])
  const { my_reactions: _, ...shown } = second
  for (const [stream, other] of [
    [of_anna, berta],
    [of_berta, anna],
  ] as const) {
    const events = await stream.received(2)
    expect(events.map(({ event, data }) => [event, data.filtered_body])).toEqual([
      ['direct_message', 'Oh ****, hello'],
      ['direct_message', 'hello'],
    ])
    expect(events[1]?.data).toEqual({ user_id: other.id, ...shown })
  }
  const late = await read(plaza, berta, { last_event_id: `${of_berta.events[0]!.id.split('-')[0]}-0` })
  expect((await late.received(2)).map(({ event }) => event)).toEqual(['direct_message', 'direct_message'])
})

test('D-161: strangers, former friends and people of a block cannot write; what was written stays readable to both', async () => {
  const { anna, berta, friendship_id } = await friends()
  const stranger = (await someUsers(plaza, 1))[0]!
  const first = await write(anna, berta, 'hello')
  const before = await digestTables(plaza)
  for (const id of [anna.id, unknown_id, stranger.id]) {
    expect(outcome(await call(anna, { id }, 'hello'))).toEqual(refused('not_friends'))
    expect(outcome(await history(anna, { id }))).toEqual(refused('not_friends'))
  }
  expect(await digestTables(plaza)).toEqual(before)
  await anna.api.result(removeFriend, { params: { id: friendship_id } })
  await berta.api.result(blockUser, { body: { user_id: anna.id } })
  const ended = await digestTables(plaza)
  const params = { user_id: berta.id, id: first.id }
  expect(outcome(await call(anna, berta, 'hello?'))).toEqual(refused('not_friends'))
  expect(outcome(await call(berta, anna, 'hello?'))).toEqual(refused('not_friends'))
  const edit = anna.api.call(contract.editDirectMessage, { params, body: { body: 'hello!' } })
  expect(outcome(await edit)).toEqual(refused('not_friends'))
  const react = anna.api.call(contract.addDirectReaction, { params: { ...params, name: 'like' } })
  expect(outcome(await react)).toEqual(refused('not_friends'))
  expect(await digestTables(plaza)).toEqual(ended)
  for (const [one, other] of [
    [anna, berta],
    [berta, anna],
  ] as const)
    expect(outcome(await history(one, other))).toEqual([200, [first]])
  expect((await anna.api.call(contract.deleteDirectMessage, { params })).status).toBe(200)
})

test('D-161: 50 parallel first messages by both make one conversation', async () => {
  const { anna, berta } = await friends()
  const sent = await race(plaza, 50, (at) => (at % 2 ? call(anna, berta, `${at}`) : call(berta, anna, `${at}`)))
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201]))
  expect(((await history(anna, berta)).body as unknown[]).length).toBe(50)
})

test('D-161: others get nothing of a conversation, by no id and with no token', async () => {
  const { user: anna, tokens } = await world(plaza)
  const [berta, stranger] = await twoUsers(plaza)
  await befriend(anna, berta)
  const message = await write(anna, berta, 'our secret')
  const channel_id = await channelIdOf(anna, berta)
  const before = await digestTables(plaza)
  for (const { api } of [stranger, admin, anna]) {
    const [channel, id] = [{ channel_id }, message.id]
    const refusals = [
      await api.call(listMessages, { params: channel }),
      await api.call(readEvents, { query: { channels: channel_id } }),
      await api.call(contract.editMessage, { params: { ...channel, id }, body: { body: 'x' } }),
      await api.call(contract.deleteMessage, { params: { ...channel, id } }),
      await api.call(contract.addReaction, { params: { ...channel, id, name: 'like' } }),
      await api.call(contract.removeReaction, { params: { ...channel, id, name: 'like' } }),
      await api.call(contract.readChannel, { params: channel, body: { message_id: id } }),
    ]
    expect(refusals.map(outcome)).toEqual(refusals.map(() => refused('not_found')))
  }
  for (const user_id of [anna.id, berta.id]) {
    const params = { user_id, id: message.id }
    expect((await history(stranger, { id: user_id })).status).toBe(403)
    expect(outcome(await stranger.api.call(contract.deleteDirectMessage, { params }))).toEqual(refused('not_found'))
    const reading = stranger.api.call(contract.readDirectMessages, { params, body: { message_id: message.id } })
    expect(outcome(await reading)).toEqual(refused('not_found'))
  }
  expect(outcome(await stranger.api.call(sendMessage, { params: { channel_id }, body: { body: 'x' } }))).toEqual(
    refused('not_found'),
  )
  const about = { message_id: message.id, reason: 'spam' as const }
  expect(outcome(await stranger.api.call(createReport, { body: about }))).toEqual(refused('not_found'))
  expect((await stranger.api.result(contract.listUnread)).direct).toEqual([])
  const audited = await admin.api.call(adminGetMessage, { params: { id: message.id } })
  expect(outcome(audited)).toEqual(refused('not_found'))
  const app = await tokens.api.call(contract.listDirectMessages, { params: { user_id: berta.id } })
  expect(app.status).toBe(401)
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-109: a direct message can be reported by the other; admins see it alone, as it was', async () => {
  const { anna, berta } = await friends()
  await write(anna, berta, 'before')
  const message = await write(anna, berta, 'You fucking idiot')
  const params = { user_id: berta.id, id: message.id }
  const report = await berta.api.call(createReport, { body: { message_id: message.id, reason: 'harassment' } })
  expect(report.status).toBe(201)
  await anna.api.result(contract.editDirectMessage, { params, body: { body: 'You lovely person' } })
  const [found] = (await admin.api.result(adminListCases, { query: { user_id: anna.id } })).data
  const shown = await admin.api.result(adminGetCase, { params: { id: found!.id } })
  expect([shown.case.text, shown.reports[0]?.reported_text]).toEqual(['You lovely person', 'You ****ing idiot'])
  expect(shown.messages.map(({ filtered_body }) => filtered_body)).toEqual(['You lovely person'])
  const stream = await read(plaza, berta)
  const decision = { actions: ['remove_message' as const], reason: 'No insults.' }
  await admin.api.result(decideCase, { params: { id: found!.id }, body: decision })
  expect((await stream.received(1)).map(({ event, data }) => [event, data.removed_by])).toEqual([
    ['direct_message_changed', 'admin'],
  ])
})

test('D-162: the sender edits for 15 minutes, masked; others, late, removed and muted edits are refused and write nothing', async () => {
  const { anna, berta } = await friends()
  const message = await write(anna, berta, 'teh end')
  const params = { user_id: berta.id, id: message.id }
  const edit = ({ api }: SomeUser, other: SomeUser, body = 'the fucking end') =>
    api.call(contract.editDirectMessage, { params: { user_id: other.id, id: message.id }, body: { body } })
  plaza.clock.advance(edit_seconds - 1)
  const edited_at = plaza.clock.now().toISOString()
  const edited = { ...message, filtered_body: 'the ****ing end', edited_at }
  const stream = await read(plaza, berta)
  expect(outcome(await edit(anna, berta))).toEqual([200, edited])
  expect(outcome(await history(berta, anna))).toEqual([200, [edited]])
  const { my_reactions: _, ...shown } = edited
  expect((await stream.received(1)).map(({ event, data }) => [event, data])).toEqual([
    ['direct_message_changed', { user_id: anna.id, ...shown }],
  ])
  const before = await digestTables(plaza)
  expect(outcome(await edit(berta, anna))).toEqual(refused('forbidden'))
  plaza.clock.advance(1)
  expect(outcome(await edit(anna, berta, 'late'))).toEqual(refused('edit_window_over'))
  const missing = { params: { ...params, id: unknown_id }, body: { body: 'x' } }
  expect(outcome(await anna.api.call(contract.editDirectMessage, missing))).toEqual(refused('not_found'))
  expect(await digestTables(plaza)).toEqual(before)
  const fresh = await write(anna, berta, 'fresh')
  const muted_until = new Date(plaza.clock.now().getTime() + 60_000).toISOString()
  await admin.api.result(setChatMute, { params: { id: anna.id }, body: { muted_until, reason: 'Calm down.' } })
  const muted = [403, { ...(refused('muted')[1] as object), muted_until }]
  const again = { params: { ...params, id: fresh.id }, body: { body: 'x' } }
  expect(outcome(await anna.api.call(contract.editDirectMessage, again))).toEqual(muted)
  expect(outcome(await call(anna, berta, 'x'))).toEqual(muted)
  await admin.api.result(setChatMute, { params: { id: anna.id }, body: { muted_until: null, reason: 'Calm.' } })
  await anna.api.result(contract.deleteDirectMessage, { params: { ...params, id: fresh.id } })
  expect(outcome(await anna.api.call(contract.editDirectMessage, again))).toEqual(refused('message_removed'))
})

test('D-162: a deleted message keeps its place, in a channel too, and of parallel edits and deletions the deletion stays', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const channel_id = await someChannel(anna)
  const message = await sendText(anna, channel_id, 'oops')
  const last = await sendText(berta, channel_id, 'what?')
  const params = { channel_id, id: message.id }
  await berta.api.result(contract.addReaction, { params: { ...params, name: 'wow' } })
  expect(outcome(await berta.api.call(contract.deleteMessage, { params }))).toEqual(refused('forbidden'))
  const stream = await read(plaza, berta, { channels: [channel_id] })
  const replies = await race(plaza, 20, (at) =>
    at % 2
      ? anna.api.call(contract.editMessage, { params, body: { body: `edit ${at}` } })
      : anna.api.call(contract.deleteMessage, { params }),
  )
  const deleted = { ...message, filtered_body: deleted_text, removed: true, removed_by: 'sender' }
  for (const [at, reply] of replies.entries())
    if (at % 2 === 0) expect(outcome(reply)).toEqual([200, deleted])
    else if (reply.status !== 200) expect(outcome(reply)).toEqual(refused('message_removed'))
  expect(await berta.api.result(listMessages, { params: { channel_id } })).toEqual([last, deleted])
  await expect.poll(() => stream.events.filter(({ event }) => event === 'message_removed').length).toBe(1)
  const react = berta.api.call(contract.addReaction, { params: { ...params, name: 'sad' } })
  expect(outcome(await react)).toEqual(refused('message_removed'))
  const report = berta.api.call(createReport, { body: { message_id: message.id, reason: 'spam' } })
  expect(outcome(await report)).toEqual(refused('message_removed'))
})

test('D-162: a reaction counts once a person, however often and parallel it is sent, and can be taken back', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const channel_id = await someChannel(anna)
  const message = await sendText(anna, channel_id, 'cake!')
  const params = (name: 'like' | 'party') => ({ params: { channel_id, id: message.id, name } })
  const stream = await read(plaza, anna, { channels: [channel_id] })
  const many = await race(plaza, 30, () => berta.api.call(contract.addReaction, params('party')))
  expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]))
  plaza.clock.advance(1)
  const both = await anna.api.result(contract.addReaction, params('party'))
  await anna.api.result(contract.addReaction, params('like'))
  expect([both.reactions, both.my_reactions]).toEqual([[{ name: 'party', count: 2 }], ['party']])
  const [seen] = await berta.api.result(listMessages, { params: { channel_id } })
  const reactions = [
    { name: 'party', count: 2 },
    { name: 'like', count: 1 },
  ]
  expect([seen?.reactions, seen?.my_reactions]).toEqual([reactions, ['party']])
  for (let turn = 0; turn < 2; turn++)
    expect((await anna.api.result(contract.removeReaction, params('party'))).reactions).toEqual([
      { name: 'party', count: 1 },
      { name: 'like', count: 1 },
    ])
  const events = await stream.received(4)
  expect(events.map(({ event }) => event)).toEqual(Array(4).fill('message_changed'))
  expect(events.length).toBe(4)
})

test('D-162: the read position only moves forward; unread messages are counted from it, without own and removed ones', async () => {
  const { anna, berta } = await friends()
  const channel_id = await someChannel(anna)
  const sent = [await write(berta, anna, 'one'), await write(berta, anna, 'two'), await write(berta, anna, 'three')]
  await write(anna, berta, 'mine')
  const direct = { user_id: berta.id, username: berta.username, unread: 3, last_sent_at: expect.any(String) }
  expect(await unread(anna)).toEqual({ unread: 3, direct: [direct], channels: [] })
  expect((await unread(berta)).unread).toBe(1)
  const mark = (message_id: string) =>
    anna.api.call(contract.readDirectMessages, { params: { user_id: berta.id }, body: { message_id } })
  await race(plaza, 30, (at) => mark(sent[at % 2]!.id))
  expect((await unread(anna)).unread).toBe(1)
  expect(outcome(await mark(sent[0]!.id))).toEqual([200, { status: 'read' }])
  expect((await unread(anna)).unread).toBe(1)
  const before = await digestTables(plaza)
  expect(outcome(await mark(unknown_id))).toEqual(refused('not_found'))
  expect(await digestTables(plaza)).toEqual(before)
  const gone = { user_id: anna.id, id: sent[2]!.id }
  await berta.api.result(contract.deleteDirectMessage, { params: gone })
  expect((await unread(anna)).unread).toBe(0)

  const first = await sendText(berta, channel_id, 'first')
  await anna.api.result(contract.readChannel, { params: { channel_id }, body: { message_id: first.id } })
  for (let at = 0; at < 101; at++) await sendText(berta, channel_id, `${at}`)
  const { channels } = await unread(anna)
  expect(channels).toMatchObject([{ channel_id, type: 'table', unread: 100 }])
  await anna.api.result(blockUser, { body: { user_id: berta.id } })
  expect((await unread(anna)).channels).toMatchObject([{ channel_id, unread: 0 }])
  await plaza.db.sql`
    with opened as (
      insert into channels (id, type, ref_id, shown_ref_id, inserted_at)
      select gen_random_uuid(), 'table', 'many ' || n, 'many ' || n, now() from generate_series(1, 600) n returning id
    )
    insert into channel_reads select ${anna.id}, id, now() from opened`
  const many = await unread(anna)
  expect([many.direct.length, many.channels.length]).toEqual([1, decisions.message_changes.places_max - 1])
})
