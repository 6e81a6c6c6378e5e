import { expect, test } from 'vitest'
import { me } from '../../contract/accounts.ts'
import { adminGetMessage, updateUser } from '../../contract/admin.ts'
import { adminGetCase, adminListCases, decideCase, setChatMute } from '../../contract/admin-moderation.ts'
import { decisions } from '../../contract/decisions.ts'
import { field_examples } from '../../contract/examples.ts'
import { look_parts, look_removals, type LookPart } from '../../contract/kinds/reports.ts'
import { createReport, listMyReports } from '../../contract/moderation.ts'
import type { CaseAction } from '../../contract/moderation-fields.ts'
import { listNotices } from '../../contract/notices.ts'
import { setPicture, updateProfile } from '../../contract/profiles.ts'
import { blockUser, listMessages, sendMessage } from '../../contract/social.ts'
import { makeAdmin } from '../accounts/registration.service.ts'
import { setEmailVerified } from '../accounts/store.ts'
import { mailModeration, mailReportOutcome } from '../social/moderation-mail.service.ts'
import { purgeModeration } from '../social/moderation.service.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { eventReaders, inProcess, sendText, someChannel, someUsers, twoUsers } from '../test/social-world.ts'
import { auditOf, jsonCaller, signedInAgain, someUser, theAdmin, type SomeUser, proveUser } from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)
const read = eventReaders()
const { removed_text, raw_kept_days, context_before, context_after } = decisions.moderation
const nobody = '01890000-0000-7000-8000-000000000000'

const textOf = (mail: string) => mail.slice(mail.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n')

async function secondAdmin() {
  const second = await someUser(plaza)
  const { accounts } = plaza.service.app
  await makeAdmin(accounts, second.email)
  return second
}

const report = ({ api }: SomeUser, about: { message_id: string } | { user_id: string; part?: LookPart }) =>
  api.result(createReport, { body: { ...about, reason: 'harassment' } })
const openCaseOf = async ({ id }: { id: string }) =>
  (await admin.api.result(adminListCases, { query: { status: 'open', user_id: id } })).data[0]!

/** Berta's message, which Anna reported. */
async function someCase(body = 'You are all idiots') {
  const [anna, berta] = await twoUsers(plaza)
  const channel_id = await someChannel(anna)
  const message = await sendText(berta, channel_id, body)
  await report(anna, { message_id: message.id })
  return { anna, berta, channel_id, message, id: (await openCaseOf(berta)).id }
}

type Body = { actions: CaseAction[]; muted_until?: string; reason?: string }
const decide = (id: string, { reason = 'Against the rules.', ...body }: Body, { api } = admin) =>
  api.call(decideCase, { params: { id }, body: { ...body, reason } })
const inHours = (hours: number) => new Date(plaza.clock.now().getTime() + hours * 3_600_000).toISOString()
const post = ({ api }: SomeUser, channel_id: string, body = 'Hello', key?: string) =>
  api.call(sendMessage, { params: { channel_id }, body: { body }, ...(key && { headers: { 'idempotency-key': key } }) })

test('D-109: the queue has open cases oldest first, decided ones newest first, in pages without gaps', async () => {
  const cases: Awaited<ReturnType<typeof someCase>>[] = []
  for (let n = 0; n < 5; n++) cases.push(await someCase())
  const pagesOf = async (query: { status: 'open' | 'decided' }) => {
    const read = (next: object) => admin.api.result(adminListCases, { query: { ...query, limit: 2, ...next } })
    return (await rowsOfPages(read)).map(({ id }) => id)
  }
  const ids = cases.map(({ id }) => id)
  expect(await pagesOf({ status: 'open' })).toEqual(ids)
  for (const id of ids) await decide(id, { actions: ['dismiss'] })
  expect(await pagesOf({ status: 'open' })).toEqual([])
  expect(await pagesOf({ status: 'decided' })).toEqual([...ids].reverse())
  const { anna } = cases[3]!
  const by_reporter = await admin.api.result(adminListCases, { query: { reporter_id: anna.id } })
  expect(by_reporter.data.map(({ id }) => id)).toEqual([ids[3]])
})

test('D-109: a case shows the surrounding messages and the record of the person', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const channel_id = await someChannel(anna)
  const texts: Awaited<ReturnType<typeof sendText>>[] = []
  for (let n = 0; n < 30; n++) texts.push(await sendText(n % 2 ? anna : berta, channel_id, `message ${n}`))
  await report(anna, { message_id: texts[14]!.id })
  await report(anna, { user_id: berta.id })
  const [first, second] = (await admin.api.result(adminListCases, { query: { user_id: berta.id } })).data
  await decide(first!.id, { actions: ['dismiss'] })
  const shown = await admin.api.result(adminGetCase, { params: { id: second!.id } })
  const around = texts.slice(14 - context_before, 15 + context_after)
  expect(shown.messages).toEqual(
    around.map(({ my_reactions: _, ...message }) => ({ ...message, reported: message.id === texts[14]!.id })),
  )
  expect(shown.channel_id).toBe(channel_id)
  expect(shown.person).toEqual({
    id: berta.id,
    username: berta.username,
    inserted_at: plaza.clock.now().toISOString(),
    is_admin: false,
    suspended: false,
    muted_until: null,
    counts: { open: 1, acted: 0, dismissed: 1 },
  })
  expect(shown.earlier.map(({ id, actions }) => [id, actions])).toEqual([[first!.id, ['dismiss']]])
})

