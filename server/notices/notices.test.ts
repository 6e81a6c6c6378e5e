import { expect, test } from 'vitest'
import {
  adminListScopeRequests,
  approveApp,
  approveScopeRequest,
  denyScopeRequest,
  rejectApp,
} from '../../contract/admin-apps.ts'
import { adminListCases, decideCase, setChatMute } from '../../contract/admin-moderation.ts'
import { PlazaClient } from '../../contract/client.ts'
import { readDirectMessages, sendDirectMessage } from '../../contract/conversations.ts'
import { decisions } from '../../contract/decisions.ts'
import { createReport } from '../../contract/moderation.ts'
import type { NoticeKind } from '../../contract/kinds/notices.ts'
import { countUnreadNotices, readNotices } from '../../contract/notice-reads.ts'
import * as contract from '../../contract/notices.ts'
import { createApp, requestScopes } from '../../contract/oauth-apps.ts'
import { createPayout, createRefund } from '../../contract/payments.ts'
import { spendPoints, transferPoints } from '../../contract/points.ts'
import { blockUser, openChannel, removeFriend } from '../../contract/social.ts'
import { newIdAt } from '../platform/ids.ts'
import { makeAdmin } from '../accounts/registration.service.ts'
import { race, startTestService, type TestService } from '../test/harness.ts'
import { notify } from './service.ts'
import { invalid, no_id, outcome, refused } from '../test/refusals.ts'
import { startMailbox } from '../test/smtp-server.ts'
import {
  befriend,
  callAnswer,
  eventReaders,
  requestedBy,
  sendText,
  someChannel,
  someUsers,
  twoUsers,
} from '../test/social-world.ts'
import { sleep } from '../test/wait.ts'
import { digestTables } from '../test/table-digests.ts'
import { suspend, givePoints, jsonCaller, someApp, someUser, theAdmin, world, type SomeUser } from '../test/world.ts'

const { smtp_url, received: mails } = await startMailbox()
const plaza = await startTestService({
  SMTP_URL: smtp_url,
  MAIL_FROM: 'Plaza <post@plaza.test>',
  JWT_TTL: '300000000',
})
const admin = await theAdmin(plaza)
const read = eventReaders()
const nobody = '01890000-0000-7000-8000-000000000000'
const { unread_max, kept_days, kept_max } = decisions.notices

const runJob = (name: string, payload: Record<string, unknown> = {}, at: TestService = plaza) =>
  at.service.app.jobs.find((job) => job.name === name)!.run(payload, 'test')
function gather(source: 'points' | 'social' | 'admin', at = plaza) {
  // Messages are not gathered while they may be read as they arrive.
  if (source === 'social') plaza.clock.advance(decisions.notices.reading_seconds)
  return runJob(`${source}.gather_notices`, {}, at)
}

const noticesOf = async ({ api }: SomeUser, query: { kind?: NoticeKind; unread?: boolean } = {}) =>
  (await api.result(contract.listNotices, { query })).data
const unreadOf = async ({ api }: SomeUser) => (await api.result(countUnreadNotices)).unread
const markRead = async ({ api }: SomeUser, body: object) => outcome(await api.call(readNotices, { body }))
const change = async ({ api }: SomeUser, kind: NoticeKind, body: { console?: boolean; mail?: boolean }) =>
  outcome(await api.call(contract.changeNoticeSetting, { params: { kind }, body }))

test('D-119: a friend request is one notice, with its answer; one that is answered or taken back is gone', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const id = await requestedBy(anna, berta)
  await requestedBy(anna, berta)
  expect(await noticesOf(berta)).toEqual([
    {
      id: expect.any(String) as string,
      kind: 'friends',
      event: 'friend_requested',
      count: 1,
      amount: null,
      app_id: null,
      reason: null,
      subject_id: anna.id,
      subject_name: anna.username,
      is_read: false,
      happened_at: plaza.clock.now().toISOString(),
    },
  ])
  await callAnswer(berta, id, 'accept')
  expect(await noticesOf(berta)).toEqual([])
  expect(await noticesOf(anna)).toMatchObject([{ event: 'friend_accepted', subject_name: berta.username }])
  await anna.api.result(removeFriend, { params: { id } })
  expect(await noticesOf(anna)).toEqual([])
  await requestedBy(anna, berta)
  await berta.api.result(blockUser, { body: { user_id: anna.id } })
  expect([await noticesOf(anna), await noticesOf(berta)]).toEqual([[], []])
})

