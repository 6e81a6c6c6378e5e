import { expect, test } from 'vitest'
import { changePassword, forgotPassword, resetPassword } from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import { authorize, listConnectedApps, token } from '../../contract/oauth.ts'
import { PlazaClient } from '../../contract/client.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { authorizationQuery, pkce, codeRequest, someApp, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const app = await someApp(plaza)
const new_password = 'a brand new password'

/** Authorizes the app repeatedly while the work runs; returns how many of the codes can be redeemed afterwards. */
async function redeemableAfter(user: SomeUser, work: () => Promise<unknown>) {
  const issued: { code: string; code_verifier: string }[] = []
  let under_way = true
  let begun = () => {}
  const first = new Promise<void>((done) => (begun = done))
  const authorizing = Array.from({ length: 8 }, async () => {
    while (under_way) {
      const { code_verifier, code_challenge } = pkce()
      const reply = await user.api.call(authorize, { query: authorizationQuery(app, code_challenge) })
      if (!reply.ok) return
      issued.push({ code: reply.body.code, code_verifier })
      begun()
    }
  })
  await first
  await work()
  under_way = false
  await Promise.all(authorizing)
  const redeemed = await Promise.all(issued.map((code) => anonymous.call(token, { body: codeRequest(app, code) })))
  return redeemed.filter(({ ok }) => ok).length
}

const ends: Record<string, (user: SomeUser) => Promise<() => Promise<unknown>>> = {
  'a password reset': async (user) => {
    await anonymous.result(forgotPassword, { body: { email: user.email } })
    const [code = ''] = /plz_pw_[\w-]+/.exec(await plaza.mailTo(user.email, 0, 'plz_pw_')) ?? []
    return () => anonymous.result(resetPassword, { body: { code, new_password } })
  },
  'a password change': async (user) => () =>
    user.api.result(changePassword, { body: { current_password: user.password, new_password } }),
  'a suspension and its end': async ({ id }) => {
    const { api } = await theAdmin(plaza)
    const suspend = (suspended: boolean) => api.result(updateUser, { params: { id }, body: { suspended } })
    return async () => {
      await suspend(true)
      await suspend(false)
    }
  },
}

test.each(Object.entries(ends))(
  'D-15, D-40: of the codes that are issued during %s none is good after it',
  async (_, prepare) => {
    for (let round = 0; round < 3; round++) {
      const user = await someUser(plaza)
      expect(await redeemableAfter(user, await prepare(user))).toBe(0)
    }
  },
)

test('D-15: a session that ends during authorize gets no code and no connection', async () => {
  const user = await someUser(plaza)
  let asked: Promise<Awaited<ReturnType<typeof user.api.call>>> | undefined
  await plaza.db.transaction(async (tx) => {
    await tx.sql`update users set password_hash = '-' where id = ${user.id}`
    asked = user.api.call(authorize, { query: authorizationQuery(app, pkce().code_challenge) })
    await expect
      .poll(async () => (await plaza.db.sql`select 1 from pg_locks where not granted`).length)
      .toBeGreaterThan(0)
    await tx.sql`update login_sessions set ended_at = ${plaza.clock.now()} where user_id = ${user.id}`
  })
  expect(outcome((await asked)!)).toEqual(refused('invalid_token'))
  expect(await plaza.db.sql`select 1 from authorization_codes where user_id = ${user.id}`).toEqual([])
  expect(await plaza.db.sql`select 1 from connections where user_id = ${user.id}`).toEqual([])
})

test('a code is issued for every call of a batch whose session is in force, whatever becomes of its neighbours', async () => {
  const users = await Promise.all(Array.from({ length: 12 }, () => someUser(plaza)))
  const ended = users.filter((_, at) => at % 3 === 0).map(({ id }) => id)
  const replies = await plaza.db.transaction(async (tx) => {
    await tx.sql`select 1 from users where id = ${users[0]?.id ?? ''} for update`
    const asked = users.map(({ api }) => api.call(authorize, { query: authorizationQuery(app, pkce().code_challenge) }))
    await expect
      .poll(async () => (await plaza.db.sql`select 1 from pg_locks where not granted`).length)
      .toBeGreaterThan(0)
    await tx.sql`update login_sessions set ended_at = ${plaza.clock.now()} where user_id = any(${ended}::uuid[])`
    return { asked }
  })
  const statuses = (await Promise.all(replies.asked)).map(({ status }) => status)
  expect(statuses[0]).toBe(401)
  for (const [at, user] of users.entries()) {
    const connected = statuses[at] === 200 ? (await user.api.result(listConnectedApps)).connected_apps.length : 0
    expect([at, connected]).toEqual([at, statuses[at] === 200 ? 1 : 0])
    if (at % 3 !== 0) expect([at, statuses[at]]).toEqual([at, 200])
  }
})
