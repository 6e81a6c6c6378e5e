import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { logout } from '../../../contract/accounts.ts'
import { updateUser } from '../../../contract/admin.ts'
import { addReaction } from '../../../contract/conversations.ts'
import { decisions } from '../../../contract/decisions.ts'
import { spendPoints } from '../../../contract/points.ts'
import {
  announcePresence,
  answerFriend,
  blockUser,
  leavePresence,
  listMessages,
  removeFriend,
  requestFriend,
  unblockUser,
} from '../../../contract/social.ts'
import { createWebhook } from '../../../contract/webhooks.ts'
import { openEventReader, type EventReader } from '../../test/event-reader.ts'
import { race, startTestService, openForeignTransaction, type TestService } from '../../test/harness.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { befriend, eventReaders, sendText, someChannel, messageTexts } from '../../test/social-world.ts'
import { givePoints, raw, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../../test/world.ts'
import { purgeOldEvents } from './service.ts'

const plaza = await startTestService({ EVENTS_HEARTBEAT: '1', WEBHOOK_ADDRESSES: 'any' })
const other = await plaza.startAnother()
// No heartbeat detects a stalled client here: only the bound on waiting bytes can disconnect it.
const patient = await plaza.startAnother({ EVENTS_HEARTBEAT: '300' })

const read = eventReaders()
const ids = (events: EventReader['events']) => events.map(({ id }) => id)
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `message ${from + at}`)

async function someFriends() {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  return { anna, berta, friendship_id: await befriend(anna, berta) }
}

test('D-80: a message reaches the readers of its channel, as the API shows it, and no others', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const [here, there] = [await someChannel(anna), await someChannel(anna)]
  const [watching, elsewhere] = [await read(plaza, anna, { channels: [here] }), await read(plaza, anna)]
  expect([watching.status, watching.headers.get('content-type'), watching.headers.get('cache-control')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    'no-store, no-transform',
  ])
  await sendText(berta, there, 'not for here')
  const message = await sendText(berta, here, 'Good fucking evening!')
  const [event] = await watching.received(1)
  const { my_reactions: _, ...published } = message
  expect(event).toEqual({
    id: expect.stringMatching(/^\d+-\d+$/) as string,
    event: 'message',
    data: { channel_id: here, ...published },
  })
  expect(message.filtered_body).toBe('Good ****ing evening!')
  await sendText(berta, here, 'second')
  await watching.received(2)
  expect([messageTexts(watching.events).length, elsewhere.events]).toEqual([2, []])
})

test('D-80: messages of two processes come in the order of sent_at, the same for every reader of either', async () => {
  const anna = await someUser(plaza)
  const channels = [await someChannel(anna), await someChannel(anna)]
  const readers = await Promise.all([plaza, other, plaza, other].map((at) => read(at, anna, { channels })))
  await race(plaza, 40, (at) =>
    sendText(anna, channels[at % 3 === 0 ? 1 : 0] ?? '', `message ${at}`, at % 2 === 0 ? plaza : other),
  )
  for (const reader of readers) await reader.received(40)
  for (const reader of readers) {
    expect(new Set(messageTexts(reader.events))).toEqual(new Set(numbered(40)))
    for (const channel_id of channels) {
      const times = reader.events.filter(({ data }) => data.channel_id === channel_id).map(({ data }) => data.sent_at)
      expect(times).toEqual([...times].sort())
    }
    expect(ids(reader.events)).toEqual(ids(readers[0]?.events ?? []))
  }
})

test('D-80: a reader that resumes with its last id gets the missed events, without gap or repetition', async () => {
  const anna = await someUser(plaza)
  const channels = [await someChannel(anna)]
  const [channel_id = ''] = channels
  const first = await read(plaza, anna, { channels })
  for (const body of numbered(3)) await sendText(anna, channel_id, body)
  await first.received(3)
  await first.close()
  for (const body of numbered(4, 3)) await sendText(anna, channel_id, body, other)
  for (const [at, by_query] of [
    [plaza, false],
    [other, true],
  ] as const) {
    const again = await read(at, anna, { channels, last_event_id: first.lastEventId(), by_query })
    expect(messageTexts(await again.received(4))).toEqual(numbered(4, 3))
    expect(ids(again.events)).toEqual([...new Set(ids(again.events))])
  }
  const from_the_start = await read(plaza, anna, { channels, last_event_id: first.events[0]?.id ?? '' })
  expect(messageTexts(await from_the_start.received(6))).toEqual(numbered(6, 1))
})