test('D-109: a removed message keeps its place and time; readers see a placeholder, streams and the author are notified', async () => {
  const { anna, berta, channel_id, message, id } = await someCase('You fucking idiots')
  await post(berta, channel_id, 'and more')
  const list = ({ api }: SomeUser) => api.result(listMessages, { params: { channel_id } })
  const before = await list(anna)
  const [stream, blocking] = [await read(plaza, anna, { channels: [channel_id] }), await someUser(plaza)]
  await blocking.api.result(blockUser, { body: { user_id: berta.id } })
  const deaf = await read(plaza, blocking, { channels: [channel_id] })
  expect((await decide(id, { actions: ['remove_message'], reason: 'No insults here.' })).status).toBe(200)
  const removed = { ...message, filtered_body: removed_text, removed: true, removed_by: 'admin' as const }
  const { my_reactions: _, ...published } = removed
  expect(await list(anna)).toEqual(before.map((one) => (one.id === message.id ? removed : one)))
  const [event] = await stream.received(1)
  expect([event?.event, event?.data]).toEqual(['message_removed', { channel_id, ...published }])
  // A resumed stream gets the removal, but only the current text of the message.
  const late = await read(plaza, anna, { channels: [channel_id], last_event_id: `${event?.id.split('-')[0]}-0` })
  expect((await late.received(1)).at(-1)).toEqual(event)
  await post(anna, channel_id, 'thank you')
  expect((await deaf.received(1)).map(({ event: name }) => name)).toEqual(['message'])
  const raw = await admin.api.result(adminGetMessage, { params: { id: message.id } })
  expect(raw).toMatchObject({ body: 'You fucking idiots', filtered_body: 'You ****ing idiots' })
  expect(raw.removed_at).toBe(plaza.clock.now().toISOString())
  expect(await plaza.mailTo(berta.email)).toMatch(/A message of yours was removed\.\s+The reason:\s+No insults here\./)
  expect(await plaza.mailTo(anna.email)).toContain(`you reported a message of ${berta.username}`)
  expect((await anna.api.result(listMyReports)).data[0]?.status).toBe('acted')
  expect(outcome(await anna.api.call(createReport, { body: { message_id: message.id, reason: 'spam' } }))).toEqual(
    refused('message_removed'),
  )
})

test('D-109: a repeated post of a removed message returns the current text', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const channel_id = await someChannel(anna)
  const sent = await post(berta, channel_id, 'twice', 'key 1')
  await report(anna, { message_id: (sent.body as { id: string }).id })
  await decide((await openCaseOf(berta)).id, { actions: ['remove_message'] })
  const again = await post(berta, channel_id, 'twice', 'key 1')
  expect(again.body).toEqual({
    ...(sent.body as object),
    filtered_body: removed_text,
    removed: true,
    removed_by: 'admin',
  })
})

