import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { forgotPassword, login, me, resetPassword, verifyEmail } from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import { getExternalUser } from '../../contract/external.ts'
import { listConnectedApps, refreshSession, token, verifyToken } from '../../contract/oauth.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { invalid_grant, outcome, refused } from '../test/refusals.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { codeRequest, refreshRequest, someApp, someCode, someTokens, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const new_password = 'a password that is new'

const forgot = (email: string) => anonymous.call(forgotPassword, { body: { email } })
const reset = async (code: string, password = new_password) =>
  outcome(await anonymous.call(resetPassword, { body: { code, new_password: password } }))
const reset_done = [200, { message: 'Your new password is set. Sign in with it.' }]
const signIn = async (email: string, password: string, totp_code?: string) =>
  anonymous.call(login, { body: { email, password, ...(totp_code !== undefined && { totp_code }) } })
const signInStatus = async (email: string, password: string) => (await signIn(email, password)).status
/** Requests a reset and reads its code from the mail; `after` such mails arrived before it. */
async function resetCode(email: string, after = 0) {
  await forgot(email)
  return /plz_pw_[\w-]{43}/.exec(await plaza.mailTo(email, after, 'plz_pw_'))?.[0] ?? 'no code in the mail'
}

test('D-15 the mailed code sets a new password, once', async () => {
  const user = await someUser(plaza)
  const code = await resetCode(user.email)
  expect(await reset(code)).toEqual(reset_done)
  expect(await signInStatus(user.email, user.password)).toBe(401)
  expect(await signInStatus(user.email, new_password)).toBe(200)
  expect(await reset(code, 'yet another password')).toEqual(refused('invalid_code'))
  expect(await signInStatus(user.email, new_password)).toBe(200)
})

test('D-15 forgot gives the same response for a known, an unknown, a suspended and a malformed address', async () => {
  const [user, suspended] = [await someUser(plaza), await someUser(plaza)]
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: suspended.id }, body: { suspended: true } })
  const known = await forgot(user.email)
  expect(outcome(known)).toEqual([
    200,
    { message: 'If an account has this address, a mail with a code is on its way to it.' },
  ])
  for (const email of ['nobody@people.test', suspended.email, 'not an address'])
    expect(outcome(await forgot(email))).toEqual(outcome(known))
})

test('D-15 the mail goes to the address as it was registered, whatever case was typed', async () => {
  const user = await someUser(plaza)
  await forgot(user.email.toUpperCase())
  expect(await plaza.mailTo(user.email)).toMatch(/plz_pw_[\w-]{43}/)
})

test('D-15 for an unknown or a suspended address no code is made, and its job is done', async () => {
  const suspended = await someUser(plaza)
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: suspended.id }, body: { suspended: true } })
  const emails = ['nobody@people.test', suspended.email]
  for (const email of emails) await forgot(email)
  const jobs = () =>
    plaza.db.sql`select id from graphile_worker._private_jobs where payload ->> 'email' = any(${emails})`
  await expect.poll(jobs).toEqual([])
  expect(await plaza.db.sql`select user_id from reset_codes where user_id = ${suspended.id}`).toEqual([])
})

test('D-15 a code mailed before a suspension does not let the account in', async () => {
  const user = await someUser(plaza)
  const code = await resetCode(user.email)
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: user.id }, body: { suspended: true } })
  await reset(code)
  expect(outcome(await signIn(user.email, new_password))).toEqual(refused('account_suspended'))
})

test('D-15 a code is valid for 15 minutes and not a second longer', async () => {
  const [punctual, late] = [await someUser(plaza), await someUser(plaza)]
  const [early_code, late_code] = [await resetCode(punctual.email), await resetCode(late.email)]
  plaza.clock.advance(899)
  expect(await reset(early_code)).toEqual(reset_done)
  plaza.clock.advance(1)
  expect(await reset(late_code)).toEqual(refused('invalid_code'))
  expect(await signInStatus(late.email, late.password)).toBe(200)
})

test('D-91: a new code does not void a valid one; the first that is used voids the others', async () => {
  const { email } = await someUser(plaza)
  const old = await resetCode(email)
  const newer = await resetCode(email, 1)
  const newest = await resetCode(email, 2)
  expect(await reset(newer)).toEqual(reset_done)
  for (const code of [old, newer, newest]) expect(await reset(code, 'yet another')).toEqual(refused('invalid_code'))
  expect(await signInStatus(email, new_password)).toBe(200)
})

test('D-91: of two codes of one account used in parallel, one sets the password', async () => {
  const { email } = await someUser(plaza)
  const codes = [await resetCode(email), await resetCode(email, 1)]
  const replies = await race(plaza, 10, (at) => reset(codes[at % 2] ?? '', `${new_password} ${at}`))
  expect(countBy(replies, ([status]) => status)).toEqual({ 200: 1, 422: 9 })
})