test('D-119: ten messages of a table are one notice for those who wrote in it, without those of blocked people; nothing of the lobby', async () => {
  const [anna, berta, clara, dora] = (await someUsers(plaza, 4)) as [SomeUser, SomeUser, SomeUser, SomeUser]
  const channel_id = await someChannel(anna)
  for (const user of [anna, clara]) await sendText(user, channel_id, 'hello')
  await gather('social')
  expect(await noticesOf(anna)).toMatchObject([{ event: 'messages_came', count: 1, subject_id: channel_id }])
  await clara.api.result(blockUser, { body: { user_id: berta.id } })
  for (let n = 0; n < 9; n++) await sendText(berta, channel_id, `message ${n}`)
  await Promise.all([gather('social'), gather('social')])
  await gather('social')
  expect(await noticesOf(anna)).toMatchObject(
    [{ kind: 'messages', count: 10, subject_name: /^table / }].map((one) => ({
      ...one,
      subject_name: expect.stringMatching(one.subject_name) as string,
    })),
  )
  for (const user of [berta, clara, dora]) expect(await noticesOf(user)).toEqual([])
  expect(await markRead(anna, { channel_id })).toEqual([200, { unread: 0 }])
  expect(await noticesOf(anna, { unread: true })).toEqual([])
  // A person who answers has read the earlier messages.
  await sendText(berta, channel_id, 'again')
  await sendText(anna, channel_id, 'an answer')
  await sendText(berta, channel_id, 'and again')
  await gather('social')
  expect(await noticesOf(anna)).toMatchObject([{ count: 1, is_read: false }])

  const lobby = await anna.api.result(openChannel, { body: { type: 'lobby' } })
  for (const user of [dora, berta]) await sendText(user, lobby.id, 'hello')
  await gather('social')
  expect(await noticesOf(dora)).toEqual([])
})

test('D-161: direct messages make one notice per friend, without read or answered ones; reading marks it as read', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await befriend(anna, berta)
  const write = (from: SomeUser, to: SomeUser) =>
    from.api.result(sendDirectMessage, { params: { user_id: to.id }, body: { body: 'hello' } })
  const readTo = ({ id: message_id }: { id: string }) =>
    berta.api.result(readDirectMessages, { params: { user_id: anna.id }, body: { message_id } })
  const came = () => noticesOf(berta, { kind: 'messages' })
  const first = await write(anna, berta)
  await runJob('social.gather_notices', {}, plaza)
  await readTo(first)
  await gather('social')
  expect(await came()).toEqual([])
  await write(anna, berta)
  await gather('social')
  const last = await write(anna, berta)
  await gather('social')
  const notice = { event: 'direct_messages_came', count: 2, subject_id: anna.id, subject_name: anna.username }
  expect(await came()).toMatchObject([{ ...notice, is_read: false }])
  await readTo(last)
  expect(await came()).toMatchObject([{ ...notice, is_read: true }])
  await write(anna, berta)
  await write(berta, anna)
  await gather('social')
  expect(await came()).toMatchObject([{ count: 2, is_read: true }])
  expect(await noticesOf(anna, { kind: 'messages' })).toMatchObject([{ count: 1, subject_name: berta.username }])
})

