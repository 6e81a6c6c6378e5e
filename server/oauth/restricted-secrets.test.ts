import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import { listDeployments } from '../../contract/deployments.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { listNotices } from '../../contract/notices.ts'
import { createSecret, deleteSecret, listSecrets } from '../../contract/oauth-apps.ts'
import { revoke, token } from '../../contract/oauth.ts'
import { getOwnBalance } from '../../contract/payments.ts'
import { sharedService } from '../test/harness.ts'
import { someHostingApp } from '../test/hosting-world.ts'
import { invalid, outcome, refused, refusedByOAuth } from '../test/refusals.ts'
import { credentialsOf, runSample } from '../test/samples.ts'
import {
  auditOf,
  codeRequest,
  refreshRequest,
  someApp,
  someCode,
  someTokens,
  someUser,
  theAdmin,
  type SomeApp,
} from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const works = [200, expect.anything()]
const here = '127.0.0.0/8'
const elsewhere = '203.0.113.0/24'

type Bounds = BodyOf<typeof createSecret>
const tryToMake = ({ id, owner }: SomeApp, body: Bounds) => owner.api.call(createSecret, { params: { id }, body })
const make = ({ id, owner }: SomeApp, body: Bounds) => owner.api.result(createSecret, { params: { id }, body })
const clientOf = ({ client_id }: SomeApp, { client_secret }: { client_secret: string }, { url } = plaza) =>
  new PlazaClient(url, { client_id, client_secret })
const secondsOn = (seconds: number) => new Date(plaza.clock.now().getTime() + seconds * 1000).toISOString()
const secretsOf = async ({ id, owner }: SomeApp) => (await owner.api.result(listSecrets, { params: { id } })).secrets
const runJob = (name: string, payload = {}) =>
  plaza.service.app.jobs.find((job) => job.name === name)!.run(payload, 'test')

test('D-133: a secret shows its bounds, its maker and its last use, and the audit log names who made and deleted it', async () => {
  const app = await someHostingApp(plaza)
  const bounds = {
    name: 'build server',
    permissions: ['deploy' as const, 'registry' as const],
    expires_at: secondsOn(3_600),
    allowed_addresses: [here, '2001:db8::/32'],
  }
  const made = await make(app, bounds)
  expect(made).toMatchObject({ ...bounds, maker_username: app.owner.username, last_used_at: null, last_address: null })
  expect(outcome(await clientOf(app, made).call(listDeployments))).toEqual(works)
  const used = { last_used_at: plaza.clock.now().toISOString(), last_address: '127.0.0.1' }
  expect((await secretsOf(app))[0]).toMatchObject({ id: made.id, ...bounds, ...used })
  await app.owner.api.result(deleteSecret, { params: { id: app.id, secret_id: made.id } })
  const { hint } = made
  expect((await auditOf(await theAdmin(plaza), app.id)).slice(0, 2)).toEqual([
    { actor_id: app.owner.id, action: 'secret.delete', details: { name: 'build server', hint } },
    { actor_id: app.owner.id, action: 'secret.create', details: { ...bounds, hint } },
  ])
})

test('D-133: the key of the guide deploys and does nothing else', async () => {
  const app = await someHostingApp(plaza)
  const given = { OWNER_TOKEN: app.owner.token, APP_ID: app.id, EXPIRES_AT: secondsOn(3_600), NETWORK: here }
  const client_secret = (await runSample(plaza, 'build-servers.md', 'make-key-curl', given)).trim()
  expect(outcome(await clientOf(app, { client_secret }).call(listDeployments))).toEqual(works)
  const key = credentialsOf({ ...app, client_secret })
  expect(await runSample(plaza, 'build-servers.md', 'refused-key-curl', key)).toBe(
    '["secret_not_permitted","payments_read"]\n',
  )
})

test('D-133: bounds that make no sense are refused by field, and nothing is made', async () => {
  const app = await someApp(plaza)
  const network = 'must be an address or a network such as 203.0.113.0/24'
  const wrong: [Bounds, [number, unknown]][] = [
    [{ permissions: [] }, invalid('permissions', 'must NOT have fewer than 1 items')],
    [{ expires_at: secondsOn(0) }, invalid('expires_at', 'must be a time to come')],
    [{ allowed_addresses: [here, 'our office'] }, invalid('allowed_addresses.1', network)],
    [
      { allowed_addresses: Array<string>(21).fill(here) },
      invalid('allowed_addresses', 'must NOT have more than 20 items'),
    ],
  ]
  for (const [body, answer] of wrong) expect(outcome(await tryToMake(app, body))).toEqual(answer)
  expect(await secretsOf(app)).toHaveLength(1)
})

