import { spawnSync } from 'node:child_process'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { allow, cookieJar } from '../test/clients/browser.ts'
import { freePort } from '../test/free-port.ts'
import { sharedService } from '../test/harness.ts'
import { endAfterwards, startSample, firstLineOf, credentialsOf } from '../test/samples.ts'
import { isOk, waitUntil } from '../test/wait.ts'
import { authorizationQuery, codeRequest, pkce, someApp, someUser } from '../test/world.ts'

const file = 'sign-in.md'
const plaza = await sharedService()

const has_authlib = spawnSync('/usr/bin/python3', ['-c', 'import authlib, requests']).status === 0
const needed = 'The sample with Authlib needs Debian’s python3-authlib and python3-requests.'
if (!has_authlib && process.env.CI === 'true') throw new Error(needed)
if (!has_authlib) process.stderr.write(`Left out: ${needed}\n`)

async function appOf(redirect_uri: string) {
  const [app, user] = [await someApp(plaza, { redirect_uris: [redirect_uri] }), await someUser(plaza)]
  return { user, env: { ...credentialsOf(app), AUTH_SECRET: 'a long random text of the app' } }
}

/** A browser with a cookie jar that follows no redirect by itself. */
function someBrowser() {
  const cookies = cookieJar()
  return async (url: string | URL, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: cookies.header() },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    cookies.keep(response.headers.getSetCookie())
    return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
  }
}

test('a stranger signs people in with Auth.js: the program authjs-node greets the person and signs out', async () => {
  const port = await freePort()
  const home = `http://127.0.0.1:${port}`
  const { user, env } = await appOf(`${home}/auth/callback/plaza`)
  const program = startSample(plaza, file, 'authjs-node', { ...env, PORT: String(port), APP_URL: home })
  endAfterwards(program)
  await waitUntil(
    () => isOk(home),
    () => `the app (${program.stderr()})`,
  )
  const visit = someBrowser()
  expect((await visit(home)).text).toContain('Sign in')
  const { csrfToken } = JSON.parse((await visit(`${home}/auth/csrf`)).text) as { csrfToken: string }
  const begun = await visit(`${home}/auth/signin/plaza`, { csrfToken, callbackUrl: home })
  const arrived = await visit(await allow(plaza, user, begun.location))
  expect([arrived.status, arrived.location]).toEqual([302, home])
  expect((await visit(home)).text).toContain(`Hello, ${user.username}!`)
  await visit(`${home}/auth/signout`, { csrfToken, callbackUrl: home })
  expect((await visit(home)).text).toContain('Sign in')
})

test.each(['openid-client-node', 'authlib-python'])('the program %s signs a person in', async (id) => {
  if (id === 'authlib-python' && !has_authlib) return
  const redirect_uri = 'https://app.test/callback'
  const { user, env } = await appOf(redirect_uri)
  const system = { PATH: `/usr/bin:${process.env.PATH}`, AUTHLIB_INSECURE_TRANSPORT: '1' }
  const program = startSample(plaza, file, id, { ...env, ...system, REDIRECT_URI: redirect_uri })
  const callback = await allow(plaza, user, await firstLineOf(program))
  program.child.stdin?.end(`${callback.href}\n`)
  const { code, stdout, stderr } = await program.ended
  expect([code, stdout.includes(user.username)], stderr).toEqual([0, true])
})

test('D-155: the program logout-node ends the session of a person who signs out of Plaza, and accepts no other token', async () => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const params = { id: app.id }
  await app.owner.api.result(updateMyApp, { params, body: { backchannel_logout_uri: address } })
  const program = startSample(plaza, file, 'logout-node', { ...credentialsOf(app), PORT: String(port) })
  endAfterwards(program)
  expect(await firstLineOf(program)).toBe('listening')
  const { code_verifier, code_challenge } = pkce()
  const query = { ...authorizationQuery(app, code_challenge), scope: 'openid' }
  const { code } = await user.api.result(authorize, { query })
  const { id_token = '' } = await new PlazaClient(plaza.url).result(token, {
    body: codeRequest(app, { code, code_verifier }),
  })
  const refused = await fetch(address, { method: 'POST', body: new URLSearchParams({ logout_token: id_token }) })
  expect(refused.status).toBe(400)
  await user.api.result(logout)
  const line = `end the sessions with ${String(decodeJwt(id_token).sid)}`
  await waitUntil(
    () => program.stdout().includes(line),
    () => `the logout (${program.stderr()})`,
  )
})

test('Better Auth with the settings of better-auth-node signs a person in', async () => {
  const home = 'http://127.0.0.1:3997'
  const { user, env } = await appOf(`${home}/api/auth/callback/plaza`)
  const driver = `
    const cookies = new Map()
    const visit = async (url, body) => {
      const cookie = [...cookies].map(([name, value]) => name + '=' + value).join('; ')
      const headers = { cookie, origin: ${JSON.stringify(home)}, 'content-type': 'application/json' }
      const answer = await auth.handler(new Request(url, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }))
      for (const set of answer.headers.getSetCookie()) cookies.set(...set.split(';')[0].split(/=(.*)/s).slice(0, 2))
      return answer
    }
    const begun = await visit(${JSON.stringify(`${home}/api/auth/sign-in/social`)}, { provider: 'plaza', callbackURL: '/' })
    console.log((await begun.json()).url)
    const { createInterface } = await import('node:readline/promises')
    const lines = createInterface({ input: process.stdin })
    await visit(await lines.question(''))
    lines.close()
    console.log(await (await visit(${JSON.stringify(`${home}/api/auth/get-session`)})).text())`
  const program = startSample(plaza, file, 'better-auth-node', { ...env, APP_URL: home }, { appended: driver })
  const callback = await allow(plaza, user, await firstLineOf(program))
  program.child.stdin?.end(`${callback.href}\n`)
  const { stdout, stderr } = await program.ended
  expect(stdout.trim().split('\n').at(-1), stderr).toContain(`"email":"${user.email}"`)
})
