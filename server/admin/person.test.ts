import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, me, setupTotp } from '../../contract/accounts.ts'
import { awardPoints, updateUser } from '../../contract/admin.ts'
import { adminListApps } from '../../contract/admin-apps.ts'
import { setChatMute } from '../../contract/admin-moderation.ts'
import {
  adminEndSessions,
  adminGetUser,
  adminListConnections,
  adminListMovements,
  adminListSessions,
  adminSendVerification,
  confirmAddress,
  confirmSecondFactorProof,
  removeSecondFactor,
  startSecondFactorProof,
} from '../../contract/admin-users.ts'
import { decisions } from '../../contract/decisions.ts'
import { createReport } from '../../contract/moderation.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { purgeExpiredLogins } from '../accounts/service.ts'
import { race, startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { enableTwoFactor } from '../test/two-factor.ts'
import {
  auditOf,
  givePoints,
  signedInAgain,
  someApp,
  someTokens,
  someUser,
  theAdmin,
  type SomeUser,
} from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)
const anonymous = new PlazaClient(plaza.url)
const reason = 'Asked by telephone.'
const { tries, lifetime_seconds, digits } = decisions.admin_support

/** The audit entries of a person, newest first, without views by admins. */
const changesOf = async (id: string) => (await auditOf(admin, id)).filter(({ action }) => action !== 'user.read')
const personOf = ({ id }: { id: string }, by = admin) => by.api.result(adminGetUser, { params: { id } })
const start = ({ id }: SomeUser) => admin.api.call(startSecondFactorProof, { params: { id }, body: { reason } })
const confirm = ({ id }: SomeUser, code: string) =>
  admin.api.call(confirmSecondFactorProof, { params: { id }, body: { code, reason } })
const remove = ({ id }: SomeUser, by = admin) => by.api.call(removeSecondFactor, { params: { id }, body: { reason } })
const signIn = ({ email, password }: SomeUser) => anonymous.call(login, { body: { email, password } })
const codesIn = (mail: string) => ({
  code: new RegExp(`^(\\d{${digits}})\\r?$`, 'm').exec(mail)?.[1] ?? 'no code',
  link: /#code=(plz_sf_[\w-]+)/.exec(mail)?.[1] ?? 'no link',
})
/** A person with a second factor and a started proof, and the mailed codes. */
async function someLostFactor() {
  const user = await someUser(plaza)
  await enableTwoFactor(plaza, user)
  expect((await start(user)).status).toBe(200)
  return { user, ...codesIn(await plaza.mailTo(user.email, 0, 'plz_sf_')) }
}

test('D-110: a person’s account with apps, deployments and sessions', async () => {
  const user = await someUser(plaza)
  const app = await someApp(plaza, { owner: user })
  await someTokens(plaza, app, user)
  await givePoints(plaza, user, 70)
  const muted_until = new Date(plaza.clock.now().getTime() + 60_000).toISOString()
  await admin.api.result(setChatMute, { params: { id: user.id }, body: { muted_until, reason } })
  const other = await someUser(plaza)
  await other.api.result(createReport, { body: { user_id: user.id, reason: 'spam' } })
  expect(await personOf(user)).toEqual({
    id: user.id,
    email: user.email,
    username: user.username,
    display_name: null,
    picture_url: null,
    tier: 'bronze',
    signup_multiplier: 1,
    is_admin: false,
    admin_roles: [],
    email_verified: true,
    totp_enabled: false,
    suspended: false,
    points: 70,
    held: 0,
    total_earned: 70,
    total_spent: 0,
    registration_number: expect.any(Number),
    inserted_at: plaza.clock.now().toISOString(),
    owned_apps: 1,
    connected_apps: 1,
    deployments: 0,
    muted_until,
    open_cases: 1,
    has_second_factor: false,
    second_factor_proof: { state: 'none', expires_at: null },
  })
  const id = user.id
  const { connections } = await admin.api.result(adminListConnections, { params: { id } })
  expect(connections.map(({ app_id }) => app_id)).toEqual([app.id])
  const mine = await user.api.result(myPointsHistory)
  const listed = { ...mine, data: mine.data.map(({ other_username: _, by_agent: __, ...movement }) => movement) }
  expect(await admin.api.result(adminListMovements, { params: { id } })).toEqual(listed)
  expect((await admin.api.result(adminListMovements, { params: { id }, query: { direction: 'out' } })).data).toEqual([])
  const apps = await admin.api.result(adminListApps, { query: { owner_id: id } })
  expect(apps.data.map((one) => one.id)).toEqual([app.id])
  const { sessions } = await admin.api.result(adminListSessions, { params: { id } })
  expect(sessions).toEqual([
    {
      id: expect.any(String),
      user_agent: expect.any(String),
      inserted_at: plaza.clock.now().toISOString(),
      last_used_at: plaza.clock.now().toISOString(),
      expires_at: expect.any(String),
    },
  ])
})