test('D-109: the original text is purged after its retention time, but not during a backup', async () => {
  const { message, id } = await someCase('secret words')
  await decide(id, { actions: ['remove_message'] })
  plaza.clock.advance(raw_kept_days * 86_400 + 1)
  const again = await signedInAgain(plaza, admin)
  const rawText = async () => (await again.api.result(adminGetMessage, { params: { id: message.id } })).body
  const purge = () => purgeModeration({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 10 })
  const { backup_lock } = await import('../platform/postgres/backup/lock.ts')
  await plaza.db.transaction(async (tx) => {
    await tx.sql`select pg_advisory_xact_lock_shared(${backup_lock}::bigint)`
    await purge()
  })
  expect(await rawText()).toBe('secret words')
  await purge()
  expect(await rawText()).toBe(removed_text)
  plaza.clock.advance(-raw_kept_days * 86_400 - 1)
})

test('D-109: a muted person can read but not post, in every process, until the end of the mute; repetitions are replayed', async () => {
  const other = await plaza.startAnother()
  const { berta, channel_id, id } = await someCase()
  await post(berta, channel_id, 'before', 'key of before')
  const muted_until = inHours(2)
  const decided = await decide(id, { actions: ['mute'], muted_until, reason: 'Cool down.' })
  expect(decided.body).toMatchObject({ status: 'decided', actions: ['mute'], muted_until, reason: 'Cool down.' })
  const muted = [403, { ...(refused('muted')[1] as object), muted_until }]
  const before = await plaza.db.sql`select * from messages order by id`
  for (const process of [plaza, other]) {
    const there = inProcess(process, berta)
    expect(outcome(await post(there, channel_id))).toEqual(muted)
    expect(outcome(await post(there, channel_id, 'again', 'another key'))).toEqual(muted)
    expect((await post(there, channel_id, 'before', 'key of before')).status).toBe(201)
    expect(outcome(await post(there, nobody))).toEqual(refused('not_found'))
  }
  expect(await plaza.db.sql`select * from messages order by id`).toEqual(before)
  expect((await berta.api.result(listMessages, { params: { channel_id } })).length).toBe(2)
  expect(await plaza.mailTo(berta.email)).toMatch(
    /You cannot write in chat until .* UTC\. You can read\.\s+The reason:\s+Cool down\./,
  )
  plaza.clock.advance(2 * 3_600)
  expect((await post(berta, channel_id, 'back')).status).toBe(201)
})

test('D-109: of several mutes the longest applies, and the person gets its time and reason; an admin can shorten it', async () => {
  const { anna, berta, channel_id, id } = await someCase()
  await report(anna, { user_id: berta.id })
  const [long, short] = [inHours(48), inHours(1)]
  const timeIn = (time: string) => time.slice(0, 16).replace('T', ' ')
  const muteOf = () => plaza.db.sql`select muted_until, reason from chat_mutes where user_id = ${berta.id}`
  await decide(id, { actions: ['mute'], muted_until: long, reason: 'Insults.' })
  expect(await plaza.mailTo(berta.email)).toContain(timeIn(long))
  const second = (await openCaseOf(berta)).id
  const decided = await decide(second, { actions: ['mute'], muted_until: short, reason: 'Spam.' })
  expect(decided.body).toMatchObject({ actions: ['mute'], muted_until: short, reason: 'Spam.' })
  expect(await muteOf()).toEqual([{ muted_until: new Date(long), reason: 'Insults.' }])
  const muted = [403, { ...(refused('muted')[1] as object), muted_until: long }]
  expect(outcome(await post(berta, channel_id))).toEqual(muted)
  expect(await plaza.mailTo(berta.email, 1)).toContain(timeIn(long))
  await report(anna, { user_id: berta.id })
  const third = (await openCaseOf(berta)).id
  await decide(third, { actions: ['mute'], muted_until: inHours(72), reason: 'Threats.' })
  expect(await muteOf()).toEqual([{ muted_until: new Date(inHours(72)), reason: 'Threats.' }])
  const body = { muted_until: short, reason: 'Enough.' }
  await admin.api.result(setChatMute, { params: { id: berta.id }, body })
  expect(await muteOf()).toEqual([{ muted_until: new Date(short), reason: 'Enough.' }])
})

