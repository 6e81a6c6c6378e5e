import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose'
import { expect, test } from 'vitest'
import { changePassword, endLoginSession, listLoginSessions, logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { authorize, disconnectApp, token } from '../../contract/oauth.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { listPublicKeys } from '../../contract/openid.ts'
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  listAppEvents,
  listDeliveries,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../contract/webhooks.ts'
import { race, sharedService } from '../test/harness.ts'
import { startReceiver, type TestReceiver } from '../test/receiver.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { waitUntil } from '../test/wait.ts'
import {
  authorizationQuery,
  codeRequest,
  pkce,
  refreshRequest,
  signedInAgain,
  someApp,
  someUser,
  suspend,
  type SomeApp,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const logout_event = 'http://schemas.openid.net/event/backchannel-logout'

const nameAddress = (app: SomeApp, backchannel_logout_uri: string | null) =>
  app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { backchannel_logout_uri } })

/** An app whose logout tokens go to a receiver. */
async function listening() {
  const [app, receiver] = [await someApp(plaza), await startReceiver()]
  await nameAddress(app, `${receiver.url}/logout`)
  return { app, receiver }
}

async function codeOf(app: SomeApp, user: SomeUser) {
  const { code_verifier, code_challenge } = pkce()
  const query = { ...authorizationQuery(app, code_challenge), scope: 'openid profile:read' }
  return codeRequest(app, { code: (await user.api.result(authorize, { query })).code, code_verifier })
}

/** Signs in to an app; returns the `sid` of the identity token. */
async function signIn(app: SomeApp, user: SomeUser) {
  const issued = await anonymous.result(token, { body: await codeOf(app, user) })
  return { sid: decodeJwt(issued.id_token!).sid as string, refresh_token: issued.refresh_token }
}

const sidsAt = ({ received }: TestReceiver) =>
  received.map(({ event }) => decodeJwt(event.data.logout_token as string).sid as string)

async function logoutWebhook(app: SomeApp) {
  const { webhooks } = await app.owner.api.result(listWebhooks, { params: { id: app.id } })
  const webhook = webhooks.find(({ purpose }) => purpose === 'logout')!
  return { webhook, params: { id: app.id, webhook_id: webhook.id } }
}

test('D-155: a sign-out sends one token with exactly these claims, signed with the published keys', async () => {
  const [{ app, receiver }, user] = [await listening(), await someUser(plaza)]
  const { sid, refresh_token } = await signIn(app, user)
  expect(sid).toMatch(uuid)
  // The same for the session at this app, also after a refresh, and another one at another app.
  expect((await signIn(app, user)).sid).toBe(sid)
  const renewed = await anonymous.result(token, { body: refreshRequest(app, refresh_token) })
  expect(decodeJwt(renewed.id_token!).sid).toBe(sid)
  expect((await signIn(await someApp(plaza), user)).sid).not.toBe(sid)

  await user.api.result(logout)
  const { path, headers, body } = await receiver.nth(1)
  expect([path, headers['content-type']]).toEqual(['/logout', 'application/x-www-form-urlencoded'])
  expect(body).toMatch(/^logout_token=[\w-]+\.[\w-]+\.[\w-]+$/)
  const keys = createLocalJWKSet((await anonymous.result(listPublicKeys)) as JSONWebKeySet)
  const { payload, protectedHeader } = await jwtVerify(body.slice('logout_token='.length), keys, {
    issuer: plaza.url,
    audience: app.client_id,
    currentDate: plaza.clock.now(),
  })
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'logout+jwt', kid: expect.stringMatching(uuid) })
  const iat = Math.floor(plaza.clock.now().getTime() / 1_000)
  const jti = expect.stringMatching(uuid)
  const claims = { iss: plaza.url, aud: app.client_id, sub: user.id, sid, iat, exp: iat + 120, jti }
  expect(payload).toEqual({ ...claims, events: { [logout_event]: {} } })
  expect(plaza.logged()).not.toContain(body)
})

const ends: Record<string, (user: SomeUser, app: SomeApp) => Promise<unknown>> = {
  'a sign-out': ({ api }) => api.result(logout),
  'a sign-out of that session elsewhere': async (user) => {
    const other = await signedInAgain(plaza, user)
    const { sessions } = await other.api.result(listLoginSessions)
    const { id } = sessions.find(({ current }) => !current)!
    return other.api.result(endLoginSession, { params: { id } })
  },
  'a password change in another session': async (user) =>
    (await signedInAgain(plaza, user)).api.result(changePassword, {
      body: { current_password: user.password, new_password: 'a brand new password' },
    }),
  'a disconnect': ({ api }, app) => api.result(disconnectApp, { params: { app_id: app.id } }),
  'a suspension': (user) => suspend(plaza, user),
  'the deletion of the account': ({ api, password }) => api.result(deleteAccount, { body: { password } }),
}