test('D-119: each decision about an app and its scopes is a notice of its owner, with the reason', async () => {
  const owner = await someUser(plaza)
  const { app } = await owner.api.result(createApp, {
    body: { app_name: 'Lantern', redirect_uris: ['https://app.test/cb'], requested_scopes: ['profile:read'] },
  })
  const params = { id: app.id }
  const decide = async (work: () => Promise<unknown>) => {
    plaza.clock.advance(1)
    await work()
  }
  const reject = (reason: string) => () => admin.api.result(rejectApp, { params, body: { reason } })
  const approve = () => admin.api.result(approveApp, { params, body: {} })
  const askScope = async () => {
    await owner.api.result(requestScopes, { params, body: { requested_scopes: ['points:read'] } })
    const { data } = await admin.api.result(adminListScopeRequests, { query: { status: 'pending', limit: 100 } })
    return { params: { id: data.find(({ app_id }) => app_id === app.id)!.id } }
  }
  await decide(reject('No picture'))
  await decide(approve)
  await decide(approve)
  await decide(reject('It sends spam'))
  await decide(approve)
  await decide(async () => admin.api.result(denyScopeRequest, { ...(await askScope()), body: { reason: 'Why?' } }))
  await decide(async () => admin.api.result(approveScopeRequest, await askScope()))
  expect((await noticesOf(owner)).map(({ event, reason }) => [event, reason])).toEqual([
    ['scopes_granted', null],
    ['scopes_denied', 'Why?'],
    ['app_approved', null],
    ['approval_withdrawn', 'It sends spam'],
    ['app_approved', null],
    ['app_rejected', 'No picture'],
  ])
  expect(await noticesOf(owner, { kind: 'apps' })).toMatchObject(
    Array.from({ length: 6 }, () => ({ app_id: app.id, subject_id: app.id, subject_name: 'Lantern', count: 1 })),
  )
})

test('D-119: received points are added up by giver, once, in any process; a person’s spends make no notice', async () => {
  const { user, app, tokens } = await world(plaza, { scopes: ['points:spend', 'points:transfer'] })
  const other = await someUser(plaza)
  const second = await plaza.startAnother()
  for (const amount of [5, 6]) await givePoints(plaza, user, amount)
  for (const amount of [70, 80]) await givePoints(plaza, user, amount, app.id)
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 30 } })
  const as_app = new PlazaClient(plaza.url, app)
  for (const amount of [10, 9]) await as_app.result(createRefund, { body: { transfer_id, amount } })
  await tokens.api.result(transferPoints, { body: { to_user_id: other.id, amount: 7 } })
  await as_app.result(createPayout, { body: { to_user_id: user.id, amount: 1 } })
  // The ledger itself writes nothing for them.
  expect([...(await noticesOf(user)), ...(await noticesOf(other))]).toEqual([])
  await Promise.all([gather('points'), gather('points', second)])
  await gather('points')
  await gather('points', second)
  const told = async (one: SomeUser) =>
    (await noticesOf(one)).map(({ event, count, amount, app_id, subject_id }) => [
      event,
      count,
      amount,
      app_id,
      subject_id,
    ])
  expect((await told(user)).sort()).toEqual([
    ['points_awarded', 2, 11, null, null],
    ['points_awarded', 2, 150, app.id, null],
    ['points_paid_out', 1, 1, app.id, null],
    ['points_refunded', 2, 19, app.id, null],
  ])
  expect(await told(other)).toEqual([['points_transferred', 1, 7, app.id, user.id]])
  expect(await noticesOf(other)).toMatchObject([{ subject_name: user.username }])
  expect((await noticesOf(user)).map(({ subject_name }) => subject_name)).toContain(
    (await noticesOf(user, { kind: 'points' })).find(({ app_id }) => app_id === app.id)!.subject_name,
  )
  await givePoints(plaza, user, 1)
  await gather('points')
  expect(await told(user)).toContainEqual(['points_awarded', 3, 12, null, null])
  // Waits for a batch that has a number but is not committed yet.
  const client = await plaza.db.pool.connect()
  await client.query('begin')
  await client.query("select pg_current_xact_id(), nextval(pg_get_serial_sequence('transfers', 'seq'))")
  await givePoints(plaza, other, 3)
  await gather('points')
  expect(await told(other)).toHaveLength(1)
  await client.query('rollback')
  client.release()
  await gather('points')
  expect(await told(other)).toContainEqual(['points_awarded', 1, 3, null, null])
})