test('D-80: readers that are disconnected repeatedly while two processes write get every message once and in order', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const total = 120
  let sent = 0
  const write = async (at: TestService) => {
    while (sent < total) await sendText(anna, channel_id, `message ${sent++}`, at)
  }
  const seen: EventReader['events'] = []
  const follow = async () => {
    let reader = await openEventReader(plaza, anna, { channels: [channel_id] })
    for (let turn = 0; seen.length < total; turn++) {
      const wanted = Math.min(5 + (turn % 20), total - seen.length)
      await reader.received(wanted)
      const last_event_id = reader.lastEventId()
      await reader.close()
      seen.push(...reader.events)
      reader = await openEventReader(turn % 2 === 0 ? other : plaza, anna, { channels: [channel_id], last_event_id })
    }
    await reader.close()
  }
  const following = follow()
  await new Promise((next) => setTimeout(next, 300))
  await Promise.all([write(plaza), write(plaza), write(other), write(other)])
  await following
  expect(new Set(messageTexts(seen)).size).toBe(seen.length)
  expect(seen.length).toBe(sent)
  const times = seen.map(({ data }) => data.sent_at)
  expect(times).toEqual([...times].sort())
})

test('D-80: a message that waits for an older transaction is delivered late, but not lost', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const reader = await read(plaza, anna, { channels: [channel_id] })
  const slow = await plaza.db.pool.connect()
  try {
    await slow.query('begin')
    await slow.query(
      `insert into events (kind, channel_id, actor_id, payload, inserted_at) values ('friendship', null, $1, '{}', now())`,
      [anna.id],
    )
    await sendText(anna, channel_id, 'held up')
    await new Promise((next) => setTimeout(next, 300))
    expect(reader.events).toEqual([])
    await slow.query('commit')
  } finally {
    slow.release()
  }
  expect(messageTexts(await reader.received(1))).toEqual(['held up'])
})

test('D-80: a long transaction in another database of the server delays no event', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const reader = await read(plaza, anna, { channels: [channel_id] })
  const end = await openForeignTransaction()
  try {
    await sendText(anna, channel_id, 'message 0')
    await sendText(anna, channel_id, 'message 1')
    await reader.received(2)
    await sendText(anna, channel_id, 'message 2')
    expect(messageTexts(await reader.received(3))).toEqual(numbered(3))
    const again = await read(other, anna, { channels: [channel_id], last_event_id: reader.events[0]?.id ?? '' })
    expect(messageTexts(await again.received(2))).toEqual(numbered(2, 1))
  } finally {
    await end()
  }
})

test('D-80: 200 concurrent readers all get a message', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => someUser(plaza)))
  const [sender] = users as [SomeUser]
  const channel_id = await someChannel(sender)
  const readers = await race(plaza, 200, (at) =>
    read(at % 2 === 0 ? plaza : other, users[at % 10] as SomeUser, { channels: [channel_id] }),
  )
  await sendText(sender, channel_id, 'for all')
  for (const reader of readers) expect(messageTexts(await reader.received(1))).toEqual(['for all'])
})

test('D-71: a blocker gets no messages of the blocked user, from the block on and after resuming', async () => {
  const [anna, pest] = [await someUser(plaza), await someUser(plaza)]
  const channels = [await someChannel(anna)]
  const [channel_id = ''] = channels
  const [reader, own] = [await read(plaza, anna, { channels }), await read(plaza, pest, { channels })]
  await sendText(pest, channel_id, 'message 0')
  await reader.received(1)
  await anna.api.result(blockUser, { body: { user_id: pest.id } })
  await sendText(pest, channel_id, 'pest')
  await sendText(anna, channel_id, 'message 1')
  expect(messageTexts(await reader.received(2))).toEqual(numbered(2))
  const again = await read(plaza, anna, { channels, last_event_id: reader.events[0]?.id ?? '' })
  expect(messageTexts(await again.received(1))).toEqual(['message 1'])
  expect(messageTexts(await own.received(3))).toEqual(['message 0', 'pest', 'message 1'])
})

