import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { forgotPassword, login, me, resetPassword, sendVerification, verifyEmail } from '../../contract/accounts.ts'
import { serveAd } from '../../contract/ads.ts'
import { adminListCampaigns } from '../../contract/admin-campaigns.ts'
import { checkLedger, updateUser } from '../../contract/admin.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { decisions } from '../../contract/decisions.ts'
import { createApp, listMyApps, listScopeRequests, requestScopes, submitMyApp } from '../../contract/oauth-apps.ts'
import { sandbox_operations } from '../../contract/operations.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { myPointsHistory, spendPoints } from '../../contract/points.ts'
import {
  createTestPerson,
  listMyMails,
  listTestPersons,
  signInAsTestPerson,
  takePlayPoints,
} from '../../contract/sandbox.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { health } from '../../contract/system.ts'
import { createWebhook } from '../../contract/webhooks.ts'
import { package_version } from '../platform/package.ts'
import { countBy, race, startTestService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { pointsOf, raw, someApp, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const sandbox = await startTestService({ SANDBOX: 'on', WEBHOOK_ADDRESSES: 'public' })
const real = await startTestService({ WEBHOOK_ADDRESSES: 'public' })
const { play_points_max, play_points_per_day, test_persons_max, mails_kept_days } = decisions.sandbox

const mailsOf = async ({ api }: Pick<SomeUser, 'api'>) => (await api.result(listMyMails)).data
/** Repeats a call after 503: on a loaded machine, calls that wait for each other's rows get it after a second. */
async function untilServed(call: () => Promise<number>) {
  for (;;) {
    const status = await call()
    if (status !== 503) return status
  }
}
const rowsOf = async (name: string, { db } = sandbox) =>
  (await db.pool.query<object>(`select * from ${name} t order by t::text`)).rows

test('D-101: a sandbox on loopback sends webhooks there over plain http; elsewhere the error names the setting', async () => {
  const url = 'http://localhost:9/hooks'
  const call = async (plaza: typeof sandbox, address: string) => {
    const app = await someApp(plaza)
    return outcome(await app.owner.api.call(createWebhook, { params: { id: app.id }, body: { url: address } }))
  }
  expect((await call(sandbox, url))[0]).toBe(201)
  expect(await call(sandbox, 'http://192.0.2.1/')).toEqual(invalid('url', field_errors.webhook_https))
  expect(await call(sandbox, 'https://10.0.0.1/')).toEqual(invalid('url', field_errors.webhook_public))
  expect(await call(real, url)).toEqual(invalid('url', field_errors.webhook_local))
  expect(await rowsOf('webhooks', real)).toEqual([])
})

test('D-102: the real space has no sandbox endpoints: each path gets 404, also for an admin, and nothing mentions them', async () => {
  const [admin, user] = [await theAdmin(real), await someUser(real)]
  expect(Object.keys(sandbox_operations).length).toBe(5)
  for (const { method, path } of Object.values(sandbox_operations))
    for (const { token } of [admin, user]) {
      const reply = await raw(real, method, path.replace('{id}', user.id), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: JSON.stringify({ amount: 10 }) }),
      })
      expect([path, ...outcome(reply)]).toEqual([path, 404, { errors: { detail: 'Not Found' } }])
    }
  const document = await raw(real, 'GET', '/api/openapi.json')
  expect(document.text).not.toContain('/api/sandbox')
  expect((await new PlazaClient(real.url).result(health)) as object).not.toHaveProperty('sandbox')
  expect(await pointsOf(user)).toBe(0)
})

test('D-102: in the real space apps and scope requests wait for an admin, and mails are not stored in the database', async () => {
  const app = await someApp(real, { approved: false, scopes: ['profile:read', 'deploy:manage'] })
  const [listed] = await app.owner.api.result(listMyApps)
  expect(listed).toMatchObject({ is_approved: false, review: { status: 'pending' }, allowed_scopes: ['profile:read'] })
  expect(await app.owner.api.result(listScopeRequests, { params: { id: app.id } })).toMatchObject([
    { status: 'pending' },
  ])
  const unverified = await someUser(real, { verified: false })
  await unverified.api.result(sendVerification)
  await real.mailTo(unverified.email)
  for (const table of ['sandbox_mark', 'sandbox_mails', 'test_persons', 'campaigns'])
    expect([table, await rowsOf(table, real)]).toEqual([table, []])
})