test('D-119: reporters are notified of the outcome, and a person of an admin’s actions; a suspended person gets nothing', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const channel_id = await someChannel(anna)
  const report = async (about: object) => {
    await anna.api.result(createReport, { body: { ...about, reason: 'spam' } })
    const { data } = await admin.api.result(adminListCases, { query: { status: 'open', user_id: berta.id } })
    return { id: data[0]!.id }
  }
  const decide = (params: { id: string }, body: object) =>
    admin.api.call(decideCase, { params, body: { reason: 'Because.', ...body } as never })
  const { id: message_id } = await sendText(berta, channel_id, 'Buy gold')
  await decide(await report({ user_id: berta.id }), { actions: ['dismiss'] })
  const muted_until = new Date(plaza.clock.now().getTime() + 3_600_000).toISOString()
  await decide(await report({ message_id }), { actions: ['remove_message', 'mute'], muted_until })
  expect((await noticesOf(anna, { kind: 'moderation' })).map(({ event, subject_id }) => [event, subject_id])).toEqual([
    ['report_acted', berta.id],
    ['report_dismissed', berta.id],
  ])
  expect((await noticesOf(berta)).map(({ event, reason }) => [event, reason]).sort()).toEqual([
    ['message_removed', 'Because.'],
    ['muted', 'Because.'],
  ])
  await admin.api.result(setChatMute, { params: { id: berta.id }, body: { muted_until: null, reason: 'Enough' } })
  expect((await noticesOf(berta))[0]).toMatchObject({ event: 'unmuted', reason: 'Enough' })
  await decide(await report({ user_id: berta.id }), { actions: ['suspend'] })
  await requestedBy(anna, await someUser(plaza))
  await givePoints(plaza, berta, 5)
  await gather('points')
  const rows = await plaza.db.sql`select 1 from notices where user_id = ${berta.id}`
  expect(rows).toHaveLength(2)
})

test('D-119: admins get notices of how much waits, again when it grows, until nothing waits or they are none', async () => {
  const second = await someUser(plaza)
  await makeAdmin(plaza.service.app.accounts, second.email)
  await gather('admin')
  const before = (await noticesOf(second, { kind: 'review' })).find(({ event }) => event === 'cases_wait')?.count ?? 0
  expect(before).toBe(0)
  const [anna, berta, clara] = (await someUsers(plaza, 3)) as [SomeUser, SomeUser, SomeUser]
  const reportOf = ({ api }: SomeUser, user_id: string) =>
    api.result(createReport, { body: { user_id, reason: 'spam' } })
  const cases = async () => (await noticesOf(second, { kind: 'review' })).filter(({ event }) => event === 'cases_wait')
  const dismiss = async (user_id: string) => {
    const { data } = await admin.api.result(adminListCases, { query: { status: 'open', user_id } })
    await admin.api.result(decideCase, { params: { id: data[0]!.id }, body: { actions: ['dismiss'], reason: 'Fine.' } })
  }
  await reportOf(anna, berta.id)
  await reportOf(anna, clara.id)
  await Promise.all([gather('admin'), gather('admin')])
  await gather('admin')
  expect(await cases()).toMatchObject([{ count: 2, is_read: false, subject_id: null }])
  await markRead(second, { id: (await cases())[0]!.id })
  await dismiss(berta.id)
  await gather('admin')
  expect(await cases()).toMatchObject([{ count: 1, is_read: true }])
  await reportOf(berta, anna.id)
  await gather('admin')
  expect(await cases()).toMatchObject([{ count: 2, is_read: false }])
  for (const { id } of [anna, clara]) await dismiss(id)
  await gather('admin')
  expect(await cases()).toEqual([])
  expect(await noticesOf(anna, { kind: 'review' })).toEqual([])
})