test('D-71: only the blocker sees no reactions of the blocked user in a channel, in lists, answers and the stream', async () => {
  const [anna, pest, third] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
  const channels = [await someChannel(anna)]
  const [channel_id = ''] = channels
  const { id } = await sendText(anna, channel_id, 'mine')
  const readers = await Promise.all([anna, pest, third].map((user) => read(plaza, user, { channels })))
  await anna.api.result(blockUser, { body: { user_id: pest.id } })
  const react = (user: SomeUser, name: 'like' | 'wow') =>
    user.api.result(addReaction, { params: { channel_id, id, name } })
  const [like, both] = [
    { name: 'like', count: 1 },
    { name: 'like', count: 2 },
  ] as const
  expect(await react(pest, 'like')).toMatchObject({ reactions: [like], my_reactions: ['like'] })
  await react(third, 'like')
  expect((await react(anna, 'wow')).reactions).toEqual([like, { name: 'wow', count: 1 }])
  const listOf = async (user: SomeUser) =>
    (await user.api.result(listMessages, { params: { channel_id } }))[0]?.reactions[0]
  expect([await listOf(anna), await listOf(pest), await listOf(third)]).toEqual([like, both, both])
  const last = await Promise.all(readers.map(async (reader) => (await reader.received(3))[2]?.data))
  expect(last.map((data) => (data as { reactions: object[] }).reactions[0])).toEqual([like, both, both])
  const again = await read(plaza, anna, { channels, last_event_id: readers[0]?.events[0]?.id ?? '' })
  expect((await again.received(1))[0]?.data).toMatchObject({ reactions: [like, { name: 'wow', count: 1 }] })
  await anna.api.result(unblockUser, { params: { user_id: pest.id } })
  expect(await listOf(anna)).toEqual(both)
})

test('D-80: both users get every change of their friendship', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const [hers, theirs, stranger] = [
    await read(plaza, anna),
    await read(other, berta),
    await read(plaza, await someUser(plaza)),
  ]
  const { friendship_id } = await anna.api.result(requestFriend, { body: { friend_id: berta.id } })
  await berta.api.result(answerFriend, { params: { id: friendship_id }, body: { action: 'accept' } })
  await anna.api.result(removeFriend, { params: { id: friendship_id } })
  const changes = (user: SomeUser) =>
    ['pending', 'accepted', 'removed'].map((status) => [
      'friendship',
      { friendship_id, status, requester_id: anna.id, user_id: user.id, username: user.username },
    ])
  const seen = async (reader: EventReader) => (await reader.received(3)).map(({ event, data }) => [event, data])
  expect(await seen(hers)).toEqual(changes(berta))
  expect(await seen(theirs)).toEqual(changes(anna))
  expect(stranger.events).toEqual([])
})

test('D-80: friends get the presence of a user and its end; strangers and former friends do not', async () => {
  const { anna, berta, friendship_id } = await someFriends()
  const [reader, stranger] = [await read(other, anna), await read(plaza, await someUser(plaza))]
  await berta.api.result(announcePresence, { body: { game: 'chess', lobby: 'board 1' } })
  await berta.api.result(leavePresence)
  const [came, left] = await reader.received(2)
  const last_seen = plaza.clock.now().toISOString()
  expect([came?.event, came?.data]).toEqual([
    'presence',
    { user_id: berta.id, status: 'online', last_seen, current_game: 'chess', lobby: 'board 1' },
  ])
  expect([left?.event, left?.data]).toEqual([
    'presence',
    { user_id: berta.id, status: 'offline', last_seen, current_game: null, lobby: null },
  ])
  const again = await read(plaza, anna, { last_event_id: came?.id ?? '' })
  expect((await again.received(1)).map(({ data }) => data.status)).toEqual(['offline'])
  await berta.api.result(removeFriend, { params: { id: friendship_id } })
  await berta.api.result(announcePresence, { body: { game: 'poker' } })
  await berta.api.result(requestFriend, { body: { friend_id: anna.id } })
  expect((await reader.received(4)).map(({ event }) => event)).toEqual([
    'presence',
    'presence',
    'friendship',
    'friendship',
  ])
  expect(stranger.events).toEqual([])
})