test('D-102: /health and the OpenAPI document say that this is a sandbox', async () => {
  expect(await new PlazaClient(sandbox.url).result(health)).toEqual({
    status: 'ok',
    version: package_version,
    sandbox: true,
  })
  const { info, paths } = (await raw(sandbox, 'GET', '/api/openapi.json')).body as {
    info: { title: string }
    paths: Record<string, object>
  }
  expect(info.title).toBe('Plaza API, in a sandbox')
  const named = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/sandbox'))
    .flatMap(([, methods]) => Object.values(methods as Record<string, { operationId: string }>))
  expect(named.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(sandbox_operations).sort())
})

test('D-102: an app is approved, listed and has its scopes at creation; its owner gets the usual mails', async () => {
  const owner = await someUser(sandbox)
  const { app } = await owner.api.result(createApp, {
    body: {
      app_name: 'Lantern',
      redirect_uris: ['https://app.test/cb'],
      requested_scopes: ['points:spend', 'deploy:manage'],
    },
  })
  expect(app).toMatchObject({
    is_approved: true,
    review: { status: 'approved' },
    allowed_scopes: ['points:spend', 'deploy:manage'],
  })
  expect(await owner.api.result(listScopeRequests, { params: { id: app.id } })).toMatchObject([{ status: 'approved' }])
  const directory = await new PlazaClient(sandbox.url).result(listPublicOperators)
  expect(directory.data.map(({ id }) => id)).toContain(app.id)
  await expect
    .poll(async () => (await mailsOf(owner)).map(({ subject }) => subject).sort())
    .toEqual(['Lantern is approved', 'Scopes for Lantern are granted'])
})

test('D-102: a scope request is granted immediately, and a rejected app is approved when it is submitted again', async () => {
  const app = await someApp(sandbox, { approved: false })
  const { api } = app.owner
  const request = await api.result(requestScopes, {
    params: { id: app.id },
    body: { requested_scopes: ['points:transfer'] },
  })
  expect(request).toMatchObject({ status: 'approved', requested_scopes: ['points:transfer'] })
  const refusal = await api.call(requestScopes, {
    params: { id: app.id },
    body: { requested_scopes: ['points:award'] },
  })
  expect(outcome(refusal)).toEqual(invalid('requested_scopes', 'points:award is deprecated and cannot be requested'))
  await (await theAdmin(sandbox)).api.result(rejectApp, { params: { id: app.id }, body: { reason: 'a trial' } })
  expect(await api.result(submitMyApp, { params: { id: app.id } })).toMatchObject({ is_approved: true })
  expect((await api.result(listMyApps))[0]).toMatchObject({
    review: { status: 'approved' },
    allowed_scopes: ['profile:read', 'points:transfer'],
  })
})

test('D-102: a sandbox has one sample campaign for every surface, whatever the number of processes, and none if an admin made one', async () => {
  await Promise.all([sandbox.startAnother(), sandbox.startAnother()])
  const admin = await theAdmin(sandbox)
  const { data } = await admin.api.result(adminListCampaigns)
  expect(data.map(({ name }) => name).sort()).toEqual(
    ['banner', 'interstitial', 'native', 'rewarded', 'video'].map((surface) => `Sample ${surface}`),
  )
  const { api } = await someTokens(sandbox, await someApp(sandbox), admin)
  expect(await api.result(serveAd, { query: { surface_type: 'video' } })).toMatchObject({
    campaign: { name: 'Sample video' },
  })
})

test('D-102: play points are issued by the system, appear in the history as such, and can be spent; the books balance', async () => {
  const owner = await someUser(sandbox)
  const taken = await owner.api.result(takePlayPoints, { body: { amount: 100 } })
  expect(taken.points).toBe(100)
  expect((await owner.api.result(myPointsHistory)).data).toMatchObject([
    { id: taken.transfer_id, kind: 'play', direction: 'in', amount: 100, points_after: 100, app_id: null },
  ])
  expect((await owner.api.result(myPointsHistory, { query: { kind: 'play' } })).data).toHaveLength(1)
  const app = await someApp(sandbox, { approved: false, owner, scopes: ['points:spend'] })
  const { api } = await someTokens(sandbox, app, owner, ['points:spend'])
  expect(await api.result(spendPoints, { body: { amount: 30 } })).toMatchObject({ points: 70 })
  const books = await (await theAdmin(sandbox)).api.result(checkLedger)
  expect(books).toMatchObject({ balanced: true, faults: [] })
})

test('D-102: 30 parallel calls do not exceed the limit of play points', async () => {
  const user = await someUser(sandbox)
  const take = () => user.api.call(takePlayPoints, { body: { amount: play_points_max } })
  const replies = await race(sandbox, 30, () => untilServed(async () => (await take()).status))
  const calls = play_points_per_day / play_points_max
  expect(countBy(replies, (status) => status)).toEqual({ 200: calls, 409: 30 - calls })
  expect(await pointsOf(user)).toBe(play_points_per_day)
})

