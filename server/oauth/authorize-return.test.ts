import { expect, test } from 'vitest'
import { rejectApp } from '../../contract/admin.ts'
import { describeReturn } from '../../contract/oauth.ts'
import { describeLogout } from '../../contract/openid.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { someApp, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const app = await someApp(plaza, { redirect_uris: ['https://app.test/cb', 'http://127.0.0.1/cb'] })
const user = await someUser(plaza)
const ask = async (query: { client_id: string; redirect_uri?: string }) =>
  outcome(await user.api.call(describeReturn, { query }))
const { client_id } = app
const place = (redirect_uri: string, redirect_host: string, is_approved = true) => [
  200,
  { app_name: expect.any(String), redirect_uri, redirect_host, is_approved, iss: plaza.url },
]

test('D-30: an error may go to a redirect URI that the app registered, with a free port on loopback, and to its first one', async () => {
  expect(await ask({ client_id, redirect_uri: 'https://app.test/cb' })).toEqual(
    place('https://app.test/cb', 'app.test'),
  )
  expect(await ask({ client_id })).toEqual(place('https://app.test/cb', 'app.test'))
  expect(await ask({ client_id, redirect_uri: 'http://127.0.0.1:4915/cb' })).toEqual(
    place('http://127.0.0.1:4915/cb', '127.0.0.1:4915'),
  )
})

test('D-30: no error goes to an unknown client or to an address that it did not register', async () => {
  expect(await ask({ client_id: 'nobody', redirect_uri: 'https://app.test/cb' })).toEqual(refused('unknown_client'))
  for (const redirect_uri of [
    'https://app.test/cb/',
    'https://evil.test/cb',
    'https://app.test/cb?x=1',
    'javascript:0',
  ])
    expect([redirect_uri, ...(await ask({ client_id, redirect_uri }))]).toEqual([
      redirect_uri,
      ...refused('redirect_uri_not_registered'),
    ])
})

test('D-30, D-123: the description includes apps without approval, and says that they have none', async () => {
  const [pending, rejected] = [await someApp(plaza, { approved: false }), await someApp(plaza)]
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: rejected.id }, body: {} })
  for (const { client_id } of [pending, rejected]) {
    expect(await ask({ client_id })).toEqual(place('https://app.test/cb', 'app.test', false))
    const query = { client_id, post_logout_redirect_uri: 'https://app.test/bye' }
    expect((await user.api.result(describeLogout, { query })).is_approved).toBe(false)
  }
})