test('D-80: the streams of a session that ends are ended with `session_ended`, in every process', async () => {
  const user = await someUser(plaza)
  const channels = [await someChannel(user)]
  const [here, there] = [await read(plaza, user, { channels }), await read(other, user, { channels })]
  await user.api.result(logout)
  await Promise.all([here.ended, there.ended])
  for (const { events } of [here, there])
    expect(events).toEqual([{ id: expect.stringMatching(/^\d+-\d+$/) as string, event: 'session_ended', data: {} }])
  expect((await read(plaza, user)).status).toBe(401)
})

test('D-80: a stream that requests them sends balances of the person and of the person’s apps; others hear nothing', async () => {
  const [anna, owner] = [await someUser(plaza), await someUser(plaza)]
  const app = await someApp(plaza, { owner, scopes: ['points:spend'] })
  const tokens = await someTokens(plaza, app, anna, ['points:spend'])
  const open = (user: SomeUser, at: TestService) => read(at, user, { path: '/api/events?balances=true&x=' })
  const [annas, owners, plain] = [await open(anna, plaza), await open(owner, other), await read(plaza, anna)]
  const told = (reader: EventReader) => reader.events.map(({ event, data }) => ({ event, ...data }))
  const balance = (app_id: string | null, total_earned: number, total_spent: number) => ({
    event: 'balance',
    app_id,
    points: total_earned - total_spent,
    held: 0,
    total_earned,
    total_spent,
  })
  await Promise.all([annas.received(1), owners.received(2)])
  await givePoints(plaza, anna, 10)
  await annas.received(2)
  await tokens.api.result(spendPoints, { body: { amount: 4 } })
  await Promise.all([annas.received(3), owners.received(3)])
  expect(told(annas)).toEqual([balance(null, 0, 0), balance(null, 10, 0), balance(null, 10, 4)])
  expect(told(owners)).toEqual([balance(null, 0, 0), balance(app.id, 0, 0), balance(app.id, 4, 0)])
  await owner.api.result(createWebhook, { params: { id: app.id }, body: { url: 'http://127.0.0.1:9/' } })
  const changes = () => told(owners).filter(({ event }) => event === 'webhook_deliveries')
  await owners.received(4)
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  await owners.received(6)
  expect(changes()).toEqual(changes().map(() => ({ event: 'webhook_deliveries', app_id: app.id })))
  expect(plain.events).toEqual([])
})

test('D-80: a suspension ends the stream too, and so does the end of the JWT; a change that keeps the session does not', async () => {
  const admin = await theAdmin(plaza)
  const [lucky, suspended] = [await someUser(plaza), await someUser(plaza)]
  const [spared, ended] = [await read(plaza, lucky), await read(plaza, suspended)]
  await admin.api.result(updateUser, { params: { id: lucky.id }, body: { tier: 'gold' } })
  await admin.api.result(updateUser, { params: { id: suspended.id }, body: { suspended: true } })
  await ended.ended
  expect(ended.events.map(({ event }) => event)).toEqual(['session_ended'])
  expect(spared.events).toEqual([])
  plaza.clock.advance(12 * 3600 + 1)
  await spared.ended
  expect(spared.events.map(({ event }) => event)).toEqual(['session_ended'])
})

test('D-80: without events, heartbeats carry the id to resume from', async () => {
  const anna = await someUser(plaza)
  const channels = [await someChannel(anna)]
  const [channel_id = ''] = channels
  const reader = await read(plaza, anna, { channels })
  while (!reader.text().includes(': still here\n')) await new Promise((next) => setTimeout(next, 50))
  expect(reader.text()).toMatch(/^retry: \d{4}\nid: \d+-0\n\n/)
  await reader.close()
  await sendText(anna, channel_id, 'in between')
  const again = await read(other, anna, { channels, last_event_id: reader.lastEventId() })
  expect(messageTexts(await again.received(1))).toEqual(['in between'])
})

