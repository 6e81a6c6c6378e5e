import { expect, test } from 'vitest'
import { adminListCases, decideCase, adminGetCase } from '../../contract/admin-moderation.ts'
import { decisions } from '../../contract/decisions.ts'
import { field_examples } from '../../contract/examples.ts'
import { look_parts, type LookPart } from '../../contract/kinds/reports.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { createReport, listMyReports } from '../../contract/moderation.ts'
import { setPicture, updateProfile } from '../../contract/profiles.ts'
import { blockUser } from '../../contract/social.ts'
import { digestTables } from '../test/table-digests.ts'
import { race, sharedService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { sendText, someChannel, someUsers, twoUsers } from '../test/social-world.ts'
import { jsonCaller, signedInAgain, someUser, theAdmin, type SomeUser, suspend } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const nobody = '01890000-0000-7000-8000-000000000000'
const { open_reports_max, doubted_dismissals, doubted_days } = decisions.moderation

type Sent = { message_id?: string; user_id?: string; part?: LookPart; reason?: 'spam' | 'harassment'; note?: string }
const report = ({ api }: SomeUser, { reason = 'spam', ...about }: Sent) =>
  api.call(createReport, { body: { ...about, reason } })
const openCases = async (user_id: string) =>
  (await admin.api.result(adminListCases, { query: { status: 'open', user_id } })).data
const someMessage = async (sender: SomeUser, body = 'Buy this!') => sendText(sender, await someChannel(sender), body)
const dismiss = async (user_id: string) => {
  for (const { id } of await openCases(user_id))
    await admin.api.result(decideCase, { params: { id }, body: { actions: ['dismiss'], reason: 'Nothing wrong.' } })
}

test('D-109: a report of a message opens a case, and the reports of others join it', async () => {
  const [anna, berta, carla] = (await someUsers(plaza, 3)) as [SomeUser, SomeUser, SomeUser]
  const message = await someMessage(berta, 'Buy this fucking thing!')
  const made = await report(anna, { message_id: message.id, reason: 'spam', note: 'The third one today' })
  expect(outcome(made)).toEqual([
    201,
    {
      id: expect.any(String),
      kind: 'message',
      message_id: message.id,
      user_id: berta.id,
      username: berta.username,
      reported_text: 'Buy this ****ing thing!',
      reason: 'spam',
      note: 'The third one today',
      status: 'open',
      decided_at: null,
      inserted_at: plaza.clock.now().toISOString(),
    },
  ])
  expect(outcome(await report(anna, { message_id: message.id, reason: 'harassment' }))).toEqual([200, made.body])
  await report(carla, { message_id: message.id, reason: 'harassment' })
  const [one, ...others] = await openCases(berta.id)
  expect([one, others]).toEqual([
    {
      id: expect.any(String),
      kind: 'message',
      status: 'open',
      person_id: berta.id,
      person_username: berta.username,
      person_display_name: null,
      person_picture_url: null,
      message_id: message.id,
      text: 'Buy this ****ing thing!',
      reports: 2,
      doubted_reports: 0,
      kinds: ['message'],
      reasons: ['harassment', 'spam'],
      actions: [],
      reason: null,
      muted_until: null,
      decided_by_username: null,
      decided_at: null,
      inserted_at: plaza.clock.now().toISOString(),
      last_reported_at: plaza.clock.now().toISOString(),
    },
    [],
  ])
  expect((await anna.api.result(listMyReports)).data).toEqual([made.body])
})

test('D-109: people can report others, including those whom they blocked, but not themselves', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const message = await someMessage(anna)
  await anna.api.result(blockUser, { body: { user_id: berta.id } })
  expect((await report(anna, { user_id: berta.id })).status).toBe(201)
  expect((await report(berta, { user_id: anna.id })).status).toBe(201)
  const before = await digestTables(plaza)
  expect(outcome(await report(anna, { user_id: anna.id }))).toEqual(invalid('user_id', 'must be another user'))
  expect(outcome(await report(anna, { message_id: message.id }))).toEqual(
    invalid('message_id', 'must be of another user'),
  )
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-165: person, display name and picture are reported by themselves, in one case whose reporter counts once', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const before = await digestTables(plaza)
  const nothing_there = invalid('part', 'is nothing that the person has')
  for (const part of look_parts) expect(outcome(await report(anna, { user_id: berta.id, part }))).toEqual(nothing_there)
  expect(outcome(await report(anna, { message_id: nobody, part: 'picture' }))).toEqual(
    invalid('part', 'goes with user_id only'),
  )
  expect(await digestTables(plaza)).toEqual(before)
  await berta.api.result(updateProfile, { body: { display_name: 'Queen of Berlin' } })
  await berta.api.result(setPicture, { body: { picture: String(field_examples.picture) } })
  const made = [
    await report(anna, { user_id: berta.id }),
    await report(anna, { user_id: berta.id, part: 'display_name' }),
    await report(anna, { user_id: berta.id, part: 'picture' }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
  const again = await report(anna, { user_id: berta.id, part: 'picture', reason: 'harassment' })
  expect(outcome(again)).toEqual([200, made[2]!.body])
  const mine = (await anna.api.result(listMyReports)).data
  expect(mine.map(({ kind, reported_text }) => [kind, reported_text])).toEqual([
    ['picture', null],
    ['display_name', 'Queen of Berlin'],
    ['person', null],
  ])
  expect(await openCases(berta.id)).toMatchObject([
    {
      kind: 'person',
      kinds: ['display_name', 'person', 'picture'],
      reports: 1,
      person_display_name: 'Queen of Berlin',
    },
  ])
})

test('D-109: absent subjects, and reports of none or of two, are refused, and nothing is written', async () => {
  const [anna, berta, gone] = (await someUsers(plaza, 3)) as [SomeUser, SomeUser, SomeUser]
  await suspend(plaza, gone)
  const before = await digestTables(plaza)
  expect(outcome(await report(anna, { message_id: nobody }))).toEqual(refused('not_found'))
  for (const user_id of [nobody, gone.id])
    expect(outcome(await report(anna, { user_id }))).toEqual(refused('user_not_found'))
  const post = (body: object) => jsonCaller(plaza, anna.token)('POST', '/api/social/reports', body)
  const reason = 'spam'
  expect(await post({ reason })).toEqual(invalid('message_id', 'or user_id is required'))
  expect(await post({ reason, message_id: nobody, user_id: berta.id })).toEqual(
    invalid('message_id', 'goes without user_id'),
  )
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-109: fifty parallel reports of one message are one case, and fifty of one person by one person one report', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const reporters = await someUsers(plaza, 10)
  const message = await someMessage(anna)
  const made = await race(plaza, 50, (at) => report(reporters[at % 10]!, { message_id: message.id }))
  expect(made.map(({ status }) => status).sort()).toEqual([...Array(40).fill(200), ...Array(10).fill(201)])
  expect((await openCases(anna.id)).map(({ reports }) => reports)).toEqual([10])
  const persons = await race(plaza, 50, () => report(anna, { user_id: berta.id }))
  expect(persons.filter(({ status }) => status === 201).length).toBe(1)
  expect((await openCases(berta.id)).map(({ reports }) => reports)).toEqual([1])
})

test('D-109: after a dismissal, the same reporter cannot report the message again, but can report the person', async () => {
  const [anna, berta, carla] = (await someUsers(plaza, 3)) as [SomeUser, SomeUser, SomeUser]
  const message = await someMessage(berta)
  await report(anna, { message_id: message.id })
  await report(anna, { user_id: berta.id })
  await dismiss(berta.id)
  const before = await digestTables(plaza)
  expect(outcome(await report(anna, { message_id: message.id }))).toEqual(refused('report_decided'))
  expect(await digestTables(plaza)).toEqual(before)
  expect((await report(anna, { user_id: berta.id })).status).toBe(201)
  expect((await report(carla, { message_id: message.id })).status).toBe(201)
  expect((await openCases(berta.id)).map(({ kind }) => kind).sort()).toEqual(['message', 'person'])
  const mine = (await anna.api.result(listMyReports)).data
  expect(mine.map(({ message_id, status }) => [message_id, status])).toEqual([
    [null, 'open'],
    [null, 'dismissed'],
    [message.id, 'dismissed'],
  ])
})

test('D-109: cases about a person who left are dismissed without an admin, and the person can no longer be reported', async () => {
  const [anna, berta] = await twoUsers(plaza)
  const message = await someMessage(berta)
  await report(anna, { message_id: message.id, note: 'They wrote to me before' })
  await report(anna, { user_id: berta.id, note: 'They live next door' })
  const cases = await openCases(berta.id)
  expect(cases).toHaveLength(2)
  await berta.api.result(deleteAccount, { body: { password: berta.password } })
  const erasing = plaza.service.app.jobs.find(({ name }) => name === 'leaving.erase')!
  await erasing.run({ user_id: berta.id }, 'test')
  expect(await openCases(berta.id)).toEqual([])
  const closed = await plaza.db.sql`
    select status, actions, decision_reason, decided_by, decided_at is not null as has_time
      from moderation_cases where person_id = ${berta.id}`
  const dismissed = {
    status: 'decided',
    actions: ['dismiss'],
    decision_reason: null,
    decided_by: null,
    has_time: true,
  }
  expect(closed).toEqual([dismissed, dismissed])
  const decided = await admin.api.call(decideCase, {
    params: { id: cases[0]!.id },
    body: { actions: ['dismiss'], reason: 'A text about who left' },
  })
  const decision = {
    actions: ['dismiss'],
    reason: null,
    muted_until: null,
    decided_by_username: null,
    decided_at: expect.any(String),
  }
  expect(outcome(decided)).toEqual([409, { ...(refused('case_decided')[1] as object), decision }])
  expect((await anna.api.result(listMyReports)).data.map(({ status, note }) => [status, note])).toEqual([
    ['dismissed', null],
    ['dismissed', null],
  ])
  const before = await digestTables(plaza)
  expect(outcome(await report(anna, { message_id: message.id, note: 'again' }))).toEqual(refused('not_found'))
  expect(outcome(await report(anna, { user_id: berta.id, note: 'again' }))).toEqual(refused('user_not_found'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-109: a person has a bounded number of open reports, even with parallel calls', async () => {
  const anna = await someUser(plaza)
  const others = await someUsers(plaza, open_reports_max + 5)
  const made = await race(plaza, others.length, (at) => report(anna, { user_id: others[at]!.id }))
  const statuses = made.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array(open_reports_max).fill(201), ...Array(5).fill(409)])
  expect(outcome(made.find(({ status }) => status === 409)!)).toEqual(refused('too_many_reports'))
  const reported = others.filter((_, at) => made[at]?.status === 201)
  await dismiss(reported[0]!.id)
  expect((await report(anna, { user_id: others.find((_, at) => made[at]?.status === 409)!.id })).status).toBe(201)
})

test('D-109: after too many dismissals a reporter is marked and has one open report at a time, until enough time has passed', async () => {
  const anna = await someUser(plaza)
  const others = await someUsers(plaza, doubted_dismissals + 3)
  const next = () => others.shift()!
  for (let n = 0; n < doubted_dismissals; n++) {
    const { id } = next()
    expect((await report(anna, { user_id: id })).status).toBe(201)
    await dismiss(id)
  }
  const [first, second] = [next(), next()]
  expect((await report(anna, { user_id: first.id })).status).toBe(201)
  expect(outcome(await report(anna, { user_id: second.id }))).toEqual(refused('too_many_reports'))
  const [doubted] = await openCases(first.id)
  expect(doubted).toMatchObject({ reports: 1, doubted_reports: 1 })
  const { reports } = await admin.api.result(adminGetCase, { params: { id: doubted!.id } })
  expect(reports).toEqual([
    {
      id: expect.any(String),
      kind: 'person',
      reporter_id: anna.id,
      reporter_username: anna.username,
      reporter_since: expect.any(String),
      reporter_counts: { open: 1, acted: 0, dismissed: doubted_dismissals },
      doubted: true,
      reported_text: null,
      reason: 'spam',
      note: null,
      inserted_at: plaza.clock.now().toISOString(),
    },
  ])
  plaza.clock.advance((doubted_days + 1) * 86_400)
  const later = await signedInAgain(plaza, anna)
  expect((await report(later, { user_id: second.id })).status).toBe(201)
})

test('D-109: own reports come in pages without gaps, newest first', async () => {
  const anna = await someUser(plaza)
  const others = await someUsers(plaza, 5)
  for (const { id } of others) await report(anna, { user_id: id })
  const all = (await anna.api.result(listMyReports)).data
  const first = await anna.api.result(listMyReports, { query: { limit: 3 } })
  const rest = await anna.api.result(listMyReports, { query: { limit: 3, cursor: first.next_cursor! } })
  expect([...first.data, ...rest.data]).toEqual(all)
  expect([all.map(({ user_id }) => user_id), rest.next_cursor]).toEqual([others.map(({ id }) => id).reverse(), null])
})
