import { afterEach } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { answerFriend, openChannel, requestFriend, sendMessage, type friend_actions } from '../../contract/social.ts'
import { openEventReader, type EventReader } from './event-reader.ts'
import type { TestService } from './harness.ts'
import { outcome } from './refusals.ts'
import { someUser, type SomeUser } from './world.ts'

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

/** New users. */
export const someUsers = (plaza: TestService, count: number) =>
  Promise.all(Array.from({ length: count }, () => someUser(plaza)))

export const twoUsers = async (plaza: TestService) => (await someUsers(plaza, 2)) as [SomeUser, SomeUser]

/** The same user, calling another instance of the service. */
export const inProcess = ({ url }: TestService, user: SomeUser): SomeUser => ({
  ...user,
  api: new PlazaClient(url, user.token),
})

/** Requests a friendship; returns the outcome of the call. */
export const callRequest = async ({ api }: SomeUser, friend_id: string) =>
  outcome(await api.call(requestFriend, { body: { friend_id } }))

/** Requests a friendship, which must succeed; returns its id. */
export const requestedBy = async ({ api }: SomeUser, { id: friend_id }: SomeUser) =>
  (await api.result(requestFriend, { body: { friend_id } })).friendship_id

/** Answers a request; returns the outcome of the call. */
export const callAnswer = async ({ api }: SomeUser, id: string, action: (typeof friend_actions)[number]) =>
  outcome(await api.call(answerFriend, { params: { id }, body: { action } }))

/** Makes two users friends; returns the id of the friendship. */
export async function befriend(one: SomeUser, other: SomeUser) {
  const friendship_id = await requestedBy(one, other)
  await other.api.result(answerFriend, { params: { id: friendship_id }, body: { action: 'accept' } })
  return friendship_id
}