test('D-119: pages go on without a gap; one, all up to one, or those of a chat are read; more that happened stays unread', async () => {
  const anna = await someUser(plaza)
  const others = await someUsers(plaza, 5)
  for (const other of others) await requestedBy(other, anna)
  const ids = (await noticesOf(anna)).map(({ id }) => id)
  const first = await anna.api.result(contract.listNotices, { query: { limit: 2 } })
  const rest = await anna.api.result(contract.listNotices, { query: { cursor: first.next_cursor! } })
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids)
  expect(rest.next_cursor).toBeNull()
  expect(await unreadOf(anna)).toBe(5)
  expect(await markRead(anna, { id: ids[1] })).toEqual([200, { unread: 4 }])
  expect(await markRead(anna, { id: ids[1] })).toEqual([200, { unread: 4 }])
  expect(await markRead(anna, { upto: ids[3] })).toEqual([200, { unread: 2 }])
  expect((await noticesOf(anna)).map(({ is_read }) => is_read)).toEqual([false, true, false, true, true])
  // Further points give the notice another id: a person who saw the old notice has not seen them.
  await givePoints(plaza, anna, 1)
  await gather('points')
  const [seen] = await noticesOf(anna)
  const outcomes = await race(plaza, 20, async (at) =>
    at === 10 ? (await givePoints(plaza, anna, 1), gather('points')) : markRead(anna, { upto: seen!.id }),
  )
  expect(outcomes.filter(Boolean).every((one) => one![0] === 200)).toBe(true)
  await gather('points')
  expect((await noticesOf(anna, { unread: true })).map(({ event }) => event)).toEqual(['points_awarded'])
  expect(await markRead(anna, { id: seen!.id })).toEqual(refused('not_found'))
})

test('D-119: a notice that commits after a seen one stays unread when all up to the seen one are marked', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const late = {
    user_id: anna.id,
    kind: 'webhooks',
    event: 'webhook_switched_off',
    about: 'webhook:late',
    mail: null,
  } as const
  let written = () => {}
  let commit = () => {}
  const is_written = new Promise<void>((done) => (written = done))
  const is_seen = new Promise<void>((done) => (commit = done))
  const committed = plaza.db.transaction(async (tx) => {
    await notify(tx, [late], { now: plaza.clock.now() })
    written()
    await is_seen
  })
  await is_written
  const requested = requestedBy(berta, anna)
  await Promise.race([requested, sleep(200)])
  const seen = await noticesOf(anna)
  commit()
  await committed
  if (seen[0]) await markRead(anna, { upto: seen[0].id })
  await requested
  const shown = seen.map(({ id }) => id)
  const all = await noticesOf(anna)
  expect(all).toHaveLength(2)
  expect(all.filter(({ id, is_read }) => is_read && !shown.includes(id))).toEqual([])
})

test('D-119: a notice is above those of a process whose clock is ahead', async () => {
  const [anna, berta, clara] = await someUsers(plaza, 3)
  await requestedBy(berta!, anna!)
  const ahead = newIdAt(new Date(Date.now() + 60_000))
  await plaza.db.sql`update notices set id = ${ahead} where user_id = ${anna!.id}`
  await requestedBy(clara!, anna!)
  expect((await noticesOf(anna!)).map(({ id }) => id).indexOf(ahead)).toBe(1)
})

