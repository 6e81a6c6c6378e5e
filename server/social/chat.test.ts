import { expect, test } from 'vitest'
import { adminGetMessage } from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { blockUser, listMessages, openChannel, sendMessage, unblockUser } from '../../contract/social.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { outcome } from '../test/refusals.ts'
import { sendText, someChannel } from '../test/social-world.ts'
import { raw, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await startTestService({ CHAT_DENY_WORDS: 'flibber, gribble', CHAT_ALLOW_WORDS: 'hentai' })
const unknown_id = '01890000-0000-7000-8000-000000000000'

const page = ({ api }: SomeUser, channel_id: string, query: { limit?: number; before?: string } = {}) =>
  api.result(listMessages, { params: { channel_id }, query })

/** Every message, read in pages from the newest to the oldest by `before`. */
async function readAll(user: SomeUser, channel_id: string, limit: number) {
  const all: Awaited<ReturnType<typeof page>> = []
  for (;;) {
    const before = all.at(-1)?.sent_at
    const next = await page(user, channel_id, { limit, ...(before !== undefined && { before }) })
    if (next.length === 0) return all
    all.push(...next)
  }
}

test('spec chat/channels: creates a channel, and returns the same one to later calls', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const body = { type: 'table', ref_id: 'poker 1' } as const
  const made = await anna.api.call(openChannel, { body })
  const id = made.ok ? made.body.id : ''
  expect(outcome(made)).toEqual([201, { id, type: 'table', ref_id: 'poker 1' }])
  expect(outcome(await berta.api.call(openChannel, { body }))).toEqual([200, { id, type: 'table', ref_id: 'poker 1' }])
})

test('D-72: type and ref_id identify the channel; without a ref_id it is a separate channel', async () => {
  const { api } = await someUser(plaza)
  const bodies = [{ type: 'lobby' }, { type: 'lobby', ref_id: 'x' }, { type: 'table', ref_id: 'x' }] as const
  const ids = await Promise.all(bodies.map(async (body) => (await api.result(openChannel, { body })).id))
  expect(new Set(ids).size).toBe(3)
  const again = await api.call(openChannel, { body: { type: 'lobby' } })
  expect(outcome(again)).toEqual([200, { id: ids[0], type: 'lobby', ref_id: null }])
})

test.each([{ type: 'table', ref_id: 'crowded' } as const, { type: 'lobby' } as const])(
  'D-72: 50 parallel calls that open %o, in two processes, get one channel',
  async (body) => {
    await plaza.db.sql`delete from channels where ref_id is null`
    const { token } = await someUser(plaza)
    const other = await plaza.startAnother()
    const replies = await race(plaza, 50, (at) =>
      raw(at % 2 === 0 ? plaza : other, 'POST', '/api/social/chat/channels', {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 49, 201: 1 })
    expect(new Set(replies.map(({ body: answer }) => (answer as { id: string }).id)).size).toBe(1)
  },
)

test('spec chat/messages: the post returns the message as the list shows it, newest first', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const channel_id = await someChannel(anna)
  const reply = await anna.api.call(sendMessage, { params: { channel_id }, body: { body: 'Good evening!' } })
  const first = reply.ok ? reply.body : undefined
  expect(outcome(reply)).toEqual([
    201,
    {
      id: first?.id,
      sender_id: anna.id,
      sender_username: anna.username,
      sender_display_name: null,
      sender_picture_url: null,
      filtered_body: 'Good evening!',
      sent_at: first?.sent_at,
      removed: false,
      removed_by: null,
      edited_at: null,
      reactions: [],
      my_reactions: [],
    },
  ])
  const second = await sendText(berta, channel_id, 'And to you')
  expect(await page(anna, channel_id)).toEqual([second, first])
  expect(await page(anna, await someChannel(anna))).toEqual([])
})

test('D-73: 120 messages sent at once by two processes come back once each, strictly newest first', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const other = await plaza.startAnother()
  const replies = await race(plaza, 120, async (at) => {
    const reply = await raw(at % 2 === 0 ? plaza : other, 'POST', `/api/social/chat/${channel_id}/messages`, {
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ body: `message ${at}` }),
    })
    return reply.body as { id: string; sent_at: string }
  })
  const all = await readAll(user, channel_id, 7)
  expect(all.length).toBe(120)
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set(replies.map(({ id }) => id)))
  const times = all.map(({ sent_at }) => Date.parse(sent_at))
  expect(times.every((time, at) => at === 0 || time < (times[at - 1] ?? 0))).toBe(true)
  expect(replies.every(({ id, sent_at }) => all.find((message) => message.id === id)?.sent_at === sent_at)).toBe(true)
})

test('D-73: messages of one sender keep their order, even when the clock steps back', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  plaza.clock.advance(3600)
  await sendText(user, channel_id, 'one')
  plaza.clock.advance(-3600)
  await sendText(user, channel_id, 'two')
  await sendText(user, channel_id, 'three')
  expect((await page(user, channel_id)).map(({ filtered_body }) => filtered_body)).toEqual(['three', 'two', 'one'])
})