test.each(Object.entries(ends))(
  'D-155: %s reaches the app once; a code that is not redeemed is void',
  async (_, end) => {
    const [{ app, receiver }, user] = [await listening(), await someUser(plaza)]
    const { sid } = await signIn(app, user)
    const unused = await codeOf(app, user)
    await end(user, app)
    await receiver.nth(1)
    const { params } = await logoutWebhook(app)
    const { data } = await app.owner.api.result(listDeliveries, { params })
    expect([sidsAt(receiver), data.length]).toEqual([[sid], 1])
    expect((await anonymous.call(token, { body: unused })).status).toBe(400)
    expect(await plaza.db.sql`select 1 from openid_sessions where app_id = ${app.id}`).toEqual([])
  },
)

test('D-155: sessions end one by one; parallel ends of one session and its connection send one token', async () => {
  const [{ app, receiver }, user] = [await listening(), await someUser(plaza)]
  const other = await signedInAgain(plaza, user)
  const [first, second] = [await signIn(app, user), await signIn(app, other)]
  expect(first.sid).not.toBe(second.sid)
  await user.api.result(logout)
  await receiver.nth(1)
  expect(sidsAt(receiver)).toEqual([first.sid])
  await race(plaza, 20, (at) =>
    at % 2 === 0 ? other.api.call(logout) : other.api.call(disconnectApp, { params: { app_id: app.id } }),
  )
  await receiver.nth(2)
  const { params } = await logoutWebhook(app)
  expect((await app.owner.api.result(listDeliveries, { params })).data.length).toBe(2)
  expect(sidsAt(receiver)).toEqual([first.sid, second.sid])
})

test('D-155: of the codes issued in parallel to a sign-out none is good after it', async () => {
  const { app, receiver } = await listening()
  for (let round = 0; round < 5; round++) {
    const user = await someUser(plaza)
    const issued: Awaited<ReturnType<typeof codeOf>>[] = []
    const issuing = Array.from({ length: 4 }, () =>
      codeOf(app, user).then(
        (code) => issued.push(code),
        () => undefined,
      ),
    )
    await Promise.all([...issuing, user.api.result(logout)])
    const redeemed = await Promise.all(issued.map((body) => anonymous.call(token, { body })))
    expect(redeemed.filter(({ ok }) => ok)).toEqual([])
  }
  expect(receiver.received.length).toBeLessThanOrEqual(5)
})

test('D-155: a failed attempt is repeated with a fresh token; its deliveries are listed, the token is not stored', async () => {
  const [{ app, receiver }, user] = [await listening(), await someUser(plaza)]
  receiver.answer((response) => response.writeHead(501).end('not yet'))
  const { sid } = await signIn(app, user)
  await user.api.result(logout)
  const first = await receiver.nth(1)
  const { params } = await logoutWebhook(app)
  const list = async () => (await app.owner.api.result(listDeliveries, { params })).data
  await waitUntil(async () => (await list())[0]?.attempts === 1, 'the first attempt')
  receiver.answer((response) => response.writeHead(200).end())
  plaza.clock.advance(6)
  plaza.service.app.notified('webhooks')
  const second = await receiver.nth(2)
  const [a, b] = [first, second].map(({ event }) => decodeJwt(event.data.logout_token as string))
  expect([a?.sid, b?.sid, b!.iat! - a!.iat!, a?.jti === b?.jti]).toEqual([sid, sid, 6, false])
  await waitUntil(async () => (await list())[0]?.status === 'succeeded', 'the delivery')
  const { delivery } = await app.owner.api.result(getDelivery, {
    params: { ...params, delivery_id: (await list())[0]!.id },
  })
  expect(delivery.type).toBe('logout')
  expect(delivery.attempt_log.map(({ status_code, answer }) => [status_code, answer])).toEqual([
    [200, ''],
    [501, 'not yet'],
  ])
  expect(JSON.parse(delivery.request.body)).toMatchObject({ type: 'logout', data: { user_id: user.id, sid } })
})