test('D-102: mails are in the console, encrypted in the database, and suffice to verify an address and set a password', async () => {
  const user = await someUser(sandbox, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => mailsOf(user)).toHaveLength(1)
  const [mail] = await mailsOf(user)
  const [code = ''] = /^\d{6}/.exec(mail!.subject) ?? []
  expect(mail!.subject).toBe(`${code} is your Plaza verification code`)
  expect(mail!.text).toContain(`your verification code is ${code}\n`)
  const stored = JSON.stringify(
    (
      await sandbox.db.sql<{ row: string }>`
      select encode(sealed, 'escape') || address as row from sandbox_mails`
    ).map(({ row }) => row),
  )
  expect(stored).toContain(user.email)
  expect(stored).not.toMatch(/verification|Hello/)
  expect(sandbox.logged()).not.toContain(code)
  await user.api.result(verifyEmail, { body: { code } })
  expect((await user.api.result(me)).user.email_verified).toBe(true)

  await user.api.result(forgotPassword, { body: { email: user.email.toUpperCase() } })
  await expect.poll(() => mailsOf(user)).toHaveLength(2)
  const [reset] = await mailsOf(user)
  const [reset_code = ''] = /plz_pw_[\w-]+/.exec(reset!.text) ?? []
  await user.api.result(resetPassword, { body: { code: reset_code, new_password: 'another long password' } })
  expect((await user.api.call(me)).status).toBe(401)
  // They are also sent or, without a mail server, written to the outbox folder.
  expect(await sandbox.mailTo(user.email, 0, reset_code)).toContain(reset_code)
})

test('D-102: mails whose key is lost are left out, the others are shown', async () => {
  const user = await someUser(sandbox, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => mailsOf(user)).toHaveLength(1)
  await sandbox.db.sql`update sandbox_mails set sealed = set_byte(sealed, 0, get_byte(sealed, 0) # 1)`
  expect(await mailsOf(user)).toEqual([])
  await user.api.result(sendVerification)
  await expect.poll(() => mailsOf(user)).toHaveLength(1)
})

test('D-102: a person creates test persons and signs in as them without a password; their own session continues', async () => {
  const owner = await someUser(sandbox)
  const name = `Tess-${owner.username}`
  const { person } = await owner.api.result(createTestPerson, { body: { username: name } })
  expect(person).toMatchObject({ username: name, email: `${name.toLowerCase()}@sandbox.invalid`, points: 0 })
  const { person: nameless } = await owner.api.result(createTestPerson, { body: {} })
  expect(nameless.username).toMatch(/^person-[0-9a-z]{6}$/)
  const { persons } = await owner.api.result(listTestPersons)
  expect(persons).toEqual([nameless, person])
  const session = await owner.api.result(signInAsTestPerson, { params: { id: person.id } })
  expect(session.user).toEqual({
    id: person.id,
    email: person.email,
    username: name,
    tier: 'bronze',
    is_admin: false,
    email_verified: true,
    totp_enabled: false,
  })
  const tess = { ...owner, id: person.id, api: owner.api.withToken(session.token) }
  expect((await tess.api.result(takePlayPoints, { body: { amount: 5 } })).points).toBe(5)
  // Uses the app like any other person: connects it and spends points in it.
  const app = await someApp(sandbox, { approved: false, owner, scopes: ['points:spend'] })
  const { api } = await someTokens(sandbox, app, tess, ['points:spend'])
  expect(await api.result(spendPoints, { body: { amount: 5 } })).toMatchObject({ points: 0 })
  expect((await owner.api.result(me)).user.id).toBe(owner.id)
  const any_password = { email: person.email, password: '' }
  expect((await new PlazaClient(sandbox.url).call(login, { body: any_password })).status).toBe(422)
})

test('D-102: nobody, not even an admin, can sign in as another maker’s test person or as an ordinary person', async () => {
  const [owner, other, admin] = [await someUser(sandbox), await someUser(sandbox), await theAdmin(sandbox)]
  const { person } = await owner.api.result(createTestPerson, { body: {} })
  const sessions = await rowsOf('login_sessions')
  for (const [who, id] of [
    [other, person.id],
    [admin, person.id],
    [owner, other.id],
    [owner, admin.id],
    [owner, owner.id],
    [owner, '018f4d9e-0000-7000-8000-000000000000'],
  ] as const)
    expect(outcome(await who.api.call(signInAsTestPerson, { params: { id } }))).toEqual(refused('not_found'))
  expect((await new PlazaClient(sandbox.url).call(signInAsTestPerson, { params: { id: person.id } })).status).toBe(401)
  const app = await someApp(sandbox, { approved: false, owner })
  const { api } = await someTokens(sandbox, app, owner)
  expect((await api.call(signInAsTestPerson, { params: { id: person.id } })).status).toBe(401)
  expect((await rowsOf('login_sessions')).length).toBe(sessions.length)
})

