import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import type { FailureCode } from '../../contract/errors.ts'
import * as reports from '../../contract/moderation.ts'
import * as social from '../../contract/social.ts'
import { channel_types } from '../../contract/social-fields.ts'
import { sharedService } from '../test/harness.ts'
import * as cases from '../test/refusal-cases.ts'
import { fewer, invalid, more, no_text, outcome, refused } from '../test/refusals.ts'
import { befriend, requestedBy, someChannel } from '../test/social-world.ts'
import { raw, someUser, type SomeUser } from '../test/world.ts'

const contract = { ...social, createReport: reports.createReport, listMyReports: reports.listMyReports }
const plaza = await sharedService()
const unknown_id = '01890000-0000-7000-8000-000000000000'
const { ref_id_max } = decisions.chat_channels
const { body_max } = decisions.chat_messages
const { name_max, user_ids_max } = decisions.presence
const { query_max } = decisions.user_search
const { channels_max } = decisions.event_streams

/** Anna calls. Berta has requested her friendship, she has requested Clara's; she blocks Dora, Edna blocks her, Frieda is her friend. */
const [anna, berta, clara, dora, edna, frieda, stranger, suspended] = (await Promise.all(
  Array.from({ length: 8 }, () => someUser(plaza)),
)) as [SomeUser, SomeUser, SomeUser, SomeUser, SomeUser, SomeUser, SomeUser, SomeUser]

const block = (who: SomeUser, whom: SomeUser) => who.api.result(contract.blockUser, { body: { user_id: whom.id } })
const [from_berta, to_clara, with_frieda] = [
  await requestedBy(berta, anna),
  await requestedBy(anna, clara),
  await befriend(anna, frieda),
]
const channel_id = await someChannel(anna)
await block(anna, dora)
await block(edna, anna)
await cases.suspend(plaza, suspended)
await anna.api.result(contract.announcePresence, { body: { game: 'chess' } })

/** An allowed call of each endpoint, by Anna; it writes where the endpoint writes. */
const allowed = {
  listFriends: {},
  requestFriend: { body: { friend_id: stranger.id } },
  listPendingFriends: {},
  answerFriend: { params: { id: from_berta }, body: { action: 'accept' } },
  removeFriend: { params: { id: with_frieda } },
  blockUser: { body: { user_id: clara.id } },
  unblockUser: { params: { user_id: dora.id } },
  listBlocks: {},
  openChannel: { body: { type: 'table', ref_id: 'of Anna' } },
  listMessages: { params: { channel_id } },
  sendMessage: { params: { channel_id }, body: { body: 'hello' } },
  listPresence: {},
  announcePresence: { body: { game: 'go', lobby: '1' } },
  leavePresence: {},
  listTablePresence: { query: { game: 'chess', ref_id: '1' } },
  searchUsers: { query: { q: 'anna' } },
  createReport: { body: { user_id: frieda.id, reason: 'spam' } },
  listMyReports: {},
  readEvents: { query: { channels: channel_id } },
} satisfies Record<string, cases.Sent>
type Name = keyof typeof allowed
const calls = Object.entries(allowed) as [Name, cases.Sent][]
const declared: Record<Name, Declaration> = { ...contract }

const call = async (name: Name, change: cases.Sent = {}, { api } = anna) =>
  outcome(await cases.send(api, declared[name], { ...allowed[name], ...change }))

const writtenOnPurpose = cases.expectNoWrites(plaza, [
  'friendships',
  'blocks',
  'presence',
  'channels',
  'messages',
  'events',
  'reports',
  'moderation_cases',
])

test('the calls of this file are those of all endpoints of the domain', () => {
  const mounted = plaza.service.app.endpoints.filter(({ tag }) => tag === 'Social')
  expect(new Set(calls.map(([name]) => declared[name]))).toEqual(new Set(mounted))
})

test.each(await cases.credentialsForNoUser(plaza, anna))(
  'D-04: with %s every call is 401 %s, and nothing is written',
  async (_, code, token) => {
    const nobody = { ...anna, api: new PlazaClient(plaza.url, token) }
    for (const [name] of calls) expect([name, await call(name, {}, nobody)]).toEqual([name, refused(code)])
  },
)