test('D-119: contradictory, unknown and foreign values are refused, and nothing is written', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await requestedBy(anna, berta)
  const [notice] = await noticesOf(berta)
  const ask = jsonCaller(plaza, anna.token)
  const before = await digestTables(plaza)
  const path = '/api/notices'
  expect(await ask('POST', `${path}/read`, {})).toEqual(invalid('id', 'or upto or channel_id is required'))
  expect(await ask('POST', `${path}/read`, { id: nobody, upto: nobody })).toEqual(
    invalid('id', 'goes without upto and channel_id'),
  )
  expect(await ask('POST', `${path}/read`, { id: 'x' })).toEqual(invalid('id', no_id))
  for (const id of [nobody, notice!.id]) expect(await ask('POST', `${path}/read`, { id })).toEqual(refused('not_found'))
  expect(await ask('POST', `${path}/read`, { upto: notice!.id })).toEqual([200, { unread: 0 }])
  expect(await ask('PATCH', `${path}/settings/friends`, {})).toEqual(invalid('console', 'or mail is required'))
  expect(await ask('PATCH', `${path}/settings/review`, { mail: true })).toEqual(refused('not_found'))
  expect((await ask('PATCH', `${path}/settings/other`, { mail: true }))[0]).toBe(422)
  expect((await ask('GET', `${path}?kind=other`))[0]).toBe(422)
  expect(await digestTables(plaza)).toEqual(before)
  expect(await unreadOf(berta)).toBe(1)
})

test('D-119: a muted kind is not written; the other kinds are', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const { settings } = await berta.api.result(contract.listNoticeSettings)
  expect(settings.map(({ kind, console, mail }) => [kind, console, mail])).toEqual([
    ['friends', true, false],
    ['messages', true, false],
    ['apps', true, true],
    ['points', true, false],
    ['moderation', true, true],
    ['deployments', true, true],
    ['webhooks', true, true],
  ])
  expect(await change(berta, 'friends', { console: false })).toEqual([
    200,
    { kind: 'friends', console: false, mail: false },
  ])
  await requestedBy(anna, berta)
  await givePoints(plaza, berta, 5)
  await gather('points')
  expect((await noticesOf(berta)).map(({ kind }) => kind)).toEqual(['points'])
  expect(await plaza.db.sql`select 1 from notices where user_id = ${berta.id} and kind = 'friends'`).toEqual([])
  expect((await admin.api.result(contract.listNoticeSettings)).settings.at(-1)?.kind).toBe('review')
})

test('D-119: immediate mails are not sent to people who turned them off', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await change(anna, 'apps', { mail: false })
  for (const owner of [anna, berta]) {
    const { id } = await someApp(plaza, { owner, approved: false })
    await admin.api.result(approveApp, { params: { id }, body: {} })
  }
  const waiting = () =>
    plaza.db.sql`select 1 from graphile_worker.jobs where task_identifier = 'oauth.mail_app_decision'`
  await expect.poll(waiting, { timeout: 30_000 }).toEqual([])
  const [to_anna, to_berta] = [anna, berta].map(({ email }) => mails.filter(({ to }) => to[0] === email))
  expect([to_anna?.length, to_berta?.length]).toEqual([0, 1])
  expect(to_berta?.[0]?.text).toContain(`Turn these mails off: ${plaza.url}/account/notices`)
  expect(await noticesOf(anna)).toMatchObject([{ event: 'app_approved' }])
})