test('D-91: an account gets 5 codes an hour, from any client; an unknown account gets the same refusals', async () => {
  const { email } = await someUser(plaza)
  const other = await plaza.startAnother()
  for (const address of [email, 'nobody@nowhere.test']) {
    const replies = await race(plaza, 8, (at) =>
      new PlazaClient(at % 2 === 0 ? plaza.url : other.url).call(forgotPassword, {
        body: { email: at % 3 === 0 ? address.toUpperCase() : address },
      }),
    )
    expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 5, 429: 3 })
    const late = await forgot(address)
    expect(outcome(late)).toEqual(refused('too_many_resets'))
    expect(late.headers.get('retry-after')).toBe('3600')
  }
  await plaza.mailTo(email, 4)
  expect(
    await plaza.db.sql`select 1 from reset_codes c join users u on u.id = c.user_id where u.email = ${email}`,
  ).toHaveLength(5)
  plaza.clock.advance(3_600)
  expect((await forgot(email)).status).toBe(200)
})

test('D-13 an invalid new password: 422, and the code stays valid', async () => {
  const { email } = await someUser(plaza)
  const code = await resetCode(email)
  for (const bad of ['short', 'x'.repeat(1025)]) {
    const [status, body] = await reset(code, bad)
    expect([status, body]).toMatchObject([422, { fields: [{ path: 'new_password' }] }])
  }
  expect(await reset(code)).toEqual(reset_done)
})

test('D-20 the code is stored as a hash only, and is in no log line', async () => {
  const user = await someUser(plaza)
  const code = await resetCode(user.email)
  const [row] = await plaza.db.sql<{ code_hash: Buffer }>`select code_hash from reset_codes where user_id = ${user.id}`
  expect(row?.code_hash.length).toBe(32)
  await reset(code)
  expect(plaza.logged()).not.toContain(code)
})

test('D-14, D-122: a reset does not get around a second factor that a verified account has for more than a week', async () => {
  const user = await someUser(plaza)
  const { secret } = await enableTwoFactor(plaza, user)
  await plaza.db.sql`update account_changes set changed_at = changed_at - interval '8 days' where user_id = ${user.id}`
  await reset(await resetCode(user.email))
  expect(outcome(await signIn(user.email, new_password))).toEqual(refused('totp_required'))
  plaza.clock.advance(30)
  expect((await signIn(user.email, new_password, totpCode(plaza.clock, secret))).status).toBe(200)
})

test('D-15: a reset of a verified account ends its sessions, tokens and pending codes too', async () => {
  const [user, app] = [await someUser(plaza), await someApp(plaza)]
  const tokens = await someTokens(plaza, app, user)
  const pending = await someCode(app, user)
  await reset(await resetCode(user.email))
  expect([(await user.api.call(me)).status, (await tokens.api.call(getExternalUser)).status]).toEqual([401, 401])
  expect(outcome(await anonymous.call(token, { body: codeRequest(app, pending) }))).toEqual(invalid_grant)
})

test('a reset by the owner of an address ends all access of the person who registered it', async () => {
  const attacker = await someUser(plaza, { verified: false })
  const app = await someApp(plaza)
  const tokens = await someTokens(plaza, app, attacker)
  const pending = await someCode(app, attacker)
  const { secret, recovery_codes } = await enableTwoFactor(plaza, attacker)
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)

  expect(await reset(await resetCode(attacker.email))).toEqual(reset_done)

  const owner = await signIn(attacker.email, new_password)
  expect([owner.status, owner.ok && owner.body.user]).toMatchObject([
    200,
    { email_verified: true, totp_enabled: false },
  ])
  const owner_api = anonymous.withToken(owner.ok ? owner.body.token : '')
  expect(await owner_api.result(listConnectedApps)).toEqual({ connected_apps: [] })

  expect(outcome(await attacker.api.call(me))).toEqual(refused('invalid_token'))
  plaza.clock.advance(30)
  for (const proof of [undefined, totpCode(plaza.clock, secret), recovery_codes[0]])
    expect(outcome(await signIn(attacker.email, attacker.password, proof))).toEqual(refused('invalid_credentials'))
  expect((await tokens.api.call(getExternalUser)).status).toBe(401)
  const { access_token, refresh_token, session_token } = tokens
  expect(await anonymous.result(verifyToken, { body: { token: access_token } })).toEqual({
    active: false,
    reason: 'revoked',
  })
  for (const body of [codeRequest(app, pending), refreshRequest(app, refresh_token)]) {
    expect(outcome(await anonymous.call(token, { body }))).toEqual(invalid_grant)
  }
  expect((await anonymous.call(refreshSession, { body: { token: session_token } })).status).toBe(401)
})

test('D-11 a reset code does not verify an address, and texts that are no code reset nothing', async () => {
  const user = await someUser(plaza, { verified: false })
  const code = await resetCode(user.email)
  const digits = await user.api.call(verifyEmail, { body: { code: code.slice(0, 64) } })
  expect(outcome(digits)).toEqual(refused('invalid_code'))
  for (const bad of ['nonsense', code.slice(0, -1), code.toUpperCase()])
    expect(await reset(bad)).toEqual(refused('invalid_code'))
})
