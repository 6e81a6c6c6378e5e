import { expect, test } from 'vitest'
import { login, logout, me, renewSession } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { decisions } from '../../contract/decisions.ts'
import { race, startTestService } from '../test/harness.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const plaza = await startTestService()
const { idle_seconds, max_seconds, admin_max_seconds, overlap_seconds } = decisions.kept_sessions

const refused = { status: 401, body: { error: 'invalid_token' } }

/** Signs in from a page of the console, or as a program. */
async function signIn({ email, password }: SomeUser, site: string | undefined = 'same-origin') {
  const headers = { 'content-type': 'application/json', ...(site && { 'sec-fetch-site': site }) }
  const body = JSON.stringify({ email, password })
  const response = await fetch(`${plaza.url}${login.path}`, { method: 'POST', headers, body })
  const { token } = (await response.json()) as { token: string }
  const set = response.headers.get('set-cookie')
  return { token, set, cookie: set?.split(';')[0] }
}

async function renewWith(token: string, cookie: string | undefined) {
  const headers = { authorization: `Bearer ${token}`, ...(cookie && { cookie }) }
  const response = await fetch(`${plaza.url}${renewSession.path}`, { method: 'POST', headers })
  return { status: response.status, body: (await response.json()) as { token: string; error?: string } }
}

const statusOf = async (token: string) => (await new PlazaClient(plaza.url, token).call(me)).status

test('D-166: only the console gets the cookie, which no script reads, and no other site sends', async () => {
  const user = await someUser(plaza)
  const { set } = await signIn(user)
  expect(set).toMatch(/^__Host-plaza_session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
  for (const site of ['', 'cross-site', 'same-site', 'none']) expect((await signIn(user, site)).set).toBeNull()
})

test('D-166: the JWT before ends 30 s after a renewal, and tabs that renew at once both go on', async () => {
  const { token, cookie } = await signIn(await someUser(plaza))
  const renewed = await Promise.all(Array.from({ length: 4 }, () => renewWith(token, cookie)))
  expect(renewed.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const tokens = renewed.map(({ body }) => body.token)
  for (const each of [token, ...tokens]) expect(await statusOf(each)).toBe(200)
  plaza.clock.advance(overlap_seconds)
  expect(await statusOf(token)).toBe(401)
  for (const each of tokens) expect(await statusOf(each)).toBe(200)
  const [other] = [await plaza.startAnother({ ROLES: 'api' })]
  const next = (await renewWith(tokens[0]!, cookie)).body.token
  expect((await new PlazaClient(other.url, next).call(me)).status).toBe(200)
})

test('D-166: the JWT alone, a cookie of another session and an ended session renew nothing', async () => {
  const user = await someUser(plaza)
  const [one, two, program] = [await signIn(user), await signIn(user), await signIn(user, '')]
  const other = await signIn(await someUser(plaza))
  const rows = () =>
    plaza.db.sql`select renewals, expires_at from login_sessions where user_id = ${user.id} order by id`
  const before = await rows()
  for (const [token, cookie] of [
    [one.token, undefined],
    [one.token, two.cookie],
    [one.token, other.cookie],
    [one.token, '__Host-plaza_session='],
    [program.token, one.cookie],
  ] as const)
    expect(await renewWith(token, cookie)).toMatchObject(refused)
  expect(await rows()).toEqual(before)
  // The holder of an old JWT cannot use up the owner's calls.
  for (const { status } of await race(plaza, 80, () => renewWith(one.token, undefined))) expect(status).toBe(401)
  expect((await renewWith(two.token, two.cookie)).status).toBe(200)
  await new PlazaClient(plaza.url, one.token).result(logout)
  expect(await renewWith(one.token, one.cookie)).toMatchObject(refused)
  await plaza.db.sql`update users set suspended_at = now() where id = ${user.id}`
  expect(await renewWith(two.token, two.cookie)).toMatchObject(refused)
})

test('D-166: it lasts 30 days without use, also past the life of a JWT, and at most 180 days', async () => {
  const first = await signIn(await someUser(plaza))
  let { token } = first
  const again = await signIn(await someUser(plaza))
  plaza.clock.advance(idle_seconds - 1)
  expect(await statusOf(token)).toBe(401)
  for (let days = 30; days < max_seconds / 86_400; days += 29) {
    const { status, body } = await renewWith(token, first.cookie)
    expect([days, status]).toEqual([days, 200])
    token = body.token
    expect(await statusOf(token)).toBe(200)
    plaza.clock.advance(29 * 86_400)
  }
  expect(await renewWith(token, first.cookie)).toMatchObject(refused)
  expect(await renewWith(again.token, again.cookie)).toMatchObject(refused)
})

test('D-166: a session of an admin, also of one who became it, ends 12 hours after the sign-in', async () => {
  const user = await someUser(plaza)
  const before = await signIn(user)
  await plaza.db.sql`update users set is_admin = true where id = ${user.id}`
  const after = await signIn(user)
  plaza.clock.advance(admin_max_seconds - 60)
  expect((await renewWith(after.token, after.cookie)).status).toBe(200)
  plaza.clock.advance(60)
  for (const { token, cookie } of [before, after]) expect(await renewWith(token, cookie)).toMatchObject(refused)
})
