import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { changeUsername } from '../../contract/account-upkeep.ts'
import { login, me, register, sendVerification, verifyEmail } from '../../contract/accounts.ts'
import { adminListUsers, awardPoints, checkLedger, updateUser } from '../../contract/admin.ts'
import { myPointsHistory, spendPoints, transferPoints } from '../../contract/points.ts'
import { digestTables } from '../test/table-digests.ts'
import { countBy, race, sharedService, startTestService, type TestService } from '../test/harness.ts'
import { fewer, more, outcome, refused, unstorable } from '../test/refusals.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, raw, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
/** Uses every setting of registrations. */
const paying = await startTestService({
  SIGNUP_POINTS: '25',
  REFERRAL_POINTS: '40',
  REWARDS: 'at_once',
  TIERS: 'seed 🌱, tree 🌳',
  RESERVED_USERNAMES: 'acme, Globex Corp',
})

const uuid_v7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const password = 'correct horse'
let made = 0
const fresh = () => `new${++made}`
const someone = (name = fresh()) => ({ email: `${name}@people.test`, username: name, password })
const registerAt = ({ url }: TestService, body: Record<string, unknown>) =>
  new PlazaClient(url).call(register, { body: body as ReturnType<typeof someone> })
const profile = async (user: SomeUser) => (await user.api.result(me)).user

test('D-10 register: 201 with the registration fields and nothing else', async () => {
  const body = { email: 'Anna.B@People.test', username: 'Anna_B.-1', password }
  const reply = await registerAt(plaza, body)
  expect(outcome(reply)).toEqual([
    201,
    {
      user: {
        id: expect.stringMatching(uuid_v7),
        email: 'Anna.B@People.test',
        username: 'Anna_B.-1',
        tier: 'bronze',
        email_verified: false,
        points: 0,
        referral_code: expect.stringMatching(/^[a-z0-9]{10}$/),
        registration_number: expect.any(Number),
      },
    },
  ])
})

test('D-10 login: 200 with a token and the login fields and nothing else', async () => {
  const body = someone()
  await registerAt(plaza, body)
  const { email } = body
  const reply = await new PlazaClient(plaza.url).call(login, { body: { email: email.toUpperCase(), password } })
  expect(outcome(reply)).toEqual([
    200,
    {
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      user: {
        id: expect.stringMatching(uuid_v7),
        email,
        username: body.username,
        tier: 'bronze',
        is_admin: false,
        email_verified: false,
        totp_enabled: false,
      },
    },
  ])
})

test('D-10 me: the profile fields and nothing else', async () => {
  const user = await someUser(plaza)
  expect(outcome(await user.api.call(me))).toEqual([
    200,
    {
      user: {
        id: user.id,
        email: user.email,
        username: user.username,
        display_name: null,
        picture_url: null,
        time_zone: null,
        tier: 'bronze',
        tier_emoji: '🥉',
        points: 0,
        held: 0,
        referral_code: expect.stringMatching(/^[a-z0-9]{10}$/),
        signup_multiplier: 1,
        email_verified: true,
        totp_enabled: false,
        is_admin: false,
        admin_roles: [],
        stats: { direct_referrals: 0, connected_apps: 0, total_earned: 0, total_spent: 0 },
      },
    },
  ])
})

test.each([
  ['email', 'email_taken'],
  ['username', 'username_taken'],
] as const)(
  'D-12 a taken %s, in any case, is 409 %s and makes no account; of 8 at once one gets it',
  async (field, code) => {
    const taken = someone()
    const replies = await race(plaza, 8, () => registerAt(plaza, { ...someone(), [field]: taken[field] }))
    expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 1, 409: 7 })
    for (const reply of replies) if (!reply.ok) expect(outcome(reply)).toEqual(refused(code))
    const before = await digestTables(plaza)
    const again = await registerAt(plaza, { ...someone(), [field]: taken[field].toUpperCase() })
    expect(outcome(again)).toEqual(refused(code))
    expect(await digestTables(plaza)).toEqual(before)
  },
)

const bad_username = 'must be 3 to 32 letters, digits, dots, hyphens or underscores'
const bad_email = 'must match format "email"'
const each = (field: string, message: string, ...values: unknown[]) =>
  values.map((value): [field: string, value: unknown, message: string] => [field, value, message])

