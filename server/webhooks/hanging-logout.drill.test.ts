import { expect, test } from 'vitest'
import { logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { listDeliveries, listWebhooks } from '../../contract/webhooks.ts'
import { startTestService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { waitUntil } from '../test/wait.ts'
import { authorizationQuery, codeRequest, pkce, someApp, someUser, type SomeApp, type SomeUser } from '../test/world.ts'

const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any' })

async function listening() {
  const [app, receiver] = [await someApp(plaza), await startReceiver()]
  const body = { backchannel_logout_uri: receiver.url }
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body })
  return { app, receiver }
}

async function signIn(app: SomeApp, user: SomeUser) {
  const { code_verifier, code_challenge } = pkce()
  const query = { ...authorizationQuery(app, code_challenge), scope: 'openid' }
  const { code } = await user.api.result(authorize, { query })
  await new PlazaClient(plaza.url).result(token, { body: codeRequest(app, { code, code_verifier }) })
}

test('drill D-155: a logout endpoint that hangs gets 10 seconds, and the sign-out and other apps do not wait for it', async () => {
  const [hanging, other] = [await listening(), await listening()]
  hanging.receiver.answer(() => {})
  const user = await someUser(plaza)
  for (const { app } of [hanging, other]) await signIn(app, user)
  await user.api.result(logout)
  await Promise.all([hanging.receiver.nth(1), other.receiver.nth(1)])
  const params = { id: hanging.app.id }
  const { webhooks } = await hanging.app.owner.api.result(listWebhooks, { params })
  const of_logout = { ...params, webhook_id: webhooks[0]!.id }
  const read = async () => (await hanging.app.owner.api.result(listDeliveries, { params: of_logout })).data[0]!
  expect((await read()).attempts).toBe(0)
  // Sign-outs of other people reach other apps while the first one hangs.
  const second = await someUser(plaza)
  await signIn(other.app, second)
  await second.api.result(logout)
  await other.receiver.nth(2)
  expect((await read()).attempts).toBe(0)
  await waitUntil(async () => (await read()).attempts === 1, 'the end of the attempt')
  const { last_attempt, status } = await read()
  expect([status, last_attempt?.error]).toEqual(['pending', 'there was no answer in time'])
  expect(last_attempt?.duration_ms).toBeGreaterThanOrEqual(9_900)
  expect(last_attempt?.duration_ms).toBeLessThan(14_000)
})