test('D-110: an admin ends one session of a person, or all, in every process; it is audited with the reason', async () => {
  const other = await plaza.startAnother()
  const user = await someUser(plaza)
  const second = await signedInAgain(plaza, user)
  const elsewhere = new PlazaClient(other.url, second.token)
  expect((await elsewhere.call(me)).status).toBe(200)
  const id = user.id
  const { sessions } = await admin.api.result(adminListSessions, { params: { id } })
  expect(sessions.length).toBe(2)
  const end = (body: { session_id?: string }) =>
    admin.api.call(adminEndSessions, { params: { id }, body: { ...body, reason } })
  const session_id = sessions[0]!.id
  expect(outcome(await end({ session_id }))).toEqual([200, { ended: 1 }])
  expect([(await user.api.call(me)).status, (await second.api.call(me)).status].sort()).toEqual([200, 401])
  const stranger = await admin.api.result(adminListSessions, { params: { id: admin.id } })
  const before = await digestTables(plaza)
  expect(outcome(await end({ session_id }))).toEqual(refused('not_found'))
  expect(outcome(await end({ session_id: stranger.sessions[0]!.id }))).toEqual(refused('not_found'))
  expect(await digestTables(plaza)).toEqual(before)
  expect(outcome(await end({}))).toEqual([200, { ended: 1 }])
  expect([(await user.api.call(me)).status, (await second.api.call(me)).status]).toEqual([401, 401])
  await expect.poll(async () => (await elsewhere.call(me)).status).toBe(401)
  expect(await changesOf(id)).toEqual([
    { action: 'user.end_sessions', actor_id: admin.id, details: { ended: 1, reason } },
    { action: 'user.end_sessions', actor_id: admin.id, details: { session_id, ended: 1, reason } },
  ])
})

test('D-110: the code that a person reads out proves the address; the second factor can then be removed, once', async () => {
  const { user, code } = await someLostFactor()
  expect(await personOf(user)).toMatchObject({ has_second_factor: true, second_factor_proof: { state: 'mailed' } })
  expect(outcome(await remove(user))).toEqual(refused('address_not_proved'))
  expect((await confirm(user, `${code.slice(0, 4)} ${code.slice(4)}`)).status).toBe(200)
  expect((await personOf(user)).second_factor_proof.state).toBe('confirmed')
  expect((await signIn(user)).status).toBe(401)
  const all = await race(plaza, 10, () => remove(user))
  expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect((await user.api.call(me)).status).toBe(401)
  expect((await signIn(user)).status).toBe(200)
  expect(await personOf(user)).toMatchObject({
    has_second_factor: false,
    totp_enabled: false,
    second_factor_proof: { state: 'none' },
  })
  expect(await plaza.mailTo(user.email, 0, 'an admin took the second factor')).toContain(
    'You are signed out everywhere',
  )
  expect((await changesOf(user.id)).map(({ action, details }) => [action, details])).toEqual([
    ['user.remove_second_factor', { reason }],
    ['user.confirm_proof', { reason }],
    ['user.start_proof', { reason }],
  ])
  const again = await signedInAgain(plaza, user)
  expect((await again.api.call(setupTotp)).status).toBe(200)
})

test('D-110: the link in the mail also proves the address, repeatedly, and removes nothing by itself', async () => {
  const { user, link } = await someLostFactor()
  const open = (code: string) => anonymous.call(confirmAddress, { body: { code } })
  expect(outcome(await open(`${link}x`))).toEqual(refused('invalid_code'))
  for (let n = 0; n < 2; n++)
    expect(outcome(await open(link))).toEqual([
      200,
      { message: 'Thank you. An admin can take your second factor away now.' },
    ])
  expect((await personOf(user)).totp_enabled).toBe(true)
  expect((await remove(user)).status).toBe(200)
  expect(outcome(await open(link))).toEqual(refused('invalid_code'))
})

