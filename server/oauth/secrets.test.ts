import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { adminListApps, rejectApp } from '../../contract/admin-apps.ts'
import { secret_permission_names } from '../../contract/kinds/secret-permissions.ts'
import { decisions } from '../../contract/decisions.ts'
import {
  createSecret,
  deleteSecret,
  getPublicApp,
  listMyApps,
  listSecrets,
  requestScopes,
  updateMyApp,
} from '../../contract/oauth-apps.ts'
import { authorize, describeAuthorization, listConnectedApps, token } from '../../contract/oauth.ts'
import { sha256 } from '../platform/secrets.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused, refusedByOAuth } from '../test/refusals.ts'
import {
  authorizationQuery,
  pkce,
  codeRequest,
  refreshRequest,
  someApp,
  someCode,
  someTokens,
  someUser,
  theAdmin,
  world,
  type SomeApp,
} from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const user = await someUser(plaza)

const invalid_client = refusedByOAuth('invalid_client')

const add = ({ id, owner }: SomeApp) => owner.api.result(createSecret, { params: { id } })
const list = async ({ id, owner }: SomeApp) => (await owner.api.result(listSecrets, { params: { id } })).secrets
const remove = ({ id, owner }: SomeApp, secret_id: string) =>
  owner.api.call(deleteSecret, { params: { id, secret_id } })
const first = async (app: SomeApp) => (await list(app)).at(-1)?.id ?? ''

/** Redeems a new code with this secret alone. */
async function use(app: SomeApp, client_secret: string) {
  const { code_verifier: _, ...body } = codeRequest(app, await someCode(app, user))
  return anonymous.call(token, { body: { ...body, client_secret } })
}

test('D-39: a further secret is shown once, and the list shows only its hint and its last use', async () => {
  const app = await someApp(plaza)
  plaza.clock.advance(1)
  const inserted_at = plaza.clock.now().toISOString()
  const reply = await app.owner.api.call(createSecret, { params: { id: app.id } })
  const id = expect.any(String) as string
  const client_secret = expect.stringMatching(/^plz_cs_[A-Za-z0-9_-]{43}$/) as string
  const unbounded = {
    name: null,
    permissions: secret_permission_names,
    expires_at: null,
    allowed_addresses: [],
    maker_username: app.owner.username,
    inserted_at,
    last_used_at: null,
    last_address: null,
  }
  expect(outcome(reply)).toEqual([201, { id, hint: expect.any(String), client_secret, ...unbounded }])
  const made = reply.ok ? reply.body : undefined
  const secrets = await list(app)
  const [newest] = secrets
  expect(newest).toEqual({ id: made?.id, hint: made?.client_secret.slice(-4), ...unbounded })
  expect(secrets.map(({ hint }) => hint)).toEqual([made?.client_secret.slice(-4), app.client_secret.slice(-4)])
})

test('D-39: all secrets of an app work at the same time, and the old refresh tokens with each', async () => {
  const app = await someApp(plaza)
  const { client_secret } = await add(app)
  for (const secret of [app.client_secret, client_secret]) expect((await use(app, secret)).status).toBe(200)
  const { refresh_token } = await someTokens(plaza, app, user)
  const renewed = await anonymous.result(token, { body: { ...refreshRequest(app, refresh_token), client_secret } })
  expect((await anonymous.call(token, { body: refreshRequest(app, renewed.refresh_token) })).status).toBe(200)
})

test('D-39: a deleted secret fails immediately, and the tokens issued with it stay valid', async () => {
  const app = await someApp(plaza)
  const { refresh_token } = await someTokens(plaza, app, user)
  const { client_secret } = await add(app)
  const old = await first(app)
  expect(outcome(await remove(app, old))).toEqual([200, { message: 'The secret is deleted and works no more.' }])
  expect(outcome(await use(app, app.client_secret))).toEqual(invalid_client)
  expect(outcome(await anonymous.call(token, { body: refreshRequest(app, refresh_token) }))).toEqual(invalid_client)
  const renewal = { ...refreshRequest(app, refresh_token), client_secret }
  expect((await anonymous.call(token, { body: renewal })).status).toBe(200)
  expect(outcome(await remove(app, old))).toEqual(refused('not_found'))
  expect((await list(app)).length).toBe(1)
})