const bodies: [Name, field: string, cases.RefusedValues][] = [
  ['requestFriend', 'friend_id', cases.refused_ids],
  ['requestFriend', 'friend_id', [[anna.id.toUpperCase(), 'must be another user']]],
  ['answerFriend', 'action', cases.refusedWords(contract.friend_actions)],
  ['blockUser', 'user_id', cases.refused_ids],
  ['blockUser', 'user_id', [[anna.id.toUpperCase(), 'must be another user']]],
  ['openChannel', 'type', cases.refusedWords(channel_types)],
  ['openChannel', 'ref_id', [[undefined, 'is required for a table']]],
  // On creation, null counts as absent (D-112).
  ['openChannel', 'ref_id', [[null, 'is required for a table']]],
  ['openChannel', 'ref_id', [['', fewer(1)], ...cases.refusedTexts(ref_id_max).filter(([value]) => value !== null)]],
  ['sendMessage', 'body', cases.missing],
  ['sendMessage', 'body', [['', fewer(1)], ...cases.refusedTexts(body_max)]],
  ['sendMessage', 'body', [[' \n\t\u3000 ', 'must not be blank']]],
  ['announcePresence', 'game', cases.refusedTexts(name_max)],
  ['announcePresence', 'lobby', cases.refusedTexts(name_max)],
]

test.each(bodies)('D-04: %s: an invalid `%s` is 422 and named', async (name, field, values) => {
  const { body } = allowed[name] as { body: object }
  for (const [value, ...messages] of values)
    expect([value, await call(name, { body: { ...body, [field]: value } })]).toEqual([
      value,
      invalid(field, ...messages),
    ])
})

const ids = (many: number) => Array(many).fill(unknown_id).join(',')
const noList = (max: number): cases.RefusedValues =>
  ['', 'x', `${unknown_id},`, `${unknown_id}, ${unknown_id}`, `${unknown_id};drop`, ids(max + 1)].map((value) => [
    value,
    `must be 1 to ${max} ids with commas between`,
  ])
const noEventId = (...values: string[]): cases.RefusedValues =>
  values.map((value) => [value, 'must be the id of an event'])
const bad_moments = ['2026-01-01T00:00:00', '2026-01-01', 'yesterday', '1767225600', '2026-02-30T00:00:00Z', '']
/** It has the form of a timestamp, but no `Date` can represent it. */
const leap_second = '2016-12-31T23:59:60Z'

const elsewhere: [Name, 'params' | 'query' | 'headers', field: string, cases.RefusedValues][] = [
  ['answerFriend', 'params', 'id', cases.refused_param_ids],
  ['removeFriend', 'params', 'id', cases.refused_param_ids],
  ['unblockUser', 'params', 'user_id', cases.refused_param_ids],
  ['listMessages', 'params', 'channel_id', cases.refused_param_ids],
  ['sendMessage', 'params', 'channel_id', cases.refused_param_ids],
  ['listBlocks', 'query', 'limit', cases.refused_limits],
  ['listBlocks', 'query', 'cursor', ['', 'nonsense'].map((value) => [value, 'is not a cursor of this list'])],
  ['listBlocks', 'query', 'cursor', [['x'.repeat(201), more(200)]]],
  ['listMessages', 'query', 'limit', cases.refused_limits],
  ['listMessages', 'query', 'before', bad_moments.map((value) => [value, 'must match format "date-time"'])],
  ['listMessages', 'query', 'before', [[leap_second, 'must be a moment, such as 2026-01-31T12:00:00.000Z']]],
  ['listPresence', 'query', 'user_ids', noList(user_ids_max)],
  ['listTablePresence', 'query', 'game', [...cases.missing, ...cases.refusedUrlTexts(name_max)]],
  ['listTablePresence', 'query', 'ref_id', [...cases.missing, ...cases.refusedUrlTexts(name_max)]],
  ['searchUsers', 'query', 'q', [...cases.missing, ...cases.refusedUrlTexts(query_max)]],
  ['searchUsers', 'query', 'q', ['', 'y', ' y '].map((value) => [value, fewer(2)])],
  ['readEvents', 'query', 'channels', noList(channels_max)],
  ['readEvents', 'query', 'last_event_id', noEventId('x', '1', '1-', `1-${'1'.repeat(17)}`)],
  ['readEvents', 'headers', 'last-event-id', noEventId('DROP TABLE', '1')],
]

test.each(elsewhere)('D-04: %s: bad %s, `%s`: 422 and named', async (name, part, field, faults) => {
  const sent = (allowed[name] as cases.Sent)[part]
  for (const [value, ...messages] of faults)
    expect([value, await call(name, { [part]: { ...sent, [field]: value } })]).toEqual([
      value,
      invalid(field, ...messages),
    ])
})