test('D-80: a channel that is named twice is delivered once', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const twice = await read(plaza, anna, { channels: [channel_id, channel_id.toUpperCase()] })
  await sendText(anna, channel_id, 'once')
  await sendText(anna, channel_id, 'again')
  expect(messageTexts(await twice.received(2))).toEqual(['once', 'again'])
})

test('D-80: events older than a day are purged; a reader that resumes from before them gets `reset`', async () => {
  const anna = await someUser(plaza)
  const channels = [await someChannel(anna)]
  const [channel_id = ''] = channels
  const reader = await read(plaza, anna, { channels })
  const old_id = reader.lastEventId()
  await sendText(anna, channel_id, 'old')
  await reader.received(1)
  const clear = () => purgeOldEvents({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 3 })
  const kept = async () => (await plaza.db.sql<{ count: number }>`select count(*) as count from events`)[0]?.count
  plaza.clock.advance(6 * 3600)
  await sendText(anna, channel_id, 'newer')
  await reader.received(2)
  await clear()
  expect(await kept()).toBeGreaterThan(1)
  plaza.clock.advance(18 * 3600 + 1)
  while ((await kept()) !== 1) await clear()
  const again = await someUser(plaza)
  const late = await read(plaza, again, { channels, last_event_id: old_id })
  await sendText(again, channel_id, 'new')
  expect((await late.received(2)).map(({ event, data }) => [event, data.filtered_body])).toEqual([
    ['reset', undefined],
    ['message', 'new'],
  ])
  const never_given = await read(plaza, again, { channels, last_event_id: '9007199254740991-1' })
  expect((await never_given.received(1)).map(({ event }) => event)).toEqual(['reset'])
})

/** A client that opens the stream and then reads nothing. */
async function stalledClient({ url }: TestService, user: SomeUser, channel_id: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `GET /api/events?channels=${channel_id} HTTP/1.1\r\nHost: plaza\r\nAuthorization: Bearer ${user.token}\r\n\r\n`,
  )
  await new Promise((opened_up) => socket.once('readable', opened_up))
  socket.pause()
  return socket
}

test('D-80: a client that reads nothing is disconnected before it costs memory, and the others continue', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const reader = await read(patient, anna, { channels: [channel_id] })
  const stalled = await stalledClient(patient, anna, channel_id)
  const closed = new Promise((done) => stalled.once('close', done))
  await sendText(anna, channel_id, '☃'.repeat(2000))
  for (let turn = 0; turn <= 40; turn++) {
    await reader.received(turn * 40 + 1)
    // The same event forty times: 1,600 calls would take ten seconds of processor time.
    await plaza.db.sql`
      with copies as (
        insert into events (kind, channel_id, actor_id, payload, inserted_at)
        select e.kind, e.channel_id, e.actor_id, e.payload, e.inserted_at
          from (select * from events where channel_id = ${channel_id} limit 1) e, generate_series(1, 40)
        returning 1
      )
      select pg_notify('plaza_events', '') from (select count(*) from copies) counted`
  }
  // The socket still delivers its buffer; then it is closed.
  stalled.resume()
  await closed
  await reader.received(1641)
  await reader.close()
})

test('a stop ends the streams immediately, with a comment, and does not wait for their readers', async () => {
  const anna = await someUser(plaza)
  const reader = await read(patient, anna)
  await patient.service.stop()
  await reader.ended
  expect(reader.text()).toMatch(/: the service is stopping\n\n$/)
})

test('D-80: a user has a bounded number of streams: one more gets 429, the others continue, and closing one makes room', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const { streams_max } = decisions.event_streams
  const readers = await Promise.all(Array.from({ length: streams_max }, () => read(plaza, anna)))
  expect(readers.map(({ status }) => status)).toEqual(Array(streams_max).fill(200))
  const one_more = () => raw(plaza, 'GET', '/api/events', { headers: { authorization: `Bearer ${anna.token}` } })
  const reply = await one_more()
  expect(outcome(reply)).toEqual(refused('rate_limited'))
  expect(reply.headers.get('retry-after')).toBe(String(decisions.event_streams.heartbeat_seconds))
  expect((await read(plaza, berta)).status).toBe(200)
  await readers[0]?.close()
  await expect.poll(async () => (await read(plaza, anna)).status).toBe(200)
})