test('D-110: after a few wrong codes, also in parallel, even the right one is invalid', async () => {
  const { user, code } = await someLostFactor()
  const wrong = code === '00000000' ? '00000001' : '00000000'
  const all = await race(plaza, 20, () => confirm(user, wrong))
  expect(new Set(all.map((reply) => JSON.stringify(outcome(reply))))).toEqual(
    new Set([JSON.stringify(refused('invalid_code'))]),
  )
  const [row] = await plaza.db.sql<{ tries_left: number }>`
    select tries_left from second_factor_proofs where user_id = ${user.id}`
  expect([row?.tries_left, tries]).toEqual([0, 5])
  expect(outcome(await confirm(user, code))).toEqual(refused('invalid_code'))
  const actions = (await auditOf(admin, user.id)).map(({ action }) => action)
  expect(actions).toEqual([...Array(21).fill('user.wrong_code'), 'user.start_proof'])
  await start(user)
  const next = codesIn(await plaza.mailTo(user.email, 1, 'plz_sf_'))
  expect((await confirm(user, next.code)).status).toBe(200)
})

test('D-110: a proof ends after its time, with a new proof, and with a change of the address', async () => {
  const { user, code, link } = await someLostFactor()
  expect((await confirm(user, code)).status).toBe(200)
  await plaza.db.sql`update users set email = 'taken-over@people.test' where id = ${user.id}`
  expect(outcome(await remove(user))).toEqual(refused('address_not_proved'))
  await plaza.db.sql`update users set email = ${user.email} where id = ${user.id}`
  await start(user)
  expect(outcome(await remove(user))).toEqual(refused('address_not_proved'))
  expect(outcome(await anonymous.call(confirmAddress, { body: { code: link } }))).toEqual(refused('invalid_code'))
  const next = codesIn(await plaza.mailTo(user.email, 1, 'plz_sf_'))
  expect((await confirm(user, next.code)).status).toBe(200)
  plaza.clock.advance(lifetime_seconds)
  const later = await signedInAgain(plaza, admin)
  expect(outcome(await remove(user, later))).toEqual(refused('address_not_proved'))
  expect((await personOf(user, later)).second_factor_proof).toEqual({ state: 'none', expires_at: null })
  plaza.clock.advance(1)
  await purgeExpiredLogins(plaza.service.app.accounts, { rows_max: 10 })
  expect(await plaza.db.sql`select 1 from second_factor_proofs where user_id = ${user.id}`).toEqual([])
  plaza.clock.advance(-lifetime_seconds - 1)
})

test('D-110: codes of a proof are not in the database, jobs or the log', async () => {
  const { user, code, link } = await someLostFactor()
  const rows = await plaza.db.sql`select p::text as row from second_factor_proofs p where user_id = ${user.id}`
  const jobs = await plaza.db.sql`select payload::text as row from graphile_worker._private_jobs`
  const text = JSON.stringify([rows, jobs]) + plaza.logged()
  expect([text.includes(code), text.includes(link)]).toEqual([false, false])
})

test('D-110: without a second factor there is nothing to prove or remove', async () => {
  const user = await someUser(plaza)
  const before = await digestTables(plaza)
  expect(outcome(await start(user))).toEqual(refused('totp_not_enabled'))
  expect(outcome(await remove(user))).toEqual(refused('totp_not_enabled'))
  expect(await digestTables(plaza)).toEqual(before)
  expect(outcome(await confirm(user, '12345678'))).toEqual(refused('invalid_code'))
})

test('D-110: an admin has the verification mailed again', async () => {
  const [user, verified] = [await someUser(plaza, { verified: false }), await someUser(plaza)]
  const send = ({ id }: SomeUser) => admin.api.call(adminSendVerification, { params: { id }, body: { reason } })
  expect((await send(user)).status).toBe(200)
  expect(await plaza.mailTo(user.email, 0, 'your verification code is')).toContain(user.username)
  expect(await auditOf(admin, user.id)).toEqual([
    { action: 'user.send_verification', actor_id: admin.id, details: { reason } },
  ])
  const before = await digestTables(plaza)
  expect(outcome(await send(verified))).toEqual(refused('already_verified'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-110: the changes of D-81 and awards take a reason, which is audited', async () => {
  const user = await someUser(plaza)
  await admin.api.result(updateUser, { params: { id: user.id }, body: { tier: 'gold', reason } })
  await admin.api.result(awardPoints, { body: { user_id: user.id, amount: 5, reason } })
  expect((await auditOf(admin, user.id)).map(({ details }) => details)).toEqual([
    { amount: 5, reason },
    { tier: 'gold', reason },
  ])
})