test.each([
  ['listBlocks', 'limit', 'must be integer'],
  ['listBlocks', 'cursor', no_text],
  ['listMessages', 'limit', 'must be integer'],
  ['listMessages', 'before', no_text],
  ['listPresence', 'user_ids', no_text],
  ['listTablePresence', 'game', no_text],
  ['listTablePresence', 'ref_id', no_text],
  ['searchUsers', 'q', no_text],
  ['readEvents', 'channels', no_text],
  ['readEvents', 'last_event_id', no_text],
] as const)('D-04: %s: `%s` in brackets is a list, and 422', async (name, field, message) => {
  const query = { ...(allowed[name] as cases.Sent).query, [field]: undefined, [`${field}[]`]: '1' }
  expect(await call(name, { query })).toEqual(invalid(field, message))
})

test.each(calls.filter(([name]) => declared[name].body).map(([name, { params }]) => ({ name, params })))(
  'D-04: $name: a body that is no object is 422; no JSON, another format or too much of it is refused unread',
  async ({ name, params = {} }) => {
    for (const body of [[], null, 'text', 7])
      expect([body, await call(name, { body })]).toEqual([body, invalid('', 'must be object')])
    const { method, path } = declared[name]
    const address = path.replace(/\{(\w+)\}/, (_, param: string) => String(params[param]))
    for (const [type, body, status, detail] of [
      ['application/json', '{', 400, 'Bad Request'],
      ['application/x-www-form-urlencoded', 'a=1', 415, 'Unsupported Media Type'],
      ['application/json', `{"body":"${'x'.repeat(2 ** 20)}"}`, 413, 'Payload Too Large'],
    ] as const) {
      const headers = { authorization: `Bearer ${anna.token}`, 'content-type': type }
      expect(outcome(await raw(plaza, method, address, { headers, body }))).toEqual([status, { errors: { detail } }])
    }
  },
)

const people = { anna, berta, frieda, stranger }
const rules: [keyof typeof people, Name, what: string, FailureCode, cases.Sent][] = [
  ['anna', 'requestFriend', 'nobody', 'user_not_found', { body: { friend_id: unknown_id } }],
  ['anna', 'requestFriend', 'somebody suspended', 'user_not_found', { body: { friend_id: suspended.id } }],
  ['anna', 'requestFriend', 'who blocks the caller', 'user_not_found', { body: { friend_id: edna.id } }],
  ['anna', 'requestFriend', 'whom the caller blocks', 'blocked', { body: { friend_id: dora.id } }],
  ['anna', 'answerFriend', 'no friendship', 'not_found', { params: { id: unknown_id } }],
  ['stranger', 'answerFriend', 'a request to another', 'not_found', { params: { id: from_berta } }],
  ['anna', 'answerFriend', 'the caller’s own request', 'forbidden', { params: { id: to_clara } }],
  ['anna', 'answerFriend', 'the own request when answered', 'forbidden', { params: { id: with_frieda } }],
  ['frieda', 'answerFriend', 'a request when answered', 'not_allowed_now', { params: { id: with_frieda } }],
  ['anna', 'removeFriend', 'no friendship', 'not_found', { params: { id: unknown_id } }],
  ['stranger', 'removeFriend', 'a friendship of others', 'not_found', { params: { id: with_frieda } }],
  ['anna', 'blockUser', 'nobody', 'user_not_found', { body: { user_id: unknown_id } }],
  ['anna', 'listMessages', 'no channel', 'not_found', { params: { channel_id: unknown_id } }],
  ['anna', 'sendMessage', 'no channel', 'not_found', { params: { channel_id: unknown_id } }],
  ['anna', 'readEvents', 'no channel', 'not_found', { query: { channels: `${channel_id},${unknown_id}` } }],
]

test.each(rules)('D-04: %s: %s, %s: %s, and nothing is written', async (who, name, _, code, change) => {
  expect(await call(name, change, people[who])).toEqual(refused(code))
})

test('D-80: the event stream has no HEAD', async () => {
  const reply = await fetch(`${plaza.url}/api/events`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${anna.token}` },
  })
  expect(reply.status).toBe(405)
})

test('the unchanged calls of this file succeed', async () => {
  for (const [name, sent] of calls.filter(([each]) => each !== 'readEvents'))
    expect([name, await cases.send(anna.api, declared[name], sent)]).toMatchObject([name, { ok: true }])
  await writtenOnPurpose()
})