test('D-155: retries of a logout end as those of webhooks do', async () => {
  const [{ app, receiver }, user] = [await listening(), await someUser(plaza)]
  receiver.answer((response) => response.writeHead(500).end())
  await signIn(app, user)
  await user.api.result(logout)
  await receiver.nth(1)
  const { params } = await logoutWebhook(app)
  const read = async () => (await app.owner.api.result(listDeliveries, { params })).data[0]!
  await waitUntil(async () => (await read()).attempts === 1, 'the first attempt')
  // As if all but the last had been attempted.
  await plaza.db.sql`
    update webhook_deliveries set tries = 9, next_attempt_at = ${plaza.clock.now()} where webhook_id = ${params.webhook_id}`
  await plaza.db.sql`update webhooks set due_at = ${plaza.clock.now()} where id = ${params.webhook_id}`
  plaza.service.app.notified('webhooks')
  await waitUntil(async () => (await read()).status === 'failed', 'the last attempt')
  expect((await read()).next_attempt_at).toBeNull()
})

test('D-155: the address is a field of the app: it is changed and ended there, and nothing else is done with its webhook', async () => {
  const { app, receiver } = await listening()
  const { webhook, params } = await logoutWebhook(app)
  expect(webhook).toMatchObject({ url: `${receiver.url}/logout`, events: [], enabled: true })
  const { api } = app.owner
  for (const call of [
    () => api.call(updateWebhook, { params, body: { url: receiver.url } }),
    () => api.call(updateWebhook, { params, body: { events: null } }),
    () => api.call(deleteWebhook, { params }),
    () => api.call(rotateWebhookSecret, { params }),
    () => api.call(testWebhook, { params }),
  ])
    expect(outcome(await call())).toEqual(refused('webhook_of_logout'))
  expect((await logoutWebhook(app)).webhook).toEqual(webhook)
  expect((await api.result(updateWebhook, { params, body: { enabled: false } })).webhook.enabled).toBe(false)
  expect((await nameAddress(app, `${receiver.url}/b`)).backchannel_logout_uri).toBe(`${receiver.url}/b`)
  const { webhook: changed } = await logoutWebhook(app)
  expect([changed.id, changed.url, changed.enabled]).toEqual([webhook.id, `${receiver.url}/b`, true])

  await nameAddress(app, null)
  expect(await api.result(listWebhooks, { params })).toEqual({ webhooks: [] })
  const user = await someUser(plaza)
  await signIn(app, user)
  await user.api.result(logout)
  expect(await plaza.db.sql`select 1 from app_event_outbox where app_id = ${app.id}`).toEqual([])
  expect(receiver.received).toEqual([])
})

test('D-155: addresses that no webhook may have are 422, and nothing is written', async () => {
  const app = await someApp(plaza)
  const field = 'backchannel_logout_uri'
  const url = 'must be an https URL with a host, and without user information, a fragment, spaces or backslashes'
  for (const [address, message] of [
    ['nothing', url],
    ['https://u:p@a.test/', url],
    ['https://a.test/#x', url],
    ['http://192.0.2.1/', 'must be an https URL: plain http is for loopback addresses only'],
    ['https://nowhere.invalid/', 'must have a host that DNS knows'],
  ] as const) {
    const body = { backchannel_logout_uri: address, app_name: 'Another' }
    const reply = await app.owner.api.call(updateMyApp, { params: { id: app.id }, body })
    expect([address, outcome(reply)]).toEqual([address, invalid(field, message)])
  }
  const [row] = await plaza.db.sql`select app_name, backchannel_logout_uri from oauth_apps where id = ${app.id}`
  expect(row).toEqual({ app_name: expect.stringMatching(/^App /), backchannel_logout_uri: null })
})

test('D-155: account.deleted reaches every app that the person ever connected, also after a disconnect', async () => {
  const user = await someUser(plaza)
  const apps = [await someApp(plaza), await someApp(plaza), await someApp(plaza)]
  const receivers = await Promise.all(
    apps.map(async (app) => {
      const receiver = await startReceiver()
      const body = { url: receiver.url, events: ['account.deleted' as const] }
      await app.owner.api.result(createWebhook, { params: { id: app.id }, body })
      return receiver
    }),
  )
  for (const app of apps.slice(0, 2)) await signIn(app, user)
  await user.api.result(disconnectApp, { params: { app_id: apps[0]!.id } })
  await user.api.result(deleteAccount, { body: { password: user.password } })
  for (const receiver of receivers.slice(0, 2)) {
    const { event } = await receiver.nth(1)
    expect(event).toMatchObject({ type: 'account.deleted', data: { user_id: user.id } })
  }
  expect(receivers.map(({ received }) => received.length)).toEqual([1, 1, 0])
  const { client_id, client_secret } = apps[1]!
  const { data } = await new PlazaClient(plaza.url, { client_id, client_secret }).result(listAppEvents)
  expect(data.map(({ type }) => type)).toEqual(['connection.created', 'connection.ended', 'account.deleted'])
})
