import { expect, test } from 'vitest'
import { listMessages, sendMessage } from '../../contract/social.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { someChannel } from '../test/social-world.ts'
import { raw, someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const unknown_id = '01890000-0000-7000-8000-000000000000'

const post = ({ api }: SomeUser, channel_id: string, body: string, key?: string) =>
  api.call(sendMessage, {
    params: { channel_id },
    body: { body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
const page = ({ api }: SomeUser, channel_id: string) => api.result(listMessages, { params: { channel_id }, query: {} })
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed')

test('D-92: 50 equal posts with one key at once, in two processes, are one message', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const other = await plaza.startAnother()
  const replies = await race(plaza, 50, (at) =>
    raw(at % 2 === 0 ? plaza : other, 'POST', `/api/social/chat/${channel_id}/messages`, {
      headers: {
        authorization: `Bearer ${user.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify({ body: 'only once' }),
    }),
  )
  const listed = await page(user, channel_id)
  expect(listed.map(({ filtered_body }) => filtered_body)).toEqual(['only once'])
  expect(countBy(replies, (reply) => String(isReplayed(reply)))).toEqual({ null: 1, true: 49 })
  for (const reply of replies) expect(outcome(reply)).toEqual([201, listed[0]])
  const events = await plaza.db.sql<{ count: number }>`select count(*) from events where channel_id = ${channel_id}`
  expect(events).toEqual([{ count: 1 }])
})

test('D-92: a repetition gets the first response at any later time', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const first = await post(user, channel_id, 'hello', 'k')
  await post(user, channel_id, 'and more')
  plaza.clock.advance(3_600)
  const again = await post(user, channel_id, 'hello', 'k')
  expect([isReplayed(first), isReplayed(again)]).toEqual([null, 'true'])
  expect(outcome(again)).toEqual(outcome(first))
  expect((await page(user, channel_id)).length).toBe(2)
})

test('D-92: another text or another channel under the same key is refused, and nothing is posted', async () => {
  const user = await someUser(plaza)
  const [here, there] = [await someChannel(user), await someChannel(user)]
  await post(user, here, 'hello', 'k')
  expect(outcome(await post(user, here, 'hello!', 'k'))).toEqual(refused('idempotency_key_reused'))
  expect(outcome(await post(user, there, 'hello', 'k'))).toEqual(refused('idempotency_key_reused'))
  expect(outcome(await post(user, unknown_id, 'hello', 'k'))).toEqual(refused('idempotency_key_reused'))
  expect([(await page(user, here)).length, (await page(user, there)).length]).toEqual([1, 0])
})

test('D-92: of different texts under one key in parallel, one is posted and the others are refused', async () => {
  const user = await someUser(plaza)
  const channels = [await someChannel(user), await someChannel(user)]
  const replies = await race(plaza, 40, (at) => post(user, channels[at % 2] ?? unknown_id, `text ${at % 4}`, 'k'))
  const posted = await Promise.all(channels.map((channel_id) => page(user, channel_id)))
  expect(posted.flat().length).toBe(1)
  expect(countBy(replies, (reply) => `${reply.status} ${isReplayed(reply)}`)).toEqual({
    '201 null': 1,
    '201 true': 9,
    '422 null': 30,
  })
})

test('D-92: a refused post leaves no trace of its key', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  expect(outcome(await post(user, unknown_id, 'hello', 'k'))).toEqual(refused('not_found'))
  expect(outcome(await post(user, channel_id, '  ', 'k'))).toEqual(invalid('body', 'must not be blank'))
  const posted = await post(user, channel_id, 'hello', 'k')
  expect([posted.status, isReplayed(posted)]).toEqual([201, null])
  // In one batch too: a post to an unknown channel does not take the key.
  const replies = await race(plaza, 20, (at) => post(user, at % 2 === 0 ? unknown_id : channel_id, 'both', 'k2'))
  expect(
    countBy(
      replies.filter(({ status }) => status === 201),
      (reply) => String(isReplayed(reply)),
    ),
  ).toEqual({
    null: 1,
    true: 9,
  })
  expect((await page(user, channel_id)).length).toBe(2)
})

test('D-92: keys are per sender; without keys equal posts are separate messages', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const channel_id = await someChannel(anna)
  await post(anna, channel_id, 'hello', 'k')
  const hers = await post(berta, channel_id, 'hello', 'k')
  expect([hers.status, isReplayed(hers)]).toEqual([201, null])
  await race(plaza, 10, () => post(anna, channel_id, 'hello'))
  expect((await page(anna, channel_id)).length).toBe(12)
})

test('D-92: times rise in a channel, and messages stay in order, whether they carry keys or not', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const replies = await race(plaza, 60, (at) =>
    post(user, channel_id, `m ${at % 30}`, at % 2 === 0 ? undefined : `key ${at % 30}`),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  const listed = await page(user, channel_id)
  expect(listed.length).toBe(45)
  expect(new Set(listed.map(({ sent_at }) => sent_at)).size).toBe(45)
})
