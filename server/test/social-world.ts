import { afterEach } from 'vitest'
import { PlazaClient } from '../../client/client.ts'
import { answerFriend, openChannel, requestFriend, sendMessage } from '../../contract/social.ts'
import { openEventReader, type EventReader } from './event-reader.ts'
import type { TestService } from './harness.ts'
import type { SomeUser } from './world.ts'

/** Returns `openEventReader`, with readers that close after each test. Call it once per file. */
export function eventReaders() {
  const opened: EventReader[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((reader) => reader.close()))
  })
  return async (...input: Parameters<typeof openEventReader>) => {
    const reader = await openEventReader(...input)
    opened.push(reader)
    return reader
  }
}

let channels = 0
/** The id of a new channel. */
export const someChannel = async ({ api }: SomeUser) =>
  (await api.result(openChannel, { body: { type: 'table', ref_id: `table ${++channels}` } })).id

/** Sends a message to a channel, optionally through another instance of the service. */
export const sendText = ({ api, token }: SomeUser, channel_id: string, body: string, at?: TestService) =>
  (at ? new PlazaClient(at.url, token) : api).result(sendMessage, { params: { channel_id }, body: { body } })

/** The texts of messages, taken from their events. */
export const messageTexts = (events: EventReader['events']) => events.map(({ data }) => data.filtered_body)

/** Makes two users friends; returns the id of the friendship. */
export async function befriend(one: SomeUser, other: SomeUser) {
  const { friendship_id } = await one.api.result(requestFriend, { body: { friend_id: other.id } })
  await other.api.result(answerFriend, { params: { id: friendship_id }, body: { action: 'accept' } })
  return friendship_id
}
