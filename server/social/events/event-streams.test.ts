import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { updateUser } from '../../../contract/admin.ts'
import { announcePresence, leavePresence, listPresence } from '../../../contract/social.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { race, sharedService, openForeignTransaction } from '../../test/harness.ts'
import { befriend, eventReaders, sendText, someChannel, messageTexts } from '../../test/social-world.ts'
import { someUser, theAdmin, type SomeUser } from '../../test/world.ts'
import { publishLapses } from '../presence.service.ts'
import { writePresence } from '../presence.store.ts'
import { onlineSince } from '../rules.ts'

const plaza = await sharedService()
const other = await plaza.startAnother()

const read = eventReaders()

async function friendsOf(user: SomeUser, count: number) {
  const friends = await Promise.all(Array.from({ length: count }, () => someUser(plaza)))
  for (const friend of friends) await befriend(user, friend)
  return friends
}

/** Requests a stream and disconnects before it begins. */
const requestAndDisconnect = (user: SomeUser, channel_id: string) =>
  new Promise<void>((gone) => {
    const { hostname, port } = new URL(plaza.url)
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET /api/events?channels=${channel_id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${user.token}\r\n\r\n`,
        () => socket.destroy(),
      )
    })
    socket.on('close', () => gone())
  })

test('D-80: a new stream starts at the present, even if earlier clients disconnected before theirs started', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  for (let round = 0; round < 5; round++) await requestAndDisconnect(anna, channel_id)
  // These calls complete after the requests above, whose streams were opened without a client.
  for (let round = 0; round < 5; round++) await anna.api.result(listPresence)
  await sendText(anna, channel_id, 'long ago')
  const reader = await read(plaza, anna, { channels: [channel_id] })
  await sendText(anna, channel_id, 'now')
  expect(messageTexts(await reader.received(1))).toEqual(['now'])
})

test('D-80: a new stream starts at the present, even if a transaction in another database is older', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const end = await openForeignTransaction()
  try {
    for (const text of ['one', 'two']) await sendText(anna, channel_id, text)
    const reader = await read(plaza, anna, { channels: [channel_id] })
    await sendText(anna, channel_id, 'now')
    expect(messageTexts(await reader.received(1))).toEqual(['now'])
  } finally {
    await end()
  }
})

test('D-80: 500 long messages reach a reader that resumes, in order and once each', async () => {
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const before = await read(plaza, anna, { channels: [channel_id] })
  const id = before.lastEventId()
  await before.close()
  const long = 'x'.repeat(1_900)
  for (let from = 0; from < 500; from += 100)
    await race(plaza, 100, (at) => sendText(anna, channel_id, `${from + at} ${long}`))
  const reader = await read(plaza, anna, { channels: [channel_id], last_event_id: id })
  const events = await reader.received(500)
  expect(new Set(messageTexts(events)).size).toBe(500)
  const times = events.map(({ data }) => String(data.sent_at))
  expect(times).toEqual([...times].sort())
})

const move = (db: Database, users: SomeUser[], leaves: boolean) => {
  const now = plaza.clock.now()
  const updates = users.map(({ id }) => ({ user_id: id, game: null, lobby: null, leaves }))
  return writePresence(db, { updates, now, online_since: onlineSince(now) })
}

test('D-80: presence events of two processes are in the order of the changes, however long their batches wait', async () => {
  const anna = await someUser(plaza)
  const friends = await friendsOf(anna, 12)
  const reader = await read(other, anna)
  const dbs = [plaza.db, other.db]
  for (let round = 0; round < 60; round++) {
    // Overlapping batches in opposite orders, with some departures.
    await Promise.all(
      dbs.flatMap((db, process) =>
        [0, 1].map((turn) => {
          const part = friends.filter((_, at) => (at + round + process + turn) % 3 !== 0)
          return move(db, process === 0 ? part : part.reverse(), (round + process + turn) % 2 === 0)
        }),
      ),
    )
    if (round % 20 === 0) {
      plaza.clock.advance(91)
      await Promise.all([publishLapses({ db: plaza.db, clock: plaza.clock.now }), move(other.db, friends, false)])
    }
  }
  await friends[0]?.api.result(leavePresence)
  await friends[0]?.api.result(announcePresence, { body: { lobby: 'the end' } })
  while (reader.events.at(-1)?.data.lobby !== 'the end') await reader.received(reader.events.length + 1)
  const last = new Map(reader.events.map(({ data }) => [data.user_id, data.status]))
  const shown = (await anna.api.result(listPresence)).presence
  const truth = new Map(shown.map(({ user_id, status }) => [user_id, status]))
  for (const { id } of friends) expect([id, last.get(id)]).toEqual([id, truth.get(id) ?? 'offline'])
})

test('D-40: a suspended user is published as offline, and stays offline on a stream that is resumed', async () => {
  const anna = await someUser(plaza)
  const [berta] = (await friendsOf(anna, 1)) as [SomeUser]
  const reader = await read(plaza, anna)
  const beginning = reader.lastEventId()
  await berta.api.result(announcePresence, { body: { game: 'chess' } })
  await reader.received(1)
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: berta.id }, body: { suspended: true } })
  const [came, left] = await reader.received(2)
  expect([came?.data.status, left?.data]).toEqual([
    'online',
    {
      user_id: berta.id,
      status: 'offline',
      last_seen: plaza.clock.now().toISOString(),
      current_game: null,
      lobby: null,
    },
  ])
  expect(await plaza.db.sql`select 1 from presence where user_id = ${berta.id}`).toEqual([])
  const again = await read(plaza, anna, { last_event_id: beginning })
  expect((await again.received(2)).map(({ data }) => [data.status, data.current_game])).toEqual([
    ['offline', null],
    ['offline', null],
  ])
})
