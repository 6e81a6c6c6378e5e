import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { announcePresence, leavePresence } from '../../contract/social.ts'
import type { EventReader } from '../test/event-reader.ts'
import { race, sharedService } from '../test/harness.ts'
import { befriend, eventReaders } from '../test/social-world.ts'
import { someUser, type SomeUser } from '../test/world.ts'
import { publishLapses } from './presence.service.ts'

const plaza = await sharedService()
const other = await plaza.startAnother()
const lapse = () => publishLapses({ db: plaza.db, clock: plaza.clock.now })

const read = eventReaders()

/** A new user who follows the events of these friends. */
async function friendOf(friends: SomeUser[]) {
  const reader = await someUser(plaza)
  for (const friend of friends) await befriend(reader, friend)
  const events = await read(other, reader)
  return { ...events, user: reader }
}

const statuses = (events: EventReader['events']) => events.map(({ data }) => data.status)

test('D-80: a user who disappears without leaving is published as offline, once, by any process', async () => {
  const berta = await someUser(plaza)
  const reader = await friendOf([berta])
  await berta.api.result(announcePresence, { body: { game: 'chess', lobby: 'board 1' } })
  plaza.clock.advance(60)
  await berta.api.result(announcePresence, { body: { game: 'chess', lobby: 'board 1' } })
  const last_seen = plaza.clock.now().toISOString()
  plaza.clock.advance(89)
  await lapse()
  plaza.clock.advance(1)
  await Promise.all([lapse(), publishLapses({ db: other.db, clock: plaza.clock.now })])
  await lapse()
  await berta.api.result(announcePresence, { body: { game: 'go' } })
  const [came, lapsed, back] = await reader.received(3)
  expect([came?.data.status, came?.data.current_game]).toEqual(['online', 'chess'])
  expect([lapsed?.event, lapsed?.data]).toEqual([
    'presence',
    { user_id: berta.id, status: 'offline', last_seen, current_game: null, lobby: null },
  ])
  expect([back?.data.status, back?.data.current_game]).toEqual(['online', 'go'])
})

test('D-80: a user who leaves after a lapse that was not published yet is published as offline once', async () => {
  const berta = await someUser(plaza)
  const reader = await friendOf([berta])
  await berta.api.result(announcePresence, {})
  plaza.clock.advance(1_000)
  await berta.api.result(leavePresence)
  await lapse()
  await berta.api.result(leavePresence)
  await berta.api.result(announcePresence, {})
  expect(statuses(await reader.received(3))).toEqual(['online', 'offline', 'online'])
})

test('D-80: presence and lapses in parallel: users who posted presence are published as online last', async () => {
  const friends = await Promise.all(Array.from({ length: 20 }, () => someUser(plaza)))
  const reader = await friendOf(friends)
  for (let round = 1; round <= 5; round++) {
    await race(plaza, friends.length, (at) => (friends[at] as SomeUser).api.result(announcePresence, {}))
    plaza.clock.advance(91)
    await race<unknown>(plaza, 2 * friends.length, (at) => {
      const { token } = friends[at % friends.length] as SomeUser
      const { url } = at % 3 === 0 ? plaza : other
      return at < friends.length ? new PlazaClient(url, token).result(announcePresence, {}) : lapse()
    })
    const marker = `round ${round}`
    await (friends[0] as SomeUser).api.result(announcePresence, { body: { lobby: marker } })
    while (reader.events.at(-1)?.data.lobby !== marker) await reader.received(reader.events.length + 1)
    const last = new Map(reader.events.map(({ data }) => [data.user_id, data.status]))
    expect([...last.values()]).toEqual(friends.map(() => 'online'))
  }
})

test('D-80: a reader that resumes gets the changes of a friend who is still online, however long ago', async () => {
  const berta = await someUser(plaza)
  const reader = await friendOf([berta])
  await berta.api.result(announcePresence, { body: { game: 'chess' } })
  const [came] = await reader.received(1)
  await berta.api.result(announcePresence, { body: { game: 'go' } })
  for (let beats = 0; beats < 5; beats++) {
    plaza.clock.advance(60)
    await berta.api.result(announcePresence, { body: { game: 'go' } })
    await lapse()
  }
  const again = await read(plaza, reader.user, { last_event_id: came?.id ?? '' })
  expect((await again.received(1)).map(({ data }) => [data.status, data.current_game])).toEqual([['online', 'go']])
})