test('D-109: muted people in one batch do not hold up the others', async () => {
  const people = await someUsers(plaza, 4)
  const channel_id = await someChannel(people[0]!)
  for (const person of people.slice(0, 2))
    await admin.api.result(setChatMute, {
      params: { id: person.id },
      body: { muted_until: inHours(1), reason: 'Too loud.' },
    })
  const posted = await race(plaza, 40, (at) =>
    post(people[at % 4]!, channel_id, `n ${at}`, at % 3 === 0 ? `key ${at}` : undefined),
  )
  expect(countBy(posted, ({ status }) => status)).toEqual({ 201: 20, 403: 20 })
  expect((await people[2]!.api.result(listMessages, { params: { channel_id } })).length).toBe(20)
})

test('D-109: a suspension by a case ends the sessions of the person and mails the reason', async () => {
  const { berta, id } = await someCase()
  await decide(id, { actions: ['remove_message', 'suspend'], reason: 'The fourth time.' })
  expect((await berta.api.call(me)).status).toBe(401)
  expect(await plaza.mailTo(berta.email)).toMatch(
    /A message of yours was removed\.\s+Your account is suspended\.\s+The reason:\s+The fourth time\./,
  )
})

test('D-109: a suspension without a case and its end are mailed once each, with the reason if there is one', async () => {
  const berta = await someUser(plaza)
  const set = (body: { suspended?: boolean; tier?: string; reason?: string }) =>
    admin.api.call(updateUser, { params: { id: berta.id }, body })
  await set({ suspended: false, reason: 'Was never suspended.' })
  expect((await set({ suspended: true, reason: 'Fraud with refunds.' })).status).toBe(200)
  expect(textOf(await plaza.mailTo(berta.email))).toBe(
    `Hello ${berta.username},\n\nYour account is suspended.\n\nThe reason:\n\nFraud with refunds.\n`,
  )
  await set({ suspended: true, reason: 'Once more.' })
  expect((await set({ suspended: false })).status).toBe(200)
  expect(textOf(await plaza.mailTo(berta.email, 1))).toBe(
    `Hello ${berta.username},\n\nYour account is not suspended any more. You can sign in again.\n`,
  )
})

test('D-109: neither the reporter nor the reported person is mailed at an unverified address; a decision names where to object', async () => {
  const [anna, berta] = [await someUser(plaza, { verified: false }), await someUser(plaza, { verified: false })]
  await report(anna, { user_id: berta.id })
  await decide((await openCaseOf(berta)).id, { actions: ['mute'], muted_until: inHours(1) })
  const [made] = await plaza.db.sql<{ id: string }>`select id from reports where reporter_id = ${anna.id}`
  const mailed: unknown[] = []
  const mailer = {
    job: 'test',
    send: async (mail: { to: string; text: string }) => void mailed.push(mail),
  }
  const deps = { db: plaza.db, issuer: plaza.url, contact: 'mailto:help@plaza.test' }
  const mailBoth = async () => {
    await mailReportOutcome(deps, mailer, made!.id)
    await mailModeration(deps, mailer, { user_id: berta.id, actions: ['mute'], reason: 'x', muted_until: inHours(1) })
  }
  await mailBoth()
  expect(mailed).toEqual([])
  for (const { id } of [anna, berta]) await setEmailVerified(plaza.db, id)
  await mailBoth()
  expect(mailed).toMatchObject([
    { to: anna.email },
    { to: berta.email, lang: 'en', text: expect.stringContaining('write to help@plaza.test.') as string },
  ])
})

