import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { updateUser as adminUpdateUser } from '../../contract/admin.ts'
import { approveApp } from '../../contract/admin-apps.ts'
import { getExternalUser } from '../../contract/external.ts'
import { createApp } from '../../contract/oauth-apps.ts'
import { disconnectApp, listConnectedApps, refreshSession, revoke, token, verifyToken } from '../../contract/oauth.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)

const connected = async (user: make.SomeUser) => (await user.api.result(listConnectedApps)).connected_apps
const disconnect = (user: make.SomeUser, { id }: make.SomeApp) =>
  user.api.call(disconnectApp, { params: { app_id: id } })
const disconnected = [200, { message: 'The app is disconnected: its tokens work no more.' }]
const absent = refused('not_found')
const admin = async () => (await make.theAdmin(plaza)).api
const now = () => plaza.clock.now().toISOString()

/** Which of the user's credentials for the app still work. */
async function alive(app: make.SomeApp, tokens: make.SomeTokens) {
  const { active } = await anonymous.result(verifyToken, { body: { token: tokens.access_token } })
  const resource = await tokens.api.call(getExternalUser)
  const session = await anonymous.call(refreshSession, { body: { token: tokens.session_token } })
  const refresh = await anonymous.call(token, { body: make.refreshRequest(app, tokens.refresh_token) })
  return [active, resource.ok, session.ok, refresh.ok]
}
const all_alive = [true, true, true, true]
const all_dead = [false, false, false, false]

test('spec Connected app: every field of an app that the user authorized, before any use', async () => {
  const [user, owner] = [await make.someUser(plaza), await make.someUser(plaza)]
  const { app } = await owner.api.result(createApp, {
    body: {
      app_name: 'Whiteboard',
      redirect_uris: ['https://app.test/cb'],
      app_description: 'Draws',
      logo_url: 'https://app.test/logo.png',
      requested_scopes: ['profile:read', 'points:read'],
    },
  })
  await (await admin()).result(approveApp, { params: { id: app.id }, body: {} })
  await make.someCode({ ...app, redirect_uri: 'https://app.test/cb', owner }, user)
  expect(await user.api.result(listConnectedApps)).toEqual({
    connected_apps: [
      {
        app_id: app.id,
        app_name: 'Whiteboard',
        app_description: 'Draws',
        logo_url: 'https://app.test/logo.png',
        website_url: null,
        scopes: ['profile:read', 'points:read'],
        connected_at: now(),
        last_used: null,
        daily_limit: null,
        daily_limit_used: null,
        bound_to_key: false,
        acts_as_agent: false,
      },
    ],
  })
})

test('spec Connected app: description and logo are null where the app has none; other users do not see the connection', async () => {
  const { user, app } = await make.world(plaza)
  expect(await connected(user)).toMatchObject([{ app_id: app.id, app_description: null, logo_url: null }])
  expect(await connected(await make.someUser(plaza))).toEqual([])
  expect(await connected(app.owner)).toEqual([])
})

test('spec Connected app: the newest connection is first', async () => {
  const user = await make.someUser(plaza)
  const apps = [await make.someApp(plaza), await make.someApp(plaza), await make.someApp(plaza)]
  for (const app of apps) {
    plaza.clock.advance(1)
    await make.someCode(app, user)
  }
  expect((await connected(user)).map(({ app_id }) => app_id)).toEqual(apps.map(({ id }) => id).reverse())
})

test('spec Connected app: scopes add up over authorizations, in the contract’s order; connected_at stays', async () => {
  const scopes = ['profile:read', 'points:read', 'points:spend', 'points:transfer', 'app:balance:read'] as const
  const [user, app] = [await make.someUser(plaza), await make.someApp(plaza, { scopes: [...scopes] })]
  const connected_at = now()
  for (const scope of [...scopes].reverse()) {
    await make.someCode(app, user, [scope])
    plaza.clock.advance(10)
  }
  expect(await connected(user)).toMatchObject([{ scopes, connected_at }])
})

test('spec Connected app: last_used is the time of the last use: code exchange, then each call', async () => {
  const { user, tokens } = await make.world(plaza)
  const { last_uses } = plaza.service.app
  expect(await connected(user), 'before the batch is written').toMatchObject([{ last_used: now() }])
  plaza.clock.advance(100)
  await tokens.api.result(getExternalUser)
  await last_uses.flush()
  expect(await connected(user)).toMatchObject([{ last_used: now() }])
})

test('spec States 3: a disconnect stops access, refresh and session at once and removes the connection', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const second = await make.someTokens(plaza, app, user)
  expect(await alive(app, second)).toEqual(all_alive)
  expect(outcome(await disconnect(user, app))).toEqual(disconnected)
  expect(await connected(user)).toEqual([])
  expect([await alive(app, tokens), await alive(app, second)]).toEqual([all_dead, all_dead])
})

test('D-04: disconnecting again, or an app never connected, unknown or the caller’s own, is 404', async () => {
  const { user, app } = await make.world(plaza)
  const stranger = await make.someApp(plaza)
  await disconnect(user, app)
  for (const each of [app, stranger, { ...app, id: '01890000-0000-7000-8000-000000000000' }])
    expect(outcome(await disconnect(user, each))).toEqual(absent)
  expect(outcome(await disconnect(app.owner, app))).toEqual(absent)
})

