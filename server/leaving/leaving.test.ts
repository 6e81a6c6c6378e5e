import { expect, test } from 'vitest'
import { deleteAccount, export_lists, exportAccount, getLeaving } from '../../contract/leaving.ts'
import { login, me, register, setLanguage } from '../../contract/accounts.ts'
import { checkLedger, updateUser } from '../../contract/admin.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { PlazaClient } from '../../contract/client.ts'
import { getExternalUser } from '../../contract/external.ts'
import { createRefund } from '../../contract/payments.ts'
import { myPointsHistory, spendPoints, transferPoints } from '../../contract/points.ts'
import {
  listFriends,
  listMessages,
  listPendingFriends,
  requestFriend,
  searchUsers,
  sendMessage,
} from '../../contract/social.ts'
import { createApp, listMyApps } from '../../contract/oauth-apps.ts'
import { system_accounts } from '../points/rules.ts'
import { firstAdmin, race, startTestService, type TestService } from '../test/harness.ts'
import { observeStatus, someContainerHost } from '../test/hosting-world.ts'
import { marked_address, markedPerson, marker } from '../test/marked-person.ts'
import { placesOf as findPlaces } from '../test/places.ts'
import { invalid, outcome, refused, required } from '../test/refusals.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { befriend, someChannel } from '../test/social-world.ts'
import { givePoints, raw, someApp, someTokens, someUser, theAdmin, world, type SomeUser } from '../test/world.ts'
import { hosting_settings, long_lifetimes } from '../test/settings.ts'

const plaza = await startTestService({
  ...hosting_settings,
  ...long_lifetimes,
  WEBHOOK_ADDRESSES: 'any',
  TRUSTED_PROXIES: '127.0.0.1',
})
/** Has a worker that sends mails, and loses its admin. */
const mailing = await startTestService()
const anonymous = new PlazaClient(plaza.url)
await someContainerHost(plaza)

const leave = async (user: SomeUser, more: object = {}) =>
  outcome(await user.api.call(deleteAccount, { body: { password: user.password, ...more } }))
const left = [200, { message: 'Your account is deleted. The rest of your data is erased within minutes.' }]
const runJob = (name: string, payload: Record<string, unknown> = {}, at: TestService = plaza) =>
  at.service.app.jobs.find((job) => job.name === name)!.run(payload, 'test')
const erase = (user: SomeUser) => runJob('leaving.erase', { user_id: user.id })
/** Runs all pending jobs, as workers would within minutes. */
async function eraseAll(user: SomeUser) {
  await erase(user)
  plaza.clock.advance(61)
  await runJob('social.leave', { user_id: user.id })
  await erase(user)
}
const erasedAt = async ({ id }: SomeUser) =>
  (await plaza.db.sql<{ erased_at: Date | null }>`select erased_at from departures where user_id = ${id}`)[0]?.erased_at
const isBalanced = async () => (await (await theAdmin(plaza)).api.result(checkLedger)).balanced
const pointsOf = async (id: string) =>
  (
    await plaza.db.sql<{ points: number; held: number }>`
    select credited - debited as points, held from point_accounts where id = ${id}`
  )[0]
const departedPoints = async () => (await pointsOf(system_accounts.departed))!.points

const placesOf = (text: string, log: string) => findPlaces(plaza.db.pool, text, log)

