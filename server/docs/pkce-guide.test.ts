import { expect, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { sharedService } from '../test/harness.ts'
import { endAfterwards, runSample, startSample, credentialsOf, firstLineOf } from '../test/samples.ts'
import { someApp, someTokens, someUser } from '../test/world.ts'
import { allow, deny } from '../test/clients/browser.ts'
import { stateOf } from '../test/clients/outcome.ts'

const file = 'pkce.md'
const plaza = await sharedService()
const scopes = ['profile:read', 'points:read'] as const

test.each(['server-node', 'server-python'])(
  'the program %s signs a person in, and refuses responses for another browser',
  async (id) => {
    const port = await freePort()
    const redirect_uri = `http://127.0.0.1:${port}/callback`
    const [app, user] = [
      await someApp(plaza, { scopes: [...scopes], redirect_uris: [redirect_uri] }),
      await someUser(plaza),
    ]
    const program = startSample(plaza, file, id, { ...credentialsOf(app), PORT: String(port) })
    endAfterwards(program)
    const address = await firstLineOf(program)
    expect(address).toBe(`http://127.0.0.1:${port}/sign-in`)

    const begin = async () => {
      const begun = await fetch(address, { redirect: 'manual' })
      return { to: begun.headers.get('location') ?? '', cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    }
    const arrive = async (url: URL, cookie: string) => {
      const response = await fetch(url, { headers: { cookie } })
      return [response.status, await response.text()]
    }
    const first = await begin()
    const callback = await allow(plaza, user, first.to)
    const other = await begin()
    expect(await arrive(callback, other.cookie)).toEqual([400, 'This answer is not for this browser.'])
    expect(await arrive(callback, '')).toEqual([400, 'This answer is not for this browser.'])
    expect(await arrive(callback, first.cookie)).toEqual([200, `Signed in: ${user.username} (${user.id})`])
    const [status, text] = await arrive(callback, first.cookie)
    expect([status, String(text).includes('code')]).toEqual([400, true])
    expect(await arrive(deny(plaza, other.to), other.cookie)).toEqual([200, 'Not signed in: access_denied'])
  },
)

test('the native program native-python takes the answer on its own port, without a secret', async () => {
  const app = await someApp(plaza, { scopes: [...scopes], redirect_uris: ['http://127.0.0.1/callback'] })
  const user = await someUser(plaza)
  const program = startSample(plaza, file, 'native-python', { CLIENT_ID: app.client_id, BROWSER: '/bin/true' })
  const callback = await allow(plaza, user, await firstLineOf(program))
  expect(await (await fetch(callback)).text()).toBe('You may close this window.')
  const { code, stdout, stderr } = await program.ended
  expect([code, stdout.trim().split('\n').at(-1)], stderr).toEqual([0, `Signed in: ${user.username}`])

  const denied = startSample(plaza, file, 'native-python', { CLIENT_ID: app.client_id, BROWSER: '/bin/true' })
  await fetch(deny(plaza, await firstLineOf(denied)))
  const ended = await denied.ended
  expect([ended.code, ended.stderr]).toEqual([1, 'Not signed in: access_denied\n'])
})

test.each(['refresh-curl', 'refresh-node', 'refresh-python'])('%s gets a new pair', async (id) => {
  const app = await someApp(plaza)
  const { refresh_token } = await someTokens(plaza, app, await someUser(plaza))
  const output = await runSample(plaza, file, id, { ...credentialsOf(app), REFRESH_TOKEN: refresh_token })
  const [access_token = ''] = /plz_at_[\w-]+/.exec(output) ?? []
  expect(await stateOf(plaza, access_token)).toBe('active')
  expect(output).not.toContain(refresh_token)
})

test.each(['revoke-curl', 'revoke-node', 'revoke-python'])('%s ends the tokens of the connection', async (id) => {
  const app = await someApp(plaza)
  const { refresh_token, access_token } = await someTokens(plaza, app, await someUser(plaza))
  await runSample(plaza, file, id, { ...credentialsOf(app), REFRESH_TOKEN: refresh_token })
  expect(await stateOf(plaza, access_token)).toBe('revoked')
})
