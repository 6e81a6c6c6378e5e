import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { logout, me } from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import { approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { getExternalUser } from '../../contract/external.ts'
import {
  disconnectApp,
  listConnectedApps,
  refreshSession,
  revoke,
  token as exchange,
  verifyToken,
} from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import { invalid_grant, outcome, refused } from '../test/refusals.ts'
import * as make from '../test/world.ts'

// Two processes on one database. The cache keeps entries as long as their tokens last, and the clock does not advance
// by itself: without the invalidation, a token would stay valid in the other process.
const here = await sharedService()
const there = await here.startAnother()
const anonymous = new PlazaClient(here.url)
const admin = (await make.theAdmin(here)).api

/** An app's credentials for a person: tokens of one grant, and an unredeemed code. */
async function access(user: make.SomeUser, app: make.SomeApp) {
  const [tokens, code] = [await make.someTokens(here, app, user), await make.someCode(app, user)]
  return { user, app, tokens, code, elsewhere: new PlazaClient(there.url, tokens.access_token) }
}
type Access = Awaited<ReturnType<typeof access>>

const uses = {
  access: ({ tokens }: Access) => tokens.api.call(getExternalUser),
  introspection: ({ tokens }: Access) => anonymous.call(verifyToken, { body: { token: tokens.access_token } }),
  session: ({ tokens }: Access) => anonymous.call(refreshSession, { body: { token: tokens.session_token } }),
  refresh: ({ app, tokens }: Access) =>
    anonymous.call(exchange, { body: make.refreshRequest(app, tokens.refresh_token) }),
  code: ({ app, code }: Access) => anonymous.call(exchange, { body: make.codeRequest(app, code) }),
}
type Use = keyof typeof uses
const answers_after_the_end: Record<Use, unknown> = {
  access: refused('invalid_token'),
  introspection: [200, { active: false, reason: 'revoked' }],
  session: refused('invalid_token'),
  refresh: invalid_grant,
  code: invalid_grant,
}
const all = Object.keys(uses) as Use[]
/** The uses that end with one token, with its grant, and with all grants. */
const ended_by = { token: all.slice(0, 2), grant: all.slice(0, 4), connection: all, person: all, app: all }

async function expectEnded(held: Access, ended = all) {
  for (const use of ended) expect([use, outcome(await uses[use](held))]).toEqual([use, answers_after_the_end[use]])
}
async function expectWorks(held: Access, working = all) {
  for (const use of working) expect([use, (await uses[use](held)).status]).toEqual([use, 200])
}

const suspend = ({ id }: make.SomeUser, suspended: boolean) =>
  admin.result(updateUser, { params: { id }, body: { suspended } })
const revokes = ({ client_id, client_secret }: make.SomeApp, token: string) =>
  anonymous.result(revoke, { body: { token, client_id, client_secret } })
const review = (endpoint: typeof approveApp | typeof rejectApp, { id }: make.SomeApp) =>
  admin.result(endpoint, { params: { id }, body: {} })

/** `of` says what ends: one token, its grant, or all grants of the connection, the person or the app. */
const endings: {
  event: string
  of: keyof typeof ended_by
  end: (held: Access) => Promise<unknown>
  lift?: (held: Access) => Promise<unknown>
}[] = [
  { event: 'revocation of the access token', of: 'token', end: ({ app, tokens }) => revokes(app, tokens.access_token) },
  {
    event: 'revocation of the refresh token',
    of: 'grant',
    end: ({ app, tokens }) => revokes(app, tokens.refresh_token),
  },
  {
    event: 'a disconnect',
    of: 'connection',
    end: ({ user, app }) => user.api.result(disconnectApp, { params: { app_id: app.id } }),
  },
  {
    event: 'a withdrawn approval',
    of: 'app',
    end: ({ app }) => review(rejectApp, app),
    lift: ({ app }) => review(approveApp, app),
  },
  {
    event: 'a suspension of the person',
    of: 'person',
    end: ({ user }) => suspend(user, true),
    lift: ({ user }) => suspend(user, false),
  },
  {
    event: 'a suspension of the owner',
    of: 'app',
    end: ({ app }) => suspend(app.owner, true),
    lift: ({ app }) => suspend(app.owner, false),
  },
]

test.each(endings)(
  'D-37, D-38, D-40, D-88: after $event tokens are refused, here at once and elsewhere when the notification arrives; nothing restores them',
  async ({ of, end, lift }) => {
    const [user, app] = [await make.someUser(here), await make.someApp(here)]
    const held = await access(user, app)
    const [other_person, other_app] = [
      await access(await make.someUser(here), app),
      await access(user, await make.someApp(here)),
    ]
    expect([(await uses.access(held)).status, (await held.elsewhere.call(getExternalUser)).status]).toEqual([200, 200])
    await end(held)
    await expectEnded(held, ended_by[of])
    await expect.poll(async () => (await held.elsewhere.call(getExternalUser)).status).toBe(401)
    await expectWorks(
      held,
      all.filter((use) => !ended_by[of].includes(use)),
    )
    await (of === 'app' ? expectEnded(other_person) : expectWorks(other_person))
    await (of === 'person' ? expectEnded(other_app) : expectWorks(other_app))
    await lift?.(held)
    await expectEnded(held, ended_by[of])

    const again = await make.signedInAgain(here, user)
    const { connected_apps } = await again.api.result(listConnectedApps)
    const is_connected = connected_apps.some(({ app_id }) => app_id === app.id)
    expect(is_connected).toBe(of !== 'connection' && of !== 'person')
    await expectWorks(await access(again, app))
  },
)

test('D-40: approving an approved app again ends nothing', async () => {
  const { app, tokens } = await make.world(here)
  await admin.result(approveApp, { params: { id: app.id }, body: { listed: true } })
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
})

test('spec Authentication 10: another process refuses a token within a second of the disconnect', async () => {
  const waits: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    const { user, app, tokens } = await make.world(here)
    const elsewhere = new PlazaClient(there.url, tokens.access_token)
    expect((await elsewhere.call(getExternalUser)).status).toBe(200)
    await user.api.result(disconnectApp, { params: { app_id: app.id } })
    const disconnected_at = performance.now()
    await expect.poll(async () => (await elsewhere.call(getExternalUser)).status, { interval: 1 }).toBe(401)
    waits.push(performance.now() - disconnected_at)
  }
  // The median, because a loaded machine may pause in one of the rounds.
  expect(waits.sort((a, b) => a - b)[2]).toBeLessThan(1_000)
})

test('D-15: a login session that was ended here is refused elsewhere when the notification arrives', async () => {
  const user = await make.someUser(here)
  const elsewhere = new PlazaClient(there.url, user.token)
  expect((await elsewhere.call(me)).status).toBe(200)
  await user.api.result(logout)
  expect((await user.api.call(me)).status).toBe(401)
  await expect.poll(async () => (await elsewhere.call(me)).status).toBe(401)
})

test('a revocation that fell into the time when the listener was cut is not missed', async () => {
  const { user, app, tokens } = await make.world(here)
  const elsewhere = new PlazaClient(there.url, tokens.access_token)
  expect((await elsewhere.call(getExternalUser)).status).toBe(200)
  await here.db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'plaza-revocations' and datname = current_database()`
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  expect((await tokens.api.call(getExternalUser)).status).toBe(401)
  await expect.poll(async () => (await elsewhere.call(getExternalUser)).status).toBe(401)
})