test('D-106: after a person has left, no column of any table and no later log line contains their data', async () => {
  const person = await markedPerson(plaza)
  const { user, deployment_id } = person
  const before = await placesOf(marker, '')
  // Writes the person's marked texts everywhere; the search below finds what remains.
  expect(before).toEqual(
    expect.arrayContaining([
      'audit_log',
      'authorization_codes',
      'consents',
      'deploy_logs',
      'deploy_releases',
      'deployments',
      'passkeys',
      'email_changes',
      'app_secrets',
      'events',
      'holds',
      'idempotency_keys',
      'login_sessions',
      'message_edits',
      'message_keys',
      'messages',
      'notices',
      'oauth_apps',
      'presence',
      'reports',
      'scope_requests',
      'transfers',
      'users',
      'webhook_request_keys',
      'webhooks',
    ]),
  )
  expect(await placesOf(marked_address, '')).toEqual(expect.arrayContaining(['login_addresses']))
  const departed = await departedPoints()
  const logged = plaza.logged().length
  const { points, held } = (await pointsOf(user.id))!
  expect(held).toBe(20)

  expect(await leave(user)).toEqual(left)
  await observeStatus(plaza, deployment_id, 'destroyed')
  await plaza.db.sql`update deploy_logs set status = 'succeeded' where deployment_id = ${deployment_id}`
  // Rate limit counts by network address identify nobody and end with their windows.
  await runJob('points.release_holds_of_app', { app_id: person.app.id, until: plaza.clock.now().toISOString() })
  await eraseAll(user)
  await runJob('platform.forget_old_counts')

  expect(await placesOf(marker, plaza.logged().slice(logged))).toEqual([])
  expect(await placesOf(marked_address, plaza.logged().slice(logged))).toEqual([])
  expect(await erasedAt(user)).not.toBeNull()
  expect(await pointsOf(user.id)).toEqual({ points: 0, held: 0 })
  expect(await departedPoints()).toBe(departed + points)
  expect(await isBalanced()).toBe(true)

  // For others, the chat keeps its order and the shop its movements under the id.
  const messages = await person.friend.api.result(listMessages, {
    params: { channel_id: person.channel_id },
    query: {},
  })
  expect(messages.map(({ sender_username, filtered_body }) => [sender_username, filtered_body])).toEqual([
    [person.friend.username, 'after'],
    [null, 'The person who wrote this has left.'],
    [person.friend.username, 'before'],
  ])
  const kept = await plaza.db.sql`
    select kind, amount, description, reference, metadata from transfers where id = ${person.spent_id}`
  expect(kept).toEqual([{ kind: 'spend', amount: 30, description: null, reference: null, metadata: null }])
  expect((await person.tokens.api.call(getExternalUser)).status).toBe(401)
  expect((await person.customer.api.call(getExternalUser)).status).toBe(401)
  expect((await user.api.call(me)).status).toBe(401)
  expect(outcome(await anonymous.call(login, { body: { email: user.email, password: user.password } }))).toEqual(
    refused('invalid_credentials'),
  )
  const refund = await person.shop_api.call(createRefund, { body: { transfer_id: person.spent_id } })
  expect(refund.status).toBe(201)
  expect(await pointsOf(user.id)).toEqual({ points: 0, held: 0 })
  expect(await departedPoints()).toBe(departed + points + 30)
  expect(await isBalanced()).toBe(true)
  // The name of the deployment stays reserved, stored as a hash.
  const [deployment] = await plaza.db.sql<{
    subdomain: string
  }>`select subdomain from deployments where id = ${deployment_id}`
  expect(deployment!.subdomain).toMatch(/^left-[0-9a-f]{64}$/)
  const audit = await (await theAdmin(plaza)).api.result(listAudit, { query: { target_id: user.id } })
  expect(audit.data[0]).toMatchObject({ action: 'user.leave', actor_username: null, details: {} })
  const denials = await plaza.db.sql`
    select details from audit_log where action = 'scope_request.denied' and target_id = ${person.denied_id}`
  expect(denials).toEqual([{ details: {} }])
  expect(await plaza.db.sql`select id from scope_requests where app_id = ${person.app.id}`).toEqual([])
})

test('D-106: the name stays reserved for 30 days, the address is free immediately', async () => {
  const user = await someUser(plaza)
  expect(await leave(user)).toEqual(left)
  const again = (email: string) =>
    anonymous.call(register, { body: { email, username: user.username.toUpperCase(), password: 'another password' } })
  expect(outcome(await again(user.email))).toEqual(refused('username_taken'))
  expect(
    (
      await anonymous.call(register, {
        body: { email: user.email, username: `${user.username}-2`, password: 'another password' },
      })
    ).status,
  ).toBe(201)
  plaza.clock.advance(30 * 86_400 + 1)
  expect((await again(`again-${user.email}`)).status).toBe(201)
})