test('D-133: from another network every use of a secret is refused, and is no use', async () => {
  const app = await someHostingApp(plaza)
  const user = await someUser(plaza)
  const { refresh_token, access_token } = await someTokens(plaza, app, user)
  const secret = await make(app, { allowed_addresses: [elsewhere] })
  const { client_secret } = secret
  const [status, body] = refused('secret_address_not_allowed')
  for (const [endpoint, permission] of [
    [getOwnBalance, 'payments_read'],
    [listDeployments, 'deploy'],
  ] as const)
    expect(outcome(await clientOf(app, secret).call(endpoint))).toEqual([status, { ...(body as object), permission }])
  const refused_by_oauth = refusedByOAuth('unauthorized_client')
  for (const body of [codeRequest(app, await someCode(app, user)), refreshRequest(app, refresh_token)])
    expect(outcome(await anonymous.call(token, { body: { ...body, client_secret } }))).toEqual(refused_by_oauth)
  const revocation = { token: access_token, client_id: app.client_id, client_secret }
  expect(outcome(await anonymous.call(revoke, { body: revocation }))).toEqual(refused_by_oauth)
  expect((await secretsOf(app))[0]).toMatchObject({ id: secret.id, last_used_at: null, last_address: null })
  // Nothing was redeemed or revoked.
  expect(outcome(await anonymous.call(token, { body: refreshRequest(app, refresh_token) }))).toEqual(works)
})

test('D-133: an expired secret is refused like a deleted one, immediately and in every process that cached it', async () => {
  const there = await plaza.startAnother()
  const app = await someApp(plaza)
  const secret = await make(app, { expires_at: secondsOn(60) })
  for (const service of [plaza, there])
    expect(outcome(await clientOf(app, secret, service).call(getOwnBalance))).toEqual(works)
  const { code_verifier, ...asked } = await someCode(app, await someUser(plaza))
  plaza.clock.advance(60)
  for (const service of [plaza, there])
    expect(outcome(await clientOf(app, secret, service).call(getOwnBalance))).toEqual(refused('client_unauthorized'))
  const { client_secret } = secret
  const body = { ...codeRequest(app, { ...asked, code_verifier }), client_secret }
  expect(outcome(await anonymous.call(token, { body }))).toEqual(refusedByOAuth('invalid_client'))
  expect((await secretsOf(app)).map(({ id }) => id)).toContain(secret.id)
  await there.service.stop()
})

test('D-133: the last secret may be a restricted one; people still sign in with PKCE, and a new one takes its place', async () => {
  const app = await someApp(plaza)
  const [first] = await secretsOf(app)
  const last = await make(app, { permissions: ['payments_read'] })
  await app.owner.api.result(deleteSecret, { params: { id: app.id, secret_id: first!.id } })
  const { client_secret: _, ...body } = codeRequest(app, await someCode(app, await someUser(plaza)))
  const restricted = { ...body, client_secret: last.client_secret }
  expect(outcome(await anonymous.call(token, { body: restricted }))).toEqual(refusedByOAuth('unauthorized_client'))
  const tokens = await anonymous.result(token, { body })
  const next = await make(app, {})
  await app.owner.api.result(deleteSecret, { params: { id: app.id, secret_id: last.id } })
  expect(outcome(await clientOf(app, last).call(getOwnBalance))).toEqual(refused('client_unauthorized'))
  const renewal = { ...refreshRequest(app, tokens.refresh_token), client_secret: next.client_secret }
  expect(outcome(await anonymous.call(token, { body: renewal }))).toEqual(works)
})

test('D-133: a secret stays when its maker is gone', async () => {
  const app = await someApp(plaza)
  const maker = await someUser(plaza)
  const secret = await make(app, { name: 'shop' })
  await plaza.db.sql`update app_secrets set maker_id = ${maker.id} where id = ${secret.id}`
  await maker.api.result(deleteAccount, { body: { password: maker.password } })
  expect(outcome(await clientOf(app, secret).call(getOwnBalance))).toEqual(works)
  expect((await secretsOf(app))[0]).toMatchObject({ id: secret.id, name: 'shop', maker_username: null })
})

test('D-133: the owner learns of the end of a secret once, seven days before, by notice and mail', async () => {
  const app = await someApp(plaza)
  const week = 7 * 86_400
  const soon = await make(app, { name: 'CI', expires_at: secondsOn(week + 30) })
  await make(app, { expires_at: secondsOn(week - 30) })
  await make(app, {})
  const noticesOf = async () => (await app.owner.api.result(listNotices, { query: { kind: 'apps' } })).data
  const before = await noticesOf()
  await runJob('oauth.notice_expiring_secrets')
  expect(await noticesOf()).toEqual(before)
  plaza.clock.advance(31)
  for (let run = 0; run < 2; run++) await runJob('oauth.notice_expiring_secrets')
  const [notice, ...others] = await noticesOf()
  expect(notice).toMatchObject({ event: 'secret_expires', app_id: app.id, count: 1 })
  expect(others).toEqual(before)
  const mail = await plaza.mailTo(app.owner.email, 0, '"CI"')
  expect(mail).toContain(`${soon.expires_at!.slice(0, 16).replace('T', ' ')} UTC`)
  expect(mail).toContain(`${plaza.url}/apps/${app.id}`)
})
