import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import {
  changePassword,
  endLoginSession,
  endOtherLoginSessions,
  forgotPassword,
  listLoginSessions,
  login,
  logout,
  me,
  resetPassword,
} from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import { token } from '../../contract/oauth.ts'
import { getPoints } from '../../contract/points.ts'
import { owasp_cost } from '../platform/passwords.ts'
import { race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, codeRequest, someApp, someCode, someTokens, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)

const signIn = ({ email, password }: { email: string; password: string }) =>
  anonymous.call(login, { body: { email, password } })
/** Another session of the user, with its own client. */
async function anotherLogin(user: SomeUser, user_agent = 'tests') {
  const { email, password } = user
  const reply = await raw(plaza, 'POST', '/api/auth/login', {
    headers: { 'content-type': 'application/json', 'user-agent': user_agent },
    body: JSON.stringify({ email, password }),
  })
  return anonymous.withToken((reply.body as { token: string }).token)
}
const statusOf = async (api: PlazaClient) => (await api.call(me)).status
const sessionsOf = async (api: PlazaClient) => (await api.result(listLoginSessions)).sessions

test('D-13 an unknown address and a wrong password get the same status, body and headers', async () => {
  const user = await someUser(plaza)
  const wrong = await signIn({ email: user.email, password: 'not the password' })
  const unknown = await signIn({ email: 'nobody@people.test', password: 'not the password' })
  expect(outcome(wrong)).toEqual(refused('invalid_credentials'))
  expect(outcome(unknown)).toEqual(outcome(wrong))
  const counting = ['date', 'x-request-id', 'ratelimit']
  const stable = (headers: Headers) => [...headers].filter(([name]) => !counting.includes(name))
  expect(stable(unknown.headers)).toEqual(stable(wrong.headers))
})

test('D-13 passwords are stored as argon2id, and no response contains one', async () => {
  const usual = await plaza.startAnother({}, { hashing_cost: owasp_cost })
  const user = await someUser(usual)
  const [row] = await plaza.db.sql<{ password_hash: string }>`select password_hash from users where id = ${user.id}`
  expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(usual.logged()).not.toContain(user.password)
  expect(usual.logged()).not.toContain(user.token)
})

test('D-13 the whole password counts: case, spaces and length', async () => {
  const user = await someUser(plaza)
  for (const password of [
    user.password.toUpperCase(),
    ` ${user.password}`,
    `${user.password} `,
    user.password.slice(0, -1),
  ])
    expect(outcome(await signIn({ ...user, password }))).toEqual(refused('invalid_credentials'))
})

test('D-15 a JWT holds iss, sub, sid, iat and exp, 12 hours apart, and nothing else', async () => {
  const user = await someUser(plaza)
  const [session] = await sessionsOf(user.api)
  const claims = JSON.parse(Buffer.from(user.token.split('.')[1] ?? '', 'base64url').toString()) as object
  const iat = Math.floor(plaza.clock.now().getTime() / 1000)
  expect(claims).toEqual({ iss: plaza.url, sub: user.id, sid: session?.id, iat, exp: iat + 43_200 })
})

test('D-15 a JWT ends after 12 hours by the clock, and its session leaves the list', async () => {
  const user = await someUser(plaza)
  plaza.clock.advance(43_199)
  expect(await statusOf(user.api)).toBe(200)
  plaza.clock.advance(1)
  expect(outcome(await user.api.call(me))).toEqual(refused('invalid_token'))
  const api = await anotherLogin(user)
  expect((await sessionsOf(api)).length).toBe(1)
})

test('D-15 sessions: newest first with user agent and times, the caller’s own marked', async () => {
  const user = await someUser(plaza)
  plaza.clock.advance(1)
  const api = await anotherLogin(user, 'A Browser/1.0 '.repeat(100))
  const now = plaza.clock.now().getTime()
  expect(outcome(await api.call(listLoginSessions))).toEqual([
    200,
    {
      sessions: [
        {
          id: expect.any(String),
          current: true,
          user_agent: 'A Browser/1.0 '.repeat(100).slice(0, 300),
          inserted_at: new Date(now).toISOString(),
          last_used_at: new Date(now).toISOString(),
          expires_at: new Date(now + 43_200_000).toISOString(),
        },
        {
          id: expect.any(String),
          current: false,
          user_agent: 'node',
          inserted_at: new Date(now - 1000).toISOString(),
          last_used_at: new Date(now - 1000).toISOString(),
          expires_at: new Date(now + 43_199_000).toISOString(),
        },
      ],
    },
  ])
})

test('D-15 logout ends this session at once, and no other', async () => {
  const user = await someUser(plaza)
  const second = await anotherLogin(user)
  expect(outcome(await user.api.call(logout))).toEqual([200, { message: 'You are signed out.' }])
  expect(outcome(await user.api.call(me))).toEqual(refused('invalid_token'))
  expect(await statusOf(second)).toBe(200)
  expect((await user.api.call(logout)).status).toBe(401)
})