test('D-12 D-13 a malformed field: 422 that names it, and no account', async () => {
  const before = await digestTables(plaza)
  const usernames = ['ab', 'x'.repeat(33), 'with space', 'umläut', 'a/b', 'a@b.test', '', ' abc', 'abc\n', 'abc\u200b']
  const emails = ['', 'nobody', 'a@', '@b.test', 'a b@c.test', 'a@b.test\r\nbcc: x@y.test']
  const bad = [
    ...['email', 'password', 'username', 'referral_code'].flatMap((field) => each(field, unstorable, 'abcdefgh\0')),
    ...each('username', bad_username, ...usernames),
    ...each('email', bad_email, ...emails),
    // RFC 5321 §4.5.3.1: 64 characters before the @, 63 in a label.
    ...each('email', bad_email, `${'x'.repeat(65)}@b.test`, `${'x.'.repeat(32)}x@b.test`, `a@${'b'.repeat(64)}.test`),
    ...each('email', more(254), `${'x'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.test`),
    ...each('email', more(254), `${'x'.repeat(250)}@b.test`),
    ...each('password', fewer(8), '', 'seven77', '🔑🔑🔑🔑🔑🔑🔑'),
    ...each('password', more(1024), 'x'.repeat(1025)),
    ...each('referral_code', 'is not a referral code', 'nobodyhas1', ' '),
  ]
  for (const [path, value, message] of bad) {
    const reply = await registerAt(plaza, { ...someone(), [path]: value })
    expect([path, value, outcome(reply)]).toEqual([path, value, refused('validation_failed', [{ path, message }])])
  }
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-12 the longest address of RFC 5321 registers and signs in', async () => {
  const email =
    `${fresh()}${'x'.repeat(64)}`.slice(0, 64) + `@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(56)}.test`
  expect(email).toHaveLength(254)
  expect((await registerAt(plaza, { ...someone(), email })).status).toBe(201)
  expect((await new PlazaClient(plaza.url).call(login, { body: { email, password } })).status).toBe(200)
})

test('D-08 D-13 lengths count code points: 8 and 1024 emoji are passwords that sign in', async () => {
  for (const long of ['🔑'.repeat(8), '🔑'.repeat(1024)]) {
    const body = { ...someone(), password: long }
    expect((await registerAt(plaza, body)).status).toBe(201)
    const { email } = body
    expect((await new PlazaClient(plaza.url).call(login, { body: { email, password: long } })).status).toBe(200)
  }
})

test('D-07 fields that are not the caller’s to set are ignored', async () => {
  const evil = { id: '01890000-0000-7000-8000-000000000000', is_admin: true, email_verified: true, tier: 'gold' }
  const body = { ...someone(), ...evil, points: 1000, signup_multiplier: 9, registration_number: 1, suspended: true }
  const reply = await raw(plaza, 'POST', '/api/auth/register', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body).replace('{', '{"__proto__":{"is_admin":true},'),
  })
  expect(reply.status).toBe(201)
  const session = await new PlazaClient(plaza.url).result(login, { body: { email: body.email, password } })
  expect(session.user).toMatchObject({ is_admin: false, email_verified: false, tier: 'bronze' })
  expect(session.user.id).not.toBe(evil.id)
  const { user } = await new PlazaClient(plaza.url, session.token).result(me)
  expect(user).toMatchObject({ points: 0, signup_multiplier: 1, is_admin: false })
})

test('D-16 registration numbers run from 1 without a gap or a repetition, whatever was refused or raced', async () => {
  const taken = someone()
  const replies = [await registerAt(paying, taken)]
  await registerAt(paying, taken)
  await registerAt(paying, { ...someone(), username: taken.username })
  await registerAt(paying, { ...someone(), referral_code: 'nobodyhas1' })
  await registerAt(paying, { ...someone(), password: 'short' })
  replies.push(...(await race(paying, 6, (at) => registerAt(paying, at % 2 === 0 ? someone() : taken))))
  const numbers = replies.flatMap((reply) => (reply.ok ? [reply.body.user.registration_number] : []))
  const rows = await paying.db.sql<{ number: number }>`select registration_number as number from users order by 1`
  const all = rows.map(({ number }) => number)
  expect(all).toEqual(rows.map((_, at) => at + 1))
  expect(numbers.sort((a, b) => a - b)).toEqual(all.slice(-4))
})

test('D-16 a registration that waits for another one keeps no third one waiting: it takes its number last', async () => {
  const body = someone()
  const other = await paying.db.pool.connect()
  try {
    await other.query('begin')
    await other.query(
      `insert into users (id, email, username, password_hash, tier, referral_code, registration_number, inserted_at)
       values (gen_random_uuid(), 'other@people.test', $1, '', 'bronze', 'other', -1, now())`,
      [body.username],
    )
    const waiting = registerAt(paying, body)
    const waits = () =>
      paying.db.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await waitUntil(async () => (await waits()).length > 0)
    await other.query('select from registration_counter for update nowait')
    await other.query('rollback')
    await waiting
  } finally {
    other.release(true)
  }
})

test('D-16 the first of the configured tiers is for new users, with its emoji', async () => {
  const user = await someUser(paying)
  expect(await profile(user)).toMatchObject({ tier: 'seed', tier_emoji: '🌱' })
  const admin = await theAdmin(paying)
  await admin.api.result(updateUser, { params: { id: user.id }, body: { tier: 'tree' } })
  expect(await profile(user)).toMatchObject({ tier: 'tree', tier_emoji: '🌳' })
})