test('D-109: of two admins who decide one case, one succeeds, the other gets that decision, and nothing happens twice', async () => {
  const second = await secondAdmin()
  const { anna, berta, id } = await someCase()
  const decided = await race(plaza, 20, (at) =>
    decide(id, at % 2 ? { actions: ['remove_message'] } : { actions: ['dismiss'] }, at % 2 ? second : admin),
  )
  const [won, ...more] = decided.filter(({ status }) => status === 200)
  expect([more, decided.filter(({ status }) => status === 409).length]).toEqual([[], 19])
  const { actions, reason, muted_until, decided_by_username, decided_at } = won!.body as Record<string, unknown>
  const decision = { actions, reason, muted_until, decided_by_username, decided_at }
  const before = await digestTables(plaza)
  const late = await decide(id, { actions: ['suspend'] })
  expect(outcome(late)).toEqual([409, { ...(refused('case_decided')[1] as object), decision }])
  expect(await digestTables(plaza)).toEqual(before)
  expect((await auditOf(admin, berta.id)).length).toBe(1)
  const mail = await plaza.mailTo(anna.email)
  expect(mail.includes('nothing has to be done')).toBe((actions as string[])[0] === 'dismiss')
})

test('D-109: cases of two people who reported each other are decided side by side', async () => {
  for (let turn = 0; turn < 8; turn++) {
    const [anna, berta] = await twoUsers(plaza)
    await report(anna, { user_id: berta.id })
    await report(berta, { user_id: anna.id })
    const cases = [await openCaseOf(anna), await openCaseOf(berta)]
    const mute = { actions: ['mute' as const], muted_until: inHours(1) }
    const decided = await Promise.all(cases.map(({ id }) => decide(id, mute)))
    expect(decided.map(({ status }) => status)).toEqual([200, 200])
  }
})

test('D-109: a decision is audited with the person as its target', async () => {
  const { berta, message, id } = await someCase()
  const muted_until = inHours(1)
  await decide(id, { actions: ['remove_message', 'mute'], muted_until, reason: 'Insults.' })
  expect(await auditOf(admin, berta.id)).toEqual([
    {
      action: 'case.decide',
      actor_id: admin.id,
      details: {
        actions: ['remove_message', 'mute'],
        reason: 'Insults.',
        muted_until,
        message_id: message.id,
        case_id: id,
      },
    },
  ])
})