test('D-106: a missing, wrong or old password and a missing or wrong second factor are refused; nothing is written', async () => {
  const user = await someUser(plaza)
  await givePoints(plaza, user, 7)
  expect(outcome(await user.api.call(deleteAccount, { body: {} }))).toEqual(invalid('password', required))
  expect(await leave(user, { password: 'not the password' })).toEqual(refused('wrong_password'))
  const { secret } = await enableTwoFactor(plaza, user)
  plaza.clock.advance(60)
  expect(await leave(user)).toEqual(refused('second_factor_missing'))
  expect(await leave(user, { totp_code: totpCode(plaza.clock, secret) === '000000' ? '111111' : '000000' })).toEqual(
    refused('invalid_code'),
  )
  expect(outcome(await raw(plaza, 'POST', '/api/auth/account/delete'))).toEqual(refused('unauthorized'))
  expect((await user.api.result(me)).user).toMatchObject({ username: user.username, points: 7 })
  expect(await plaza.db.sql`select user_id from departures where user_id = ${user.id}`).toEqual([])
  expect(await leave(user, { totp_code: totpCode(plaza.clock, secret) })).toEqual(left)
})

test('D-106: a suspended person cannot call it; the last admin cannot leave, of two in parallel, one can', async () => {
  const user = await someUser(plaza)
  const anew = await anonymous.result(login, { body: firstAdmin })
  const admin: SomeUser = { ...(await theAdmin(plaza)), api: anonymous.withToken(anew.token) }
  await admin.api.result(updateUser, { params: { id: user.id }, body: { suspended: true } })
  expect(await leave(user)).toEqual(refused('invalid_token'))
  expect(await leave(admin)).toEqual(refused('last_administrator_leaves'))
  expect(await admin.api.result(getLeaving)).toMatchObject({ is_last_admin: true })

  const [one, two] = [await theAdmin(mailing), await someUser(mailing)]
  await one.api.result(updateUser, { params: { id: two.id }, body: { is_admin: true } })
  const answers = await race(mailing, 2, (at) => leave([one, two][at]!))
  expect(answers).toContainEqual(left)
  expect(answers).toContainEqual(refused('last_administrator_leaves'))
})

test('D-106: the preview lists what will be lost, and changes nothing', async () => {
  const { user, app } = await world(plaza, { points: 40 })
  const own = await someApp(plaza, { owner: user, scopes: ['points:spend'] })
  const customer = await someUser(plaza)
  await givePoints(plaza, customer, 10)
  const tokens = await someTokens(plaza, own, customer, ['points:spend'])
  await tokens.api.result(spendPoints, { body: { amount: 4 } })
  await befriend(user, customer)
  const apps = await user.api.result(listMyApps)
  expect(await user.api.result(getLeaving)).toEqual({
    points: 40,
    held: 0,
    apps: [{ id: own.id, app_name: apps[0]!.app_name, people: 1, points: 4 }],
    deployments: [],
    connected_apps: 1,
    friends: 1,
    last_owner_of: [],
    is_last_admin: false,
  })
  expect(app.id).not.toBe(own.id)
  expect((await user.api.result(me)).user.points).toBe(40)
})

test('D-106: points of the person and of their apps go to the system account; spends and transfers to them are refused', async () => {
  const owner = await someUser(plaza)
  const shop = await someApp(plaza, { owner, scopes: ['points:spend', 'points:transfer'] })
  const customer = await someUser(plaza)
  await givePoints(plaza, customer, 100)
  const tokens = await someTokens(plaza, shop, customer, ['points:spend', 'points:transfer'])
  await tokens.api.result(spendPoints, { body: { amount: 60 } })
  const departed = await departedPoints()
  expect(await leave(owner)).toEqual(left)
  expect(await departedPoints()).toBe(departed + 60)
  expect((await tokens.api.call(spendPoints, { body: { amount: 1 } })).status).toBe(401)
  const others = await someApp(plaza, { scopes: ['points:transfer'] })
  const sender = await someTokens(plaza, others, customer, ['points:transfer'])
  expect(outcome(await sender.api.call(transferPoints, { body: { amount: 5, to_user_id: owner.id } }))).toEqual(
    refused('user_not_found'),
  )
  await eraseAll(owner)
  const history = await customer.api.result(myPointsHistory, { query: {} })
  expect(history.data[0]).toMatchObject({ kind: 'spend', amount: 60, app_name: 'Withdrawn app' })
  expect(await isBalanced()).toBe(true)
})

