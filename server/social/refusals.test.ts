import { expect, test } from 'vitest'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import type { FailureCode } from '../../contract/errors.ts'
import * as social from '../../contract/social.ts'
import { sharedService } from '../test/harness.ts'
import { fewer, invalid, outcome, refused, send, unstorable, type Sent } from '../test/refusals.ts'
import { someChannel, twoUsers } from '../test/social-world.ts'
import { digestTables } from '../test/table-digests.ts'
import { suspend } from '../test/world.ts'

const plaza = await sharedService()
const unknown_id = '01890000-0000-7000-8000-000000000000'
const { user_ids_max } = decisions.presence
const { channels_max } = decisions.event_streams

const [anna, suspended] = await twoUsers(plaza)
const channel_id = await someChannel(anna)
await suspend(plaza, suspended)

const call = async (endpoint: Declaration, sent: Sent) => outcome(await send(anna.api, endpoint, sent))

const body = (endpoint: Declaration, valid: object, path: string, value: unknown, ...messages: string[]) =>
  [endpoint, { params: { channel_id }, body: { ...valid, [path]: value } }, path, messages] as const
const query = (endpoint: Declaration, valid: object, path: string, value: unknown, ...messages: string[]) =>
  [endpoint, { params: { channel_id }, query: { ...valid, [path]: value } }, path, messages] as const

const ids = (many: number) => Array(many).fill(unknown_id).join(',')
const lists = (endpoint: Declaration, path: string, max: number) =>
  ['', 'x', `${unknown_id},`, `${unknown_id}, ${unknown_id}`, `${unknown_id};drop`, ids(max + 1)].map((value) =>
    query(endpoint, {}, path, value, `must be 1 to ${max} ids with commas between`),
  )
const no_event = 'must be the id of an event'
const table = { type: 'table', ref_id: 'of Anna' }

test('D-04: a value that only a rule of the domain refuses is 422 and named, and nothing is written', async () => {
  const before = await digestTables(plaza)
  for (const [endpoint, sent, path, messages] of [
    body(social.requestFriend, {}, 'friend_id', anna.id.toUpperCase(), 'must be another user'),
    body(social.blockUser, {}, 'user_id', anna.id.toUpperCase(), 'must be another user'),
    // On creation, null counts as absent (D-112).
    ...[undefined, null].map((value) => body(social.openChannel, table, 'ref_id', value, 'is required for a table')),
    body(social.openChannel, table, 'ref_id', 'half \ud83d', unstorable),
    body(social.sendMessage, {}, 'body', ' \n\t\u3000 ', 'must not be blank'),
    // It has the form of a timestamp, but `Date` cannot represent it.
    query(
      social.listMessages,
      {},
      'before',
      '2016-12-31T23:59:60Z',
      'must be a moment, such as 2026-01-31T12:00:00.000Z',
    ),
    ...lists(social.listPresence, 'user_ids', user_ids_max),
    ...lists(social.readEvents, 'channels', channels_max),
    ...['', 'y', ' y '].map((q) => query(social.searchUsers, {}, 'q', q, fewer(2))),
    ...['x', '1', '1-', `1-${'1'.repeat(17)}`].map((id) =>
      query(social.readEvents, { channels: channel_id }, 'last_event_id', id, no_event),
    ),
  ])
    expect([endpoint.path, sent, await call(endpoint, sent)]).toEqual([endpoint.path, sent, invalid(path, ...messages)])
  for (const id of ['DROP TABLE', '1'])
    expect(
      await call(social.readEvents, { query: { channels: channel_id }, headers: { 'last-event-id': id } }),
    ).toEqual(invalid('last-event-id', no_event))
  expect(await digestTables(plaza)).toEqual(before)
})

const rules: [what: string, Declaration, FailureCode, Sent][] = [
  ['nobody', social.requestFriend, 'user_not_found', { body: { friend_id: unknown_id } }],
  ['somebody suspended', social.requestFriend, 'user_not_found', { body: { friend_id: suspended.id } }],
  ['nobody', social.blockUser, 'user_not_found', { body: { user_id: unknown_id } }],
  ['no channel', social.readEvents, 'not_found', { query: { channels: `${channel_id},${unknown_id}` } }],
]

test('D-04: calls about unknown or suspended people and channels are refused, and nothing is written', async () => {
  const before = await digestTables(plaza)
  for (const [what, endpoint, code, sent] of rules)
    expect([endpoint.path, what, await call(endpoint, sent)]).toEqual([endpoint.path, what, refused(code)])
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-80: the event stream has no HEAD', async () => {
  const headers = { authorization: `Bearer ${anna.token}` }
  expect((await fetch(`${plaza.url}/api/events`, { method: 'HEAD', headers })).status).toBe(405)
})