test('D-17 SIGNUP_POINTS are paid immediately, and the books balance', async () => {
  const reply = await registerAt(paying, someone())
  expect(reply.ok && reply.body.user.points).toBe(25)
  const user = await someUser(paying)
  expect((await user.api.result(myPointsHistory)).data.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['signup', 25],
  ])
  expect(await (await theAdmin(paying)).api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

/** Registers somebody at the paying service; returns the client and the code that verifies the address. */
async function registeredWithCode(body: Record<string, unknown> & { email: string }) {
  await registerAt(paying, body)
  const { email } = body
  const session = await new PlazaClient(paying.url).result(login, { body: { email, password } })
  const api = new PlazaClient(paying.url, session.token)
  await api.result(sendVerification)
  return { api, code: /code is (\d{6})/.exec(await paying.mailTo(email))?.[1] ?? '' }
}

test('D-17 the referrer is paid REFERRAL_POINTS × signup_multiplier when the address is verified, once', async () => {
  const referrer = await someUser(paying)
  const admin = await theAdmin(paying)
  await admin.api.result(updateUser, { params: { id: referrer.id }, body: { signup_multiplier: 3 } })
  const { referral_code } = await profile(referrer)
  const { api, code } = await registeredWithCode({ ...someone(), referral_code })
  expect(await profile(referrer)).toMatchObject({ points: 25, stats: { direct_referrals: 1 } })
  const replies = await race(paying, 5, () => api.call(verifyEmail, { body: { code } }))
  expect(replies.filter(({ ok }) => ok).length).toBe(1)
  expect(await profile(referrer)).toMatchObject({ points: 25 + 120, stats: { direct_referrals: 1, total_earned: 145 } })
  expect((await api.result(me)).user.points).toBe(25)
})

test('D-17 a referrer whose account is full does not prevent a verification', async () => {
  const referrer = await someUser(paying)
  await givePoints(paying, referrer, Number.MAX_SAFE_INTEGER - 25)
  const { referral_code } = await profile(referrer)
  const { api, code } = await registeredWithCode({ ...someone(), referral_code })
  expect((await api.call(verifyEmail, { body: { code } })).status).toBe(200)
  expect((await profile(referrer)).points).toBe(Number.MAX_SAFE_INTEGER)
})

test('D-18 points = total_earned − total_spent after every kind of movement; connected apps are counted', async () => {
  const scopes = ['points:spend', 'points:transfer'] as const
  const [user, friend, app] = [
    await someUser(paying),
    await someUser(paying),
    await someApp(paying, { scopes: [...scopes] }),
  ]
  const tokens = await someTokens(paying, app, user)
  await (await theAdmin(paying)).api.result(awardPoints, { body: { user_id: user.id, amount: 100 } })
  await tokens.api.result(spendPoints, { body: { amount: 30 } })
  await tokens.api.result(transferPoints, { body: { amount: 20, to_user_id: friend.id } })
  expect(await profile(user)).toMatchObject({
    points: 75,
    stats: { direct_referrals: 0, connected_apps: 1, total_earned: 125, total_spent: 50 },
  })
  expect((await profile(friend)).stats).toMatchObject({ total_earned: 45, total_spent: 0 })
})

test('D-19 the first admin is verified, may administrate, and a second start does not make another', async () => {
  const again = await plaza.startAnother()
  const admin = await theAdmin(again)
  expect(await profile(admin)).toMatchObject({ is_admin: true, email_verified: true, username: 'root' })
  const { data } = await admin.api.result(adminListUsers, { query: { q: admin.email } })
  expect(data.map(({ id, is_admin }) => [id, is_admin])).toEqual([[admin.id, true]])
})

const names = ['admin', 'Adm1n', 'p1aza_support', 'plaza', 'Moderator', 'acme', 'Acme-Team', 'gl0bexcorp']

test('D-118: names of the platform and its staff cannot be registered or taken later', async () => {
  const user = await someUser(paying)
  const before = await digestTables(paying)
  for (const username of names) {
    const body = { email: `${username}@people.test`, username, password: 'a few words in a row' }
    expect(outcome(await new PlazaClient(paying.url).call(register, { body }))).toEqual(refused('username_taken'))
    const change = { username, password: user.password }
    expect(outcome(await user.api.call(changeUsername, { body: change }))).toEqual(refused('username_taken'))
  }
  expect(await digestTables(paying)).toEqual(before)
})

test('D-118: an account that has such a name keeps it, and may spell it in another case', async () => {
  const user = await someUser(paying)
  await paying.db.sql`update users set username = 'support' where id = ${user.id}`
  const rename = async (username: string) =>
    outcome(await user.api.call(changeUsername, { body: { username, password: user.password } }))
  expect((await rename('Support'))[0]).toBe(200)
  expect((await rename('Support2'))[0]).toBe(409)
  expect((await rename('somebody-else'))[0]).toBe(200)
  expect(await rename('Support')).toEqual(refused('username_taken'))
})