test('D-119: a kind wanted by mail is gathered into one mail an hour of unread notices, even if it is muted; nobody else gets one', async () => {
  const [anna, berta, clara] = (await someUsers(plaza, 3)) as [SomeUser, SomeUser, SomeUser]
  const unverified = await someUser(plaza, { verified: false })
  for (const user of [anna, berta, clara, unverified]) await change(user, 'points', { mail: true })
  await change(anna, 'points', { console: false })
  const mailsTo = ({ email }: SomeUser) => mails.filter(({ to }) => to[0] === email).map(({ text }) => text)
  const mailAll = async () => {
    await Promise.all([runJob('notices.queue_mails'), runJob('notices.queue_mails')])
    const waiting = () => plaza.db.sql`select 1 from graphile_worker.jobs where task_identifier = 'notices.mail'`
    await expect.poll(waiting, { timeout: 30_000 }).toEqual([])
  }
  const giveAll = async (...amounts: number[]) => {
    for (const amount of amounts)
      for (const user of [anna, berta, clara, unverified]) await givePoints(plaza, user, amount)
    await gather('points')
  }
  await giveAll(3, 4)
  await mailAll()
  expect(mailsTo(anna)).toEqual([])
  await markRead(berta, { upto: (await noticesOf(berta))[0]!.id })
  await suspend(plaza, clara)
  plaza.clock.advance(301)
  await mailAll()
  await mailAll()
  expect(mailsTo(anna)).toHaveLength(1)
  expect(mailsTo(anna)[0]).toContain('7 points were awarded to you')
  expect(mailsTo(anna)[0]).toContain(`${plaza.url}/account/notices`)
  const gathered = (user: SomeUser) => mailsTo(user).filter((text) => text.includes('awarded to you'))
  for (const user of [berta, clara, unverified]) expect(gathered(user)).toEqual([])
  expect([await noticesOf(anna), await unreadOf(anna)]).toEqual([[], 0])

  await giveAll(1)
  plaza.clock.advance(3_000)
  await mailAll()
  expect(mailsTo(anna)).toHaveLength(1)
  plaza.clock.advance(601)
  await mailAll()
  expect(mailsTo(anna)).toHaveLength(2)
  // Only what was added since, also for a kind that is muted in the console.
  expect(mailsTo(anna)[1]).toMatch(/^1 point was awarded to you \(Plaza\)\.$/m)
  await giveAll(2)
  await change(anna, 'points', { mail: false })
  plaza.clock.advance(7_200)
  await mailAll()
  expect(mailsTo(anna)).toHaveLength(2)
  expect(mailsTo(berta)).toHaveLength(2)
})

test('D-119: a stream that requests it sends the count at its start and at each change, also by another process; others do not', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const second = await plaza.startAnother()
  await requestedBy(anna, berta)
  const open = (at: TestService, more: string) => read(at, berta, { path: `/api/events${more}` })
  const [one, two, plain] = [
    await open(plaza, '?notices=true&x='),
    await open(second, '?notices=true&x='),
    await open(plaza, ''),
  ]
  for (const reader of [one, two])
    expect((await reader.received(1)).map(({ event, data }) => [event, data])).toEqual([['notices', { unread: 1 }]])
  await requestedBy((await someUsers(plaza, 1))[0]!, berta)
  await markRead(berta, { upto: (await noticesOf(berta))[0]!.id })
  const counts = (events: Awaited<ReturnType<typeof one.received>>) =>
    events.filter(({ event }) => event === 'notices').map(({ data }) => data.unread)
  await expect.poll(() => counts(one.events).at(-1)).toBe(0)
  await expect.poll(() => counts(two.events).at(-1)).toBe(0)
  expect((await plain.received(1)).map(({ event }) => event)).toEqual(['friendship'])
  const resumed = await read(second, berta, { path: '/api/events?notices=true&x=', last_event_id: one.lastEventId() })
  expect(counts(await resumed.received(1))).toEqual([0])
})

test('D-119: notices are kept for a time and up to a number, and counted up to a bound', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await plaza.db.sql`
    insert into notices (user_id, about, id, kind, event, count, in_console, happened_at)
    select ${anna.id}, 'old:' || n, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'apps', 'app_approved', 1, true, ${plaza.clock.now()}
      from generate_series(1, ${kept_max + 50}::integer) n`
  expect(await unreadOf(anna)).toBe(unread_max)
  await requestedBy(berta, anna)
  const kept = () => plaza.db.sql<{ count: number }>`select count(*) as count from notices where user_id = ${anna.id}`
  expect(await kept()).toEqual([{ count: kept_max }])
  expect((await noticesOf(anna))[0]).toMatchObject({ event: 'friend_requested' })
  plaza.clock.advance(kept_days * 86_400 - 60)
  await runJob('notices.forget_old')
  expect(await kept()).toEqual([{ count: kept_max }])
  plaza.clock.advance(120)
  await runJob('notices.forget_old')
  expect(await kept()).toEqual([{ count: 0 }])
})