test('D-102: nobody can sign in as a suspended test person', async () => {
  const owner = await someUser(sandbox)
  const { person } = await owner.api.result(createTestPerson, { body: {} })
  await (await theAdmin(sandbox)).api.result(updateUser, { params: { id: person.id }, body: { suspended: true } })
  const reply = await owner.api.call(signInAsTestPerson, { params: { id: person.id } })
  expect(outcome(reply)).toEqual(refused('account_suspended'))
})

test('D-102: names of test persons are checked like others; taken names, makers that are test persons, and too many are refused', async () => {
  const owner = await someUser(sandbox)
  const make = async (username?: string, api = owner.api) =>
    outcome(await api.call(createTestPerson, { body: { ...(username !== undefined && { username }) } }))
  const { person } = await owner.api.result(createTestPerson, { body: {} })
  const { token } = await owner.api.result(signInAsTestPerson, { params: { id: person.id } })
  const users = (await rowsOf('users')).length
  expect(await make(owner.username.toUpperCase())).toEqual(refused('username_taken'))
  expect(await make(person.username)).toEqual(refused('username_taken'))
  expect((await make('a b'))[0]).toBe(422)
  expect(await make(undefined, owner.api.withToken(token))).toEqual(refused('test_person_only'))
  expect(await rowsOf('users')).toHaveLength(users)
  const replies = await race(sandbox, test_persons_max + 5, () => untilServed(async () => (await make())[0]))
  expect(countBy(replies, (status) => status)).toEqual({ 201: test_persons_max - 1, 409: 6 })
  expect(await make()).toEqual(refused('too_many_test_persons'))
  expect((await owner.api.result(listTestPersons)).persons).toHaveLength(test_persons_max)
  expect(await rowsOf('users')).toHaveLength(users + test_persons_max - 1)
})

test('D-102: play points have a limit per 24 hours; a refusal writes nothing', async () => {
  const user = await someUser(sandbox)
  const take = async (body: object) =>
    outcome(await user.api.call(takePlayPoints, { body: body as { amount: number } }))
  const calls = play_points_per_day / play_points_max
  for (let call = 0; call < calls; call++) expect((await take({ amount: play_points_max }))[0]).toBe(200)
  const full = await rowsOf('transfers')
  expect(await take({ amount: 1 })).toEqual(refused('play_points_limit_reached'))
  expect(await rowsOf('transfers')).toEqual(full)
  expect(await pointsOf(user)).toBe(play_points_per_day)
  sandbox.clock.advance(86_401)
  const again = await new PlazaClient(sandbox.url).result(login, { body: user })
  const reply = await user.api.withToken(again.token).call(takePlayPoints, { body: { amount: play_points_max } })
  expect([reply.status, (reply.body as { points: number }).points]).toEqual([
    200,
    play_points_per_day + play_points_max,
  ])
})

test('D-102: people read only their own mails, in pages, newest first; mails are deleted after a week', async () => {
  const [ada, ben] = [await someUser(sandbox, { verified: false }), await someUser(sandbox)]
  for (let at = 1; at <= 3; at++) {
    await ada.api.result(sendVerification)
    await expect.poll(() => mailsOf(ada)).toHaveLength(at)
  }
  expect(await mailsOf(ben)).toEqual([])
  const all = await mailsOf(ada)
  const first = await ada.api.result(listMyMails, { query: { limit: 2 } })
  const second = await ada.api.result(listMyMails, { query: { limit: 2, cursor: first.next_cursor! } })
  expect([first.data, second]).toEqual([all.slice(0, 2), { data: all.slice(2), next_cursor: null }])
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
  for (const token of [undefined, 'no token'])
    expect((await new PlazaClient(sandbox.url, token).call(listMyMails)).status).toBe(401)
  const purge = sandbox.service.app.jobs.find(({ name }) => name === 'sandbox.forget_old_mails')
  expect(purge?.cron).toMatch(/^\d+ \* \* \* \*$/)
  sandbox.clock.advance((mails_kept_days - 1) * 86_400)
  await purge!.run({}, 'test')
  const { token } = await new PlazaClient(sandbox.url).result(login, { body: ada })
  expect(await mailsOf({ api: ada.api.withToken(token) })).toHaveLength(3)
  sandbox.clock.advance(2 * 86_400)
  await purge!.run({}, 'test')
  expect(await rowsOf('sandbox_mails')).toEqual([])
})