test('spec States 3: after a disconnect the user can connect again, from nothing; old tokens stay dead', async () => {
  const scopes = ['profile:read', 'points:read'] as const
  const { user, app, tokens } = await make.world(plaza, { scopes: [...scopes] })
  await disconnect(user, app)
  plaza.clock.advance(60)
  const again = await make.someTokens(plaza, app, user, ['profile:read'])
  expect(await connected(user)).toMatchObject([{ app_id: app.id, scopes: ['profile:read'], connected_at: now() }])
  expect([await alive(app, again), await alive(app, tokens)]).toEqual([all_alive, all_dead])
})

test('spec States 3: exchanges, refreshes and calls that race a disconnect leave nothing that works', async () => {
  for (let turn = 0; turn < 6; turn++) {
    const { user, app, tokens } = await make.world(plaza)
    const codes = await Promise.all(Array.from({ length: 8 }, () => make.someCode(app, user)))
    const replies = await race(plaza, 18, async (at) => {
      const code = codes[at]
      if (code) return anonymous.call(token, { body: make.codeRequest(app, code) })
      if (at === 17) return anonymous.call(token, { body: make.refreshRequest(app, tokens.refresh_token) })
      return at === 12 ? disconnect(user, app) : tokens.api.call(getExternalUser)
    })
    expect(countBy(replies, ({ status }) => (status < 500 ? 'answered' : status))).toEqual({ answered: 18 })
    const issued = replies.flatMap(({ body }) => ('access_token' in body ? [body.access_token] : []))
    for (const each of [...issued, tokens.access_token])
      expect((await anonymous.withToken(each).call(getExternalUser)).status).toBe(401)
  }
})

// A storage failure is never a success

/** Makes every change of a table fail while `work` runs. */
async function withBrokenTable(table: string, work: () => Promise<void>) {
  const { pool } = plaza.db
  await pool.query(`create or replace function break_it() returns trigger language plpgsql as
    $$ begin raise exception 'broken by a test'; end $$`)
  await pool.query(`create trigger broken before update or delete on ${table} execute function break_it()`)
  try {
    await work()
  } finally {
    await pool.query(`drop trigger broken on ${table}`)
  }
}
const server_error = [500, { errors: { detail: 'Internal Server Error' } }]

for (const table of ['connections', 'authorization_codes', 'grants'])
  test(`D-03: a disconnect during which ${table} cannot be written is 500, and changes nothing`, async () => {
    const { user, app, tokens } = await make.world(plaza)
    const code = await make.someCode(app, user)
    const before = await connected(user)
    await withBrokenTable(table, async () => {
      expect(outcome(await disconnect(user, app))).toEqual(server_error)
      expect((await tokens.api.call(getExternalUser)).status).toBe(200)
    })
    expect((await connected(user)).map(({ app_id }) => app_id)).toEqual(before.map(({ app_id }) => app_id))
    expect((await anonymous.call(token, { body: make.codeRequest(app, code) })).status).toBe(200)
    expect(await alive(app, tokens)).toEqual(all_alive)
    expect(outcome(await disconnect(user, app))).toEqual(disconnected)
  })

test('RFC 7009 §2.2.1: a revocation that cannot be written is a server_error, and the token stays valid', async () => {
  const { app, tokens } = await make.world(plaza)
  const { client_id, client_secret } = app
  const failed = [500, { error: 'server_error', error_description: 'Internal Server Error' }]
  const revokes = (value: string) => anonymous.call(revoke, { body: { client_id, client_secret, token: value } })
  await withBrokenTable('access_tokens', async () => {
    expect(outcome(await revokes(tokens.access_token))).toEqual(failed)
  })
  await withBrokenTable('grants', async () => {
    expect(outcome(await revokes(tokens.refresh_token))).toEqual(failed)
  })
  expect(await alive(app, tokens)).toEqual(all_alive)
})

test('D-26: a late reuse whose revocation cannot be written is a server_error, not an answer', async () => {
  const { app, tokens } = await make.world(plaza)
  const body = make.refreshRequest(app, tokens.refresh_token)
  const next = await anonymous.result(token, { body })
  plaza.clock.advance(31)
  await withBrokenTable('grants', async () => {
    expect((await anonymous.call(token, { body })).status).toBe(500)
  })
  expect((await anonymous.call(token, { body })).status).toBe(400)
  expect((await anonymous.withToken(next.access_token).call(getExternalUser)).status).toBe(401)
})

test('D-40: a suspension that cannot be written is 500 and suspends no user', async () => {
  const { user, app, tokens } = await make.world(plaza)
  await withBrokenTable('grants', async () => {
    const body = { suspended: true }
    expect(outcome(await (await admin()).call(adminUpdateUser, { params: { id: user.id }, body }))).toEqual(
      server_error,
    )
  })
  expect(await alive(app, tokens)).toEqual(all_alive)
  expect(await connected(user)).toHaveLength(1)
})
