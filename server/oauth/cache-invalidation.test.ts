import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { logout, me } from '../../contract/accounts.ts'
import { rejectApp, updateUser } from '../../contract/admin.ts'
import { getExternalUser } from '../../contract/external.ts'
import { disconnectApp, revoke, verifyToken } from '../../contract/oauth.ts'
import { startTestService } from '../test/harness.ts'
import { someApp, someTokens, someUser, theAdmin } from '../test/world.ts'

// Two processes' worth of the service on one database, each with its own cache and listener.
const here = await startTestService()
const there = await here.startAnother()

async function connected() {
  const [user, app] = [await someUser(here), await someApp(here)]
  const tokens = await someTokens(here, app, user)
  return { user, app, tokens, elsewhere: new PlazaClient(there.url, tokens.access_token) }
}

/**
 * Expects the response to become 401. The cache keeps entries for as long as their tokens last, and the clock stands still: where
 * the invalidation is missed, it never does.
 */
const becomesRefused = (call: () => Promise<{ status: number }>) =>
  expect.poll(async () => (await call()).status).toBe(401)

const endings: [string, (world: Awaited<ReturnType<typeof connected>>) => Promise<unknown>][] = [
  ['the user disconnects the app', ({ user, app }) => user.api.result(disconnectApp, { params: { app_id: app.id } })],
  [
    'the client revokes the access token',
    ({ app, tokens }) =>
      anonymous().result(revoke, {
        body: { token: tokens.access_token, client_id: app.client_id, client_secret: app.client_secret },
      }),
  ],
  [
    'the client revokes the refresh token',
    ({ app, tokens }) =>
      anonymous().result(revoke, {
        body: { token: tokens.refresh_token, client_id: app.client_id, client_secret: app.client_secret },
      }),
  ],
  [
    'an admin withdraws the approval',
    async ({ app }) => (await theAdmin(here)).api.result(rejectApp, { params: { id: app.id }, body: {} }),
  ],
  [
    'an admin suspends the user',
    async ({ user }) =>
      (await theAdmin(here)).api.result(updateUser, { params: { id: user.id }, body: { suspended: true } }),
  ],
]
const anonymous = () => new PlazaClient(here.url)

test.each(endings)(
  'a token is refused on both processes when %s: here at once, there when the notification arrives',
  async (_, end) => {
    const world = await connected()
    expect((await world.tokens.api.call(getExternalUser)).status).toBe(200)
    expect((await world.elsewhere.call(getExternalUser)).status).toBe(200)
    await end(world)
    expect((await world.tokens.api.call(getExternalUser)).status).toBe(401)
    await becomesRefused(() => world.elsewhere.call(getExternalUser))
    const { active } = await anonymous().result(verifyToken, { body: { token: world.tokens.access_token } })
    expect(active).toBe(false)
  },
)

test('a login session that was logged out here is refused there when the notification arrives', async () => {
  const user = await someUser(here)
  const elsewhere = new PlazaClient(there.url, user.token)
  expect((await elsewhere.call(me)).status).toBe(200)
  await user.api.result(logout)
  expect((await user.api.call(me)).status).toBe(401)
  await becomesRefused(() => elsewhere.call(me))
})

test('a revocation that fell into the time when the listener was cut is not missed', async () => {
  const world = await connected()
  expect((await world.elsewhere.call(getExternalUser)).status).toBe(200)
  await here.db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'plaza-revocations' and datname = current_database()`
  await world.user.api.result(disconnectApp, { params: { app_id: world.app.id } })
  expect((await world.tokens.api.call(getExternalUser)).status).toBe(401)
  await becomesRefused(() => world.elsewhere.call(getExternalUser))
})