test('D-106: friends, requests and search no longer show the person', async () => {
  const [user, friend, asked] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
  await befriend(user, friend)
  await user.api.result(requestFriend, { body: { friend_id: asked.id } })
  await leave(user)
  expect(await friend.api.result(listFriends)).toEqual([])
  expect(await asked.api.result(listPendingFriends)).toEqual([])
  expect((await friend.api.result(searchUsers, { query: { q: user.username } })).users).toEqual([])
  expect(outcome(await friend.api.call(requestFriend, { body: { friend_id: user.id } }))).toEqual(
    refused('user_not_found'),
  )
  await eraseAll(user)
  expect(await plaza.db.sql`select id from friendships where ${user.id} in (low_id, high_id)`).toEqual([])
})

test('D-106: spends, transfers, sign-ins, requests, messages and new apps that race with leaving leave nothing behind', async () => {
  const { user, tokens } = await world(plaza, { points: 500, scopes: ['points:spend', 'points:transfer'] })
  const friends = await Promise.all(Array.from({ length: 4 }, () => someUser(plaza)))
  const channel_id = await someChannel(user)
  const calls: ((at: number) => Promise<{ status: number }>)[] = [
    () => tokens.api.call(spendPoints, { body: { amount: 1, description: 'late' } }),
    () => anonymous.call(login, { body: { email: user.email, password: user.password } }),
    (at) => friends[at % 4]!.api.call(requestFriend, { body: { friend_id: user.id } }),
    () => user.api.call(sendMessage, { params: { channel_id }, body: { body: 'late words' } }),
    () => user.api.call(createApp, { body: { app_name: 'late app', redirect_uris: ['https://late.test/cb'] } }),
    () => tokens.api.call(transferPoints, { body: { amount: 1, to_user_id: friends[0]!.id } }),
  ]
  const statuses = await race(plaza, 61, async (at) =>
    at === 30 ? (await leave(user))[0] : (await calls[at % calls.length]!(at)).status,
  )
  expect(statuses[30]).toBe(200)
  expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
  await eraseAll(user)
  expect(await pointsOf(user.id)).toEqual({ points: 0, held: 0 })
  expect(await isBalanced()).toBe(true)
  const [rest] = await plaza.db.sql<Record<string, number>>`
    select (select count(*) from users where id = ${user.id}) as users,
           (select count(*) from login_sessions where user_id = ${user.id}) as sessions,
           (select count(*) from login_addresses where user_id = ${user.id}) as addresses,
           (select count(*) from friendships where ${user.id} in (low_id, high_id)) as friendships,
           (select count(*) from messages where body = 'late words') as messages,
           (select count(*) from transfers where from_account = ${user.id} and description is not null) as texts,
           (select count(*) from oauth_apps where app_name = 'late app') as apps,
           (select count(*) from connections where user_id = ${user.id}) as connections`
  expect(rest).toEqual({
    users: 0,
    sessions: 0,
    addresses: 0,
    friendships: 0,
    messages: 0,
    texts: 0,
    apps: 0,
    connections: 0,
  })
})

test('D-106: of parallel deletions one succeeds', async () => {
  const user = await someUser(plaza)
  const answers = await race(plaza, 8, () => leave(user))
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  for (const [status] of answers.filter(([status]) => status !== 200)) expect([401, 403]).toContain(status)
})

test('D-106: erasure resumes after an interruption, and pauses during a backup', async () => {
  const { user, tokens } = await world(plaza, { points: 5, scopes: ['points:spend'] })
  await tokens.api.result(spendPoints, { body: { amount: 1, description: 'to be erased' } })
  await leave(user)
  const textsLeft = async () =>
    (await plaza.db.sql`select seq from transfers where from_account = ${user.id} and description is not null`).length
  const client = await plaza.db.pool.connect()
  await client.query('select pg_advisory_lock_shared(7205461343)')
  await erase(user)
  expect(await textsLeft()).toBe(1)
  await client.query('select pg_advisory_unlock_shared(7205461343)')
  client.release()
  // Only the sweep runs, as after a kill of the process with the job.
  await runJob('leaving.erase_unfinished')
  expect(await textsLeft()).toBe(1)
  plaza.clock.advance(61)
  await runJob('leaving.erase_unfinished')
  expect(await textsLeft()).toBe(0)
  expect(await erasedAt(user)).not.toBeNull()
})

