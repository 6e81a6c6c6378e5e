import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { updateMyApp } from '../../../contract/oauth-apps.ts'
import {
  authorize,
  describeAuthorization,
  openPushedAuthorization,
  pushAuthorization,
  token,
} from '../../../contract/oauth.ts'
import { countBy, race, sharedService } from '../../test/harness.ts'
import { outcome, refused, refusedByOAuth, send } from '../../test/refusals.ts'
import {
  authorizationQuery,
  basicOf,
  codeRequest,
  pkce,
  raw,
  someApp,
  someUser,
  type SomeApp,
  type SomeUser,
} from '../../test/world.ts'
import { purgeExpired } from '../purge.service.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
const user = await someUser(plaza)

const push = (of: SomeApp, changes: Record<string, string> = {}, verifier = pkce()) =>
  anonymous.result(pushAuthorization, {
    body: { ...authorizationQuery(of, verifier.code_challenge), client_secret: of.client_secret, ...changes },
  })
const allow = ({ api }: SomeUser, { client_id }: SomeApp, request_uri: string, more = {}) =>
  send(api, authorize, { query: { client_id, request_uri, ...more } })
const open = ({ client_id }: SomeApp, request_uri: string) =>
  anonymous.call(openPushedAuthorization, { body: { client_id, request_uri } })
const stored = async () => (await plaza.db.sql`select 1 from pushed_requests`).length
const ended = refused('invalid_request_uri')

test('D-151: a pushed request is opened once within a minute, and has ten minutes more for one code', async () => {
  const verifier = pkce()
  const pushed = await push(app, { scope: 'points:read', state: 'of the app', prompt: 'consent' }, verifier)
  expect(pushed).toEqual({
    request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:plz_[A-Za-z0-9_-]{43}$/) as string,
    expires_in: 60,
  })
  plaza.clock.advance(59)
  const { client_id: _, ...parameters } = {
    ...authorizationQuery(app, verifier.code_challenge),
    scope: 'points:read',
    state: 'of the app',
    prompt: 'consent',
  }
  expect(outcome(await open(app, pushed.request_uri))).toEqual([200, { parameters }])
  expect(outcome(await open(app, pushed.request_uri))).toEqual(ended)
  plaza.clock.advance(599)
  // Parameters that the browser adds to the reference are ignored.
  const query = {
    client_id: app.client_id,
    request_uri: pushed.request_uri,
    scope: 'profile:read',
    redirect_uri: 'https://evil.test/',
  }
  expect(await send(user.api, describeAuthorization, { query })).toMatchObject({
    body: { scopes: [{ scope: 'points:read' }], redirect_uri: app.redirect_uri },
  })
  const { body } = await allow(user, app, pushed.request_uri, { scope: 'profile:read', state: 'of the browser' })
  expect(body).toMatchObject({ state: 'of the app', redirect_uri: app.redirect_uri })
  const { code } = body as { code: string }
  expect(await anonymous.result(token, { body: codeRequest(app, { code, ...verifier }) })).toMatchObject({
    scope: 'points:read',
  })
  expect(outcome(await allow(user, app, pushed.request_uri))).toEqual(ended)
})

test('D-151: a request ends by itself, opened or not, and is deleted', async () => {
  const [unopened, opened] = [await push(app), await push(app)]
  await open(app, opened.request_uri)
  plaza.clock.advance(60)
  expect(outcome(await open(app, unopened.request_uri))).toEqual(ended)
  expect(outcome(await allow(user, app, unopened.request_uri))).toEqual(ended)
  plaza.clock.advance(540)
  expect(outcome(await allow(user, app, opened.request_uri))).toEqual(ended)
  plaza.clock.advance(1)
  await purgeExpired({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 100 })
  expect(await stored()).toBe(0)
})

test('D-151: of ten parallel callers, one opens a request, and one gets a code for it', async () => {
  const { request_uri } = await push(app)
  const opened = await race(plaza, 10, () => open(app, request_uri))
  expect(countBy(opened, ({ status }) => status)).toEqual({ 200: 1, 400: 9 })
  const allowed = await race(plaza, 10, () => allow(user, app, request_uri))
  expect(countBy(allowed, ({ status }) => status)).toEqual({ 200: 1, 400: 9 })
})

test('D-151: only the app that pushed a request can use it, by form and Basic as by JSON', async () => {
  const other = await someApp(plaza)
  const { request_uri } = await push(app)
  expect(outcome(await open(other, request_uri))).toEqual(ended)
  expect(outcome(await allow(user, other, request_uri))).toEqual(ended)
  expect(outcome(await allow(user, app, `${request_uri}x`))).toEqual(ended)
  const { client_id: _, ...parameters } = authorizationQuery(app, pkce().code_challenge)
  const form = await raw(plaza, 'POST', '/api/oauth/par', {
    headers: { authorization: basicOf(app), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...parameters, max_age: '100000' }).toString(),
  })
  expect(form.status).toBe(201)
  expect((await allow(user, app, (form.body as { request_uri: string }).request_uri)).status).toBe(200)
})

test('D-151: a request that authorize would refuse is refused when it is pushed, and nothing is stored', async () => {
  const before = await stored()
  const good = { ...authorizationQuery(app, pkce().code_challenge), client_secret: app.client_secret }
  const pending = await someApp(plaza, { approved: false })
  const cases: (readonly [Record<string, string | undefined>, Parameters<typeof refusedByOAuth>[0]])[] = [
    [{ client_secret: 'wrong' }, 'invalid_client'],
    [{ client_id: undefined }, 'invalid_client'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'unsupported_challenge_method'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ redirect_uri: 'https://evil.test/' }, 'redirect_uri_not_registered'],
    [{ scope: 'points:transfer' }, 'invalid_scope'],
    [{ prompt: 'maybe' }, 'prompt_not_known'],
    ...['-1', 'soon', '1.5', '1e400', '2147483648'].map((max_age) => [{ max_age }, 'invalid_request'] as const),
    [{ nonce: 'x'.repeat(1_001) }, 'invalid_request'],
    [{ id_token_hint: 'x'.repeat(4_097) }, 'invalid_request'],
    [{ dpop_jkt: 'short' }, 'invalid_request'],
    [{ request: 'a.b.c' }, 'request_not_supported'],
    [{ request_uri: 'https://app.test/r' }, 'request_uri_not_supported'],
    [{ request_uri: (await push(app)).request_uri }, 'invalid_request'],
    [{ client_id: pending.client_id, client_secret: pending.client_secret }, 'app_not_approved'],
  ]
  for (const [change, code] of cases)
    expect([change, ...outcome(await send(anonymous, pushAuthorization, { body: { ...good, ...change } }))]).toEqual([
      change,
      ...refusedByOAuth(code),
    ])
  expect(await stored()).toBe(before + 1)
})

test('D-151: an app with require_par takes pushed requests only', async () => {
  const strict = await someApp(plaza)
  await strict.owner.api.result(updateMyApp, { params: { id: strict.id }, body: { require_par: true } })
  const query = authorizationQuery(strict, pkce().code_challenge)
  expect(outcome(await user.api.call(authorize, { query }))).toEqual(refused('pushed_request_required'))
  expect(outcome(await user.api.call(describeAuthorization, { query }))).toEqual(refused('pushed_request_required'))
  const { request_uri } = await push(strict)
  expect((await allow(user, strict, request_uri)).status).toBe(200)
})
