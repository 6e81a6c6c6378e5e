import { afterEach } from 'vitest'
import { PlazaClient } from '../../client/client.ts'
import { answerFriend, openChannel, requestFriend, sendMessage } from '../../contract/social.ts'
import { openEventReader, type EventReader } from './event-reader.ts'
import type { TestService } from './harness.ts'
import type { SomeUser } from './world.ts'

/** Opens event streams as `readEventsOf` does, and closes them when the test is done. Call it once per file. */
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

let tables = 0
/** A channel of its own. */
export const someChannel = async ({ api }: SomeUser) =>
  (await api.result(openChannel, { body: { type: 'table', ref_id: `table ${++tables}` } })).id

/** Says something in a channel; in another process where one is named. */
export const sendText = ({ api, token }: SomeUser, channel_id: string, body: string, at?: TestService) =>
  (at ? new PlazaClient(at.url, token) : api).result(sendMessage, { params: { channel_id }, body: { body } })

/** What messages say, as their events show it. */
export const messageTexts = (events: EventReader['events']) => events.map(({ data }) => data.filtered_body)

/** Makes two people friends; answers under which id. */
export async function befriend(one: SomeUser, other: SomeUser) {
  const { friendship_id } = await one.api.result(requestFriend, { body: { friend_id: other.id } })
  await other.api.result(answerFriend, { params: { id: friendship_id }, body: { action: 'accept' } })
  return friendship_id
}