test('D-106: transfers lose their texts only', async () => {
  await expect(plaza.db.sql`update transfers set amount = amount + 1`).rejects.toThrow('append-only')
  await expect(plaza.db.sql`update transfers set description = 'other'`).rejects.toThrow('append-only')
  await expect(plaza.db.sql`delete from transfers`).rejects.toThrow('append-only')
})

test('D-106: the export is one JSON document of everything, without a secret', async () => {
  const { user, tokens } = await world(plaza, { points: 50, scopes: ['points:spend'] })
  await tokens.api.result(spendPoints, { body: { amount: 2, description: 'a coffee' } })
  const channel_id = await someChannel(user)
  await user.api.result(sendMessage, { params: { channel_id }, body: { body: 'my words' } })
  await someApp(plaza, { owner: user })
  const { secret, recovery_codes } = await enableTwoFactor(plaza, user)
  await user.api.result(setLanguage, { body: { language: 'de' } })
  await plaza.db.sql`insert into passkey_second_factors (user_id, inserted_at) values (${user.id}, now())`
  const reply = await raw(plaza, 'GET', '/api/auth/account/export', {
    headers: { authorization: `Bearer ${user.token}` },
  })
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-disposition')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'attachment; filename="plaza-account.json"',
  ])
  const document = JSON.parse(reply.text) as Record<string, Record<string, unknown>[]>
  expect(Object.keys(document)).toEqual(['made_at', ...Object.keys(export_lists)])
  expect(document.account).toEqual([
    {
      id: user.id,
      email: user.email,
      username: user.username,
      display_name: null,
      picture_url: null,
      time_zone: null,
      tier: expect.any(String),
      signup_multiplier: 1,
      is_admin: false,
      admin_roles: [],
      email_verified: true,
      referral_code: expect.any(String),
      referred_by: null,
      registration_number: expect.any(Number),
      totp_enabled: true,
      inserted_at: expect.any(String),
      points: 48,
      held: 0,
      total_earned: 50,
      total_spent: 2,
      new_email: null,
      language: 'de',
      passkey_second_factor: true,
    },
  ])
  expect(document.movements).toMatchObject([{ kind: 'spend', description: 'a coffee' }, { kind: 'award' }])
  expect(document.messages).toMatchObject([{ body: 'my words' }])
  expect([document.apps!.length, document.connected_apps!.length, document.sign_ins!.length]).toEqual([1, 1, 1])
  expect(document.connected_apps, 'before the uses are written').toMatchObject([
    { last_used: plaza.clock.now().toISOString() },
  ])
  for (const text of [secret, ...recovery_codes, tokens.access_token, tokens.refresh_token, user.token, '$argon2'])
    expect(reply.text).not.toContain(text)
  expect(reply.text).not.toMatch(/hash|sealed|secret"/)
  for (let at = 0; at < 4; at++) await user.api.call(exportAccount)
  expect(outcome(await user.api.call(exportAccount))).toEqual(refused('rate_limited'))
})

test('D-106: a person who leaves gets a last mail, whose job contains no address in clear', async () => {
  const user = await someUser(mailing)
  expect(await leave(user)).toEqual(left)
  expect(await mailing.mailTo(user.email)).toContain('your account is deleted')

  const other = await someUser(plaza)
  // A worker may run the job at once, which deletes it.
  await plaza.db.pool.query(`
    create table public.queued (payload json);
    create function public.keep_payload() returns trigger language plpgsql as
      'begin insert into public.queued values (new.payload); return null; end';
    create trigger keep_payload after insert on graphile_worker._private_jobs for each row execute function public.keep_payload()`)
  expect(await leave(other)).toEqual(left)
  const [queued] = await plaza.db.sql<{ text: string }>`select string_agg(payload::text, ' ') as text from queued`
  expect(queued!.text).toContain('sealed')
  expect(queued!.text).not.toContain(other.email)
})