test('D-15 one session of several can be ended; a stranger’s or an ended one is 404', async () => {
  const [user, stranger] = [await someUser(plaza), await someUser(plaza)]
  const second = await anotherLogin(user)
  const id = (await sessionsOf(second)).find(({ current }) => current)?.id ?? ''
  const end = async (api: PlazaClient, session: string) =>
    outcome(await api.call(endLoginSession, { params: { id: session } }))
  expect(await end(stranger.api, id)).toEqual(refused('not_found'))
  expect(await statusOf(second)).toBe(200)
  expect(await end(user.api, id)).toEqual([200, { message: 'The session is over.' }])
  expect(await statusOf(second)).toBe(401)
  expect(await end(user.api, id)).toEqual(refused('not_found'))
})

test('D-15 all other sessions can be ended together', async () => {
  const user = await someUser(plaza)
  const others = [await anotherLogin(user), await anotherLogin(user)]
  const reply = await user.api.call(endOtherLoginSessions)
  expect(outcome(reply)).toEqual([200, { message: 'All your other sessions are over.' }])
  expect(await Promise.all(others.map(statusOf))).toEqual([401, 401])
  expect((await sessionsOf(user.api)).map(({ current }) => current)).toEqual([true])
})

test('D-15 a password change ends every session, answers with the token of a new one, and voids pending codes', async () => {
  const [user, app] = [await someUser(plaza), await someApp(plaza, { scopes: ['points:read'] })]
  const second = await anotherLogin(user)
  const tokens = await someTokens(plaza, app, user)
  const code = await someCode(app, user)
  const reply = await user.api.call(changePassword, {
    body: { current_password: user.password, new_password: 'a new password' },
  })
  expect(outcome(reply)).toEqual([
    200,
    { message: 'Your password is changed, and you are signed out everywhere else.', token: expect.any(String) },
  ])
  expect(await Promise.all([user.api, second].map(statusOf))).toEqual([401, 401])
  const api = anonymous.withToken(reply.ok ? reply.body.token : '')
  expect((await sessionsOf(api)).length).toBe(1)
  const redeemed = await anonymous.call(token, { body: codeRequest(app, code) })
  expect([redeemed.status, !redeemed.ok && redeemed.body.error]).toEqual([400, 'invalid_grant'])
  expect((await tokens.api.call(getPoints)).status).toBe(200)
  expect((await signIn(user)).status).toBe(401)
  expect((await signIn({ ...user, password: 'a new password' })).status).toBe(200)
})

test('D-15 a password change with the wrong password: 403, and nothing changes', async () => {
  const user = await someUser(plaza)
  const body = { current_password: 'not the password', new_password: 'a new password' }
  expect(outcome(await user.api.call(changePassword, { body }))).toEqual(refused('wrong_password'))
  expect(await statusOf(user.api)).toBe(200)
  expect((await signIn(user)).status).toBe(200)
})

test('D-15 a reset code mailed before a password change is void after it', async () => {
  const user = await someUser(plaza)
  await anonymous.result(forgotPassword, { body: { email: user.email } })
  const code = /plz_pw_[\w-]{43}/.exec(await plaza.mailTo(user.email, 0, 'plz_pw_'))?.[0] ?? ''
  await user.api.result(changePassword, { body: { current_password: user.password, new_password: 'a new password' } })
  const reply = await anonymous.call(resetPassword, { body: { code, new_password: 'taken over again' } })
  expect(outcome(reply)).toEqual(refused('invalid_code'))
})

test('D-15 no login with the old password that races with the change leaves a session behind', async () => {
  const user = await someUser(plaza)
  // Any number of the logins may win.
  const old = [user.api]
  await race(plaza, 16, async (at) => {
    if (at === 8) {
      const body = { current_password: user.password, new_password: 'a new password' }
      return void (await user.api.call(changePassword, { body }))
    }
    const reply = await signIn(user)
    if (reply.ok) old.push(anonymous.withToken(reply.body.token))
  })
  expect(new Set(await Promise.all(old.map(statusOf)))).toEqual(new Set([401]))
})

test('D-15 of parallel password changes from one password, one wins and the others are refused', async () => {
  const user = await someUser(plaza)
  const replies = await race(plaza, 4, (at) =>
    user.api.call(changePassword, { body: { current_password: user.password, new_password: `new password ${at}` } }),
  )
  const winners = replies.flatMap(({ ok }, at) => (ok ? [at] : []))
  expect(winners.length).toBe(1)
  expect((await signIn({ ...user, password: `new password ${winners[0]}` })).status).toBe(200)
  const winner = replies[winners[0] ?? 0]
  expect(winner?.ok && (await statusOf(anonymous.withToken(winner.body.token)))).toBe(200)
})

test('D-40 a suspended account: 403 after the right password only, and its sessions end immediately', async () => {
  const user = await someUser(plaza)
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: user.id }, body: { suspended: true } })
  expect(outcome(await user.api.call(me))).toEqual(refused('invalid_token'))
  expect(outcome(await signIn(user))).toEqual(refused('account_suspended'))
  expect(outcome(await signIn({ ...user, password: 'not the password' }))).toEqual(refused('invalid_credentials'))
  await admin.api.result(updateUser, { params: { id: user.id }, body: { suspended: false } })
  expect(await statusOf(user.api)).toBe(401)
  expect((await signIn(user)).status).toBe(200)
})