test('D-73: before is the same time in every format, and excludes that message and newer ones only', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  for (const body of ['one', 'two', 'three']) await sendText(user, channel_id, body)
  const [, two] = await page(user, channel_id)
  const time = new Date(two?.sent_at ?? '')
  const shown = async (before: string) =>
    (await page(user, channel_id, { before })).map(({ filtered_body }) => filtered_body)
  const utc = time.toISOString()
  const cairo = `${new Date(time.getTime() + 7_200_000).toISOString().slice(0, -1)}+02:00`
  for (const before of [utc, utc.toLowerCase(), cairo, cairo.replace(/:00$/, ''), utc.replace('Z', '000Z')])
    expect([before, await shown(before)]).toEqual([before, ['one']])
  // A finer time is after the message of its millisecond.
  expect(await shown(utc.replace('Z', '001Z'))).toEqual(['two', 'one'])
  expect(await shown(utc.replace('Z', '999999Z'))).toEqual(['two', 'one'])
  expect(await shown('9999-12-31T23:59:59Z')).toEqual(['three', 'two', 'one'])
  expect(await shown('0001-01-01T00:00:00Z')).toEqual([])
})

test('spec Limits: a page has 50 messages by default', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  await race(plaza, 60, (at) => sendText(user, channel_id, `message ${at}`))
  expect((await page(user, channel_id)).length).toBe(50)
  expect((await page(user, channel_id, { limit: 1 })).length).toBe(1)
  expect((await page(user, channel_id, { limit: 100 })).length).toBe(60)
})

test('D-73: 1 to 2000 characters, counted as code points; markup is text like any other', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const call = (body: string) => user.api.call(sendMessage, { params: { channel_id }, body: { body } })
  const markup = `<script>alert("1")</script> & 'quotes' \\ {{x}} %s`
  for (const body of ['x', 'x'.repeat(2000), '😀'.repeat(2000), '\u2067right to left\u2069', ' spaces stay ', markup]) {
    const reply = await call(body)
    expect([reply.status, reply.ok && reply.body.filtered_body]).toEqual([201, body])
  }
})

test('a message to an unknown channel does not affect those that are posted with it', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const replies = await race(plaza, 40, (at) =>
    user.api.call(sendMessage, {
      params: { channel_id: at % 4 === 0 ? unknown_id : channel_id },
      body: { body: `message ${at}` },
    }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 30, 404: 10 })
  expect((await page(user, channel_id)).length).toBe(30)
})

test('D-71: the blocker sees no messages of the blocked user, and pages are still full', async () => {
  const [anna, pest] = [await someUser(plaza), await someUser(plaza)]
  const channel_id = await someChannel(anna)
  for (let turn = 0; turn < 5; turn++) {
    await sendText(anna, channel_id, `anna ${turn}`)
    await sendText(pest, channel_id, `pest ${turn}`)
  }
  await anna.api.result(blockUser, { body: { user_id: pest.id } })
  const seen = await page(anna, channel_id, { limit: 4 })
  expect(seen.map(({ filtered_body }) => filtered_body)).toEqual(['anna 4', 'anna 3', 'anna 2', 'anna 1'])
  expect((await readAll(anna, channel_id, 2)).length).toBe(5)
  expect((await page(pest, channel_id)).length).toBe(10)
  await anna.api.result(unblockUser, { params: { user_id: pest.id } })
  expect((await page(anna, channel_id)).length).toBe(10)
})

test('spec Chat message: sender_username is null after the sender has left; the message remains', async () => {
  const [anna, leaver] = [await someUser(plaza), await someUser(plaza)]
  const channel_id = await someChannel(anna)
  const message = await sendText(leaver, channel_id, 'goodbye')
  await plaza.db.sql`delete from users where id = ${leaver.id}`
  expect(await page(anna, channel_id)).toEqual([{ ...message, sender_username: null }])
})

test('D-74: bad words are masked, configured ones too; only moderators get the unfiltered text, and their access is audited', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  const body = 'Oh fuck, sh1t and fl1bber in the cockpit of a hentai gribblet'
  const masked = 'Oh ****, **** and ******* in the cockpit of a hentai gribblet'
  const message = await sendText(user, channel_id, body)
  expect(message.filtered_body).toBe(masked)
  expect(JSON.stringify(await page(user, channel_id))).not.toContain('fuck')
  const admin = await theAdmin(plaza)
  const params = { id: message.id }
  const { id, sender_id, sender_username, filtered_body, sent_at } = message
  const raw = { id, sender_id, sender_username, filtered_body, sent_at, channel_id, body, removed_at: null }
  expect(outcome(await admin.api.call(adminGetMessage, { params }))).toEqual([200, raw])
  const audit = await admin.api.result(listAudit, { query: { target_id: message.id } })
  expect(audit.data).toMatchObject([{ actor_id: admin.id, action: 'message.read', details: {} }])
  expect(plaza.logged()).not.toContain('fl1bber')
})