test('D-39: without any secret left, an app continues as a public client', async () => {
  const app = await someApp(plaza)
  await remove(app, await first(app))
  expect(outcome(await use(app, app.client_secret))).toEqual(invalid_client)
  const { client_secret: _, ...body } = codeRequest(app, await someCode(app, user))
  expect((await anonymous.call(token, { body })).status).toBe(200)
})

test('D-39: the last use is stamped for the secret that was used, to the minute, and not by a wrong one', async () => {
  const app = await someApp(plaza)
  await add(app)
  const lastUses = async () => (await list(app)).map(({ last_used_at }) => last_used_at)
  await use(app, `${app.client_secret}x`)
  expect(await lastUses()).toEqual([null, null])
  const used_at = plaza.clock.now().toISOString()
  await use(app, app.client_secret)
  expect(await lastUses()).toEqual([null, used_at])
  plaza.clock.advance(59)
  await use(app, app.client_secret)
  expect(await lastUses()).toEqual([null, used_at])
  plaza.clock.advance(2)
  await use(app, app.client_secret)
  expect(await lastUses()).toEqual([null, plaza.clock.now().toISOString()])
})

test('D-39: an app holds ten secrets and no more, even when 20 are requested in parallel', async () => {
  const app = await someApp(plaza)
  const { secrets_max } = decisions.client_secrets
  const replies = await race(plaza, 20, () => app.owner.api.call(createSecret, { params: { id: app.id } }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: secrets_max - 1, 409: 21 - secrets_max })
  for (const reply of replies) if (!reply.ok) expect(outcome(reply)).toEqual(refused('too_many_secrets'))
  expect((await list(app)).length).toBe(secrets_max)
  await remove(app, await first(app))
  expect((await use(app, (await add(app)).client_secret)).status).toBe(200)
})

test('spec client_secret: only registration shows it', async () => {
  const app = await someApp(plaza)
  const { api } = app.owner
  const params = { id: app.id }
  await someTokens(plaza, app, app.owner)
  const query = authorizationQuery(app, pkce().code_challenge)
  const replies = [
    await api.call(listMyApps),
    await api.call(updateMyApp, { params, body: { app_name: 'Renamed' } }),
    await api.call(listSecrets, { params }),
    await api.call(requestScopes, { params, body: { requested_scopes: ['points:read'] } }),
    await api.call(listConnectedApps),
    await api.call(authorize, { query }),
    await api.call(describeAuthorization, { query }),
    await anonymous.call(getPublicApp, { params: { client_id: app.client_id } }),
    await anonymous.call(token, { body: { grant_type: 'refresh_token', ...app, refresh_token: 'x' } }),
    await (await theAdmin(plaza)).api.call(adminListApps),
    await (await theAdmin(plaza)).api.call(rejectApp, { params, body: {} }),
  ]
  const secret = app.client_secret.slice('plz_cs_'.length)
  const hash = sha256(app.client_secret).toString('hex')
  for (const { body } of replies)
    for (const word of [secret, hash, 'secret_hash']) expect(JSON.stringify(body)).not.toContain(word)
})

/** Every value of every table, as text. */
async function wholeDatabase() {
  const tables = await plaza.db.sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`
  const dumps = await Promise.all(
    tables.map(({ name }) => plaza.db.pool.query<{ row: string }>(`select t::text as row from ${name} t`)),
  )
  return dumps.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
}

test('D-20, D-26: neither the database nor the log ever holds a token, code or secret that works', async () => {
  const { app, tokens } = await world(plaza)
  const { code, code_verifier } = await someCode(app, user)
  const next = await anonymous.result(token, { body: refreshRequest(app, tokens.refresh_token) })
  const { access_token, refresh_token, session_token } = tokens
  const prefixed = [access_token, refresh_token, session_token, code, app.client_secret]
  const secrets = [...prefixed, next.access_token, next.refresh_token].map((each) => each.slice('plz_xx_'.length))
  const dump = await wholeDatabase()
  for (const kept of [app.client_id, sha256(app.client_secret).toString('hex')]) expect(dump).toContain(kept)
  for (const secret of [...secrets, code_verifier]) {
    const bytes = [Buffer.from(secret), Buffer.from(secret, 'base64url')].map((each) => each.toString('hex'))
    for (const form of [secret, ...bytes]) expect(dump.includes(form)).toBe(false)
    expect(plaza.logged().includes(secret)).toBe(false)
  }
})
