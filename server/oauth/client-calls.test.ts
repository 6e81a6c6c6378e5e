import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { approveScopeRequest, rejectApp } from '../../contract/admin-apps.ts'
import { listDeployments } from '../../contract/deployments.ts'
import {
  createSecret,
  deleteSecret,
  listMyApps,
  listSecrets,
  requestScopes,
  updateMyApp,
} from '../../contract/oauth-apps.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { getOwnBalance } from '../../contract/payments.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { someHostingApp } from '../test/hosting-world.ts'
import { raw, someApp, someTokens, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
const challenge = 'Basic realm="plaza", charset="UTF-8"'
const balance = (headers: Record<string, string>) => raw(plaza, 'GET', '/api/app/balance', { headers })

test('D-95: any live secret of the app authenticates it, and each use is noted on the secret', async () => {
  const app = await someApp(plaza)
  const second = await app.owner.api.result(createSecret, { params: { id: app.id } })
  for (const client_secret of [app.client_secret, second.client_secret]) {
    const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret })
    expect(await client.result(getOwnBalance)).toMatchObject({ points: 0 })
  }
  const { secrets } = await app.owner.api.result(listSecrets, { params: { id: app.id } })
  expect(secrets.map(({ last_used_at }) => last_used_at !== null)).toEqual([true, true])
})

test('D-95: cached facts about an app end everywhere with its secret, its approval or its scopes', async () => {
  const there = await plaza.startAnother()
  const app = await someHostingApp(plaza)
  const { client_id } = app
  const second = await app.owner.api.result(createSecret, { params: { id: app.id } })
  const callsWith = (client_secret: string) =>
    [plaza, there].map((service) => async () => {
      const reply = await new PlazaClient(service.url, { client_id, client_secret }).call(listDeployments)
      return outcome(reply)
    })
  const expectAll = async (calls: (() => Promise<unknown>)[], expected: unknown) => {
    const [here, elsewhere] = calls
    expect(await here?.()).toEqual(expected)
    await expect.poll(() => elsewhere?.()).toEqual(expected)
  }
  const works = [200, expect.anything()]
  await expectAll(callsWith(app.client_secret), works)
  await expectAll(callsWith(second.client_secret), works)

  await app.owner.api.result(deleteSecret, { params: { id: app.id, secret_id: second.id } })
  await expectAll(callsWith(second.client_secret), refused('client_unauthorized'))
  await expectAll(callsWith(app.client_secret), works)

  const [own] = await app.owner.api.result(listMyApps)
  const allowed_scopes = own?.allowed_scopes.filter((scope) => scope !== 'deploy:manage') as Scope[]
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { allowed_scopes } })
  await expectAll(callsWith(app.client_secret), refused('client_lacks_scope'))

  const admin = await theAdmin(plaza)
  const { id } = await app.owner.api.result(requestScopes, {
    params: { id: app.id },
    body: { requested_scopes: ['deploy:manage'] },
  })
  await admin.api.result(approveScopeRequest, { params: { id } })
  await expectAll(callsWith(app.client_secret), works)

  await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
  await expectAll(callsWith(app.client_secret), refused('client_not_approved'))
  await there.service.stop()
})

test('D-95: no, malformed, unknown and wrong credentials are 401 with a Basic challenge, and so is a token', async () => {
  const app = await someApp(plaza)
  const tokens = await someTokens(plaza, app, await someUser(plaza))
  const none = await balance({})
  expect([...outcome(none), none.headers.get('www-authenticate')]).toEqual([
    ...refused('client_credentials_missing'),
    challenge,
  ])
  for (const authorization of [
    basic(app.client_id, 'wrong'),
    basic('nobody', app.client_secret),
    basic(app.client_id, ''),
    basic((await someApp(plaza)).client_id, app.client_secret),
    'Basic ###',
    `Bearer ${tokens.access_token}`,
    `Bearer ${app.owner.token}`,
  ]) {
    const reply = await balance({ authorization })
    expect([...outcome(reply), reply.headers.get('www-authenticate')]).toEqual([
      ...refused('client_unauthorized'),
      challenge,
    ])
  }
})

test('D-95: failures are counted by address, and beyond the limit the right secret is refused too', async () => {
  plaza.clock.advance(61)
  const strict = await plaza.startAnother({ RATE_LIMIT_TOKEN: '3/60' })
  const app = await someApp(plaza)
  const call = (secret: string) =>
    raw(strict, 'GET', '/api/app/balance', { headers: { authorization: basic(app.client_id, secret) } })
  for (let n = 0; n < 5; n++) expect((await call(app.client_secret)).status).toBe(200)
  for (let n = 0; n < 3; n++) expect((await call('wrong')).status).toBe(401)
  for (const secret of ['wrong', app.client_secret]) {
    const reply = await call(secret)
    expect([reply.status, Number(reply.headers.get('retry-after')) > 0]).toEqual([429, true])
  }
  plaza.clock.advance(61)
  expect((await call(app.client_secret)).status).toBe(200)
  await strict.service.stop()
})