test('D-165: an admin removes a reported display name and picture: audited, noticed with the reason; and refused once they are gone', async () => {
  const [anna, berta] = await twoUsers(plaza)
  await berta.api.result(updateProfile, { body: { display_name: 'Queen of Berlin' } })
  await berta.api.result(setPicture, { body: { picture: String(field_examples.picture) } })
  for (const part of look_parts) await report(anna, { user_id: berta.id, part })
  const { id } = await openCaseOf(berta)
  const copies = async () => (await admin.api.result(adminGetCase, { params: { id } })).reported_pictures
  const [copy, ...others] = await copies()
  // The copy stays when the picture changes.
  await berta.api.result(setPicture, { body: { picture: String(field_examples.picture) } })
  expect([copy?.slice(0, 23), others, await copies()]).toEqual(['data:image/webp;base64,', [], [copy]])
  const actions = Object.values(look_removals)
  expect((await decide(id, { actions, reason: 'Not a name.' })).status).toBe(200)
  const { display_name, picture_url } = (await berta.api.result(me)).user
  expect([display_name, picture_url]).toEqual([null, null])
  for (const table of ['pictures where owner_id', 'reported_pictures where case_id'])
    expect((await plaza.db.pool.query(`select from ${table} in ($1, $2)`, [berta.id, id])).rowCount).toBe(0)
  expect((await auditOf(admin, berta.id))[0]).toEqual({
    action: 'case.decide',
    actor_id: admin.id,
    details: { actions, reason: 'Not a name.', case_id: id },
  })
  const notices = (await berta.api.result(listNotices, { query: {} })).data
  expect(notices.map(({ event, reason }) => [event, reason]).sort()).toEqual([
    ['display_name_removed', 'Not a name.'],
    ['picture_removed', 'Not a name.'],
  ])
  expect((await anna.api.result(listNotices, { query: {} })).data).toMatchObject([{ event: 'report_acted', count: 1 }])
  await report(anna, { user_id: berta.id })
  const later = await openCaseOf(berta)
  const before = await digestTables(plaza)
  expect(outcome(await decide(later.id, { actions: ['mute', 'remove_picture'], muted_until: inHours(1) }))).toEqual(
    invalid('actions', 'can remove only a display name or picture that the person has'),
  )
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-109: contradictory parts of a decision are refused, and nothing is written', async () => {
  const { anna, berta, id } = await someCase()
  await report(anna, { user_id: berta.id })
  const person = (await admin.api.result(adminListCases, { query: { user_id: berta.id } })).data.find(
    ({ kind }) => kind === 'person',
  )!
  const before = await digestTables(plaza)
  const ask = jsonCaller(plaza, admin.token)
  const send = (body: object, of = id) => ask('POST', `/api/admin/cases/${of}/decide`, body)
  const reason = 'x'
  const mute = { actions: ['mute'], reason }
  expect(await send({ actions: ['dismiss', 'mute'], reason })).toEqual(invalid('actions', 'must have dismiss alone'))
  expect(await send(mute)).toEqual(invalid('muted_until', 'is required with mute'))
  expect(await send({ actions: ['dismiss'], muted_until: inHours(1), reason })).toEqual(
    invalid('muted_until', 'goes with mute only'),
  )
  expect(await send({ ...mute, muted_until: inHours(0) })).toEqual(invalid('muted_until', 'must be a time to come'))
  expect(await send({ ...mute, muted_until: inHours(24 * 366) })).toEqual(
    invalid('muted_until', 'must be within 365 days'),
  )
  expect(await send({ actions: ['remove_message'], reason }, person.id)).toEqual(
    invalid('actions', 'can remove_message only where a message was reported'),
  )
  expect((await send({ actions: ['dismiss', 'dismiss'], reason }))[0]).toBe(422)
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-109: the last admin is not suspended by a case, and the case stays open', async () => {
  const anna = await someUser(plaza)
  const others = await plaza.db.sql<{ id: string }>`select id from users where is_admin and id <> ${admin.id}`
  await proveUser(admin)
  for (const { id } of others) await admin.api.result(updateUser, { params: { id }, body: { is_admin: false } })
  await report(anna, { user_id: admin.id })
  const { id } = await openCaseOf(admin)
  const before = await digestTables(plaza)
  expect(outcome(await decide(id, { actions: ['suspend'] }))).toEqual(refused('last_administrator'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-109: an admin mutes without a report, and ends a mute; both are audited and mailed', async () => {
  const berta = await someUser(plaza)
  const channel_id = await someChannel(berta)
  const muted_until = inHours(5)
  const set = (body: { muted_until: string | null; reason: string }) =>
    admin.api.call(setChatMute, { params: { id: berta.id }, body })
  expect(outcome(await set({ muted_until, reason: 'Flooding.' }))).toEqual([200, { muted_until }])
  expect((await post(berta, channel_id)).status).toBe(403)
  await plaza.mailTo(berta.email)
  expect(outcome(await set({ muted_until: null, reason: 'A mistake.' }))).toEqual([200, { muted_until: null }])
  expect((await post(berta, channel_id)).status).toBe(201)
  expect(await plaza.mailTo(berta.email, 1)).toMatch(/You can write in chat again\.\s+The reason:\s+A mistake\./)
  expect(await auditOf(admin, berta.id)).toEqual([
    { action: 'user.unmute', actor_id: admin.id, details: { reason: 'A mistake.' } },
    { action: 'user.mute', actor_id: admin.id, details: { reason: 'Flooding.', muted_until } },
  ])
  const before = await digestTables(plaza)
  expect(outcome(await set({ muted_until: inHours(-1), reason: 'x' }))).toEqual(
    invalid('muted_until', 'must be a time to come'),
  )
  expect(await digestTables(plaza)).toEqual(before)
})
