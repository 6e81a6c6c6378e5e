import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { disableTotp, enableTotp, login, me, setupTotp } from '../../contract/accounts.ts'
import { countBy, race, startTestService, test_secret } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, someUser, type SomeUser } from '../test/world.ts'

/** Its own service: a test seals values under another key. */
const plaza = await startTestService()
const anonymous = new PlazaClient(plaza.url)

interface Guarded extends SomeUser {
  secret: string
  recovery_codes: string[]
}

/** The code of the time step that is `steps` after the current one. */
const codeOf = ({ secret }: { secret: string }, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(plaza.clock.now().getTime() / 1000) + 30 * steps })
/** Six digits that are wrong for every step near now. */
function wrongCode(user: { secret: string }, salt = 0) {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(user, steps))
  for (let guess = salt * 10; ; guess++) {
    const code = String(guess % 1_000_000).padStart(6, '0')
    if (!near.includes(code)) return code
  }
}
const nextStep = () => plaza.clock.advance(30)

/** A user with two-factor authentication who has not used a code of the present step. */
async function guardedUser(): Promise<Guarded> {
  const user = await someUser(plaza)
  const { secret } = await user.api.result(setupTotp)
  const { recovery_codes } = await user.api.result(enableTotp, { body: { code: codeOf({ secret }) } })
  nextStep()
  nextStep()
  return { ...user, secret, recovery_codes }
}
const signIn = ({ email, password }: SomeUser, totp_code?: string) =>
  anonymous.call(login, { body: { email, password, ...(totp_code !== undefined && { totp_code }) } })
const signInStatus = async (user: SomeUser, totp_code?: string) => (await signIn(user, totp_code)).status
const totpEnabled = async (user: SomeUser) => (await user.api.result(me)).user.totp_enabled

test('spec TOTPSetupResponse: a secret and an otpauth URI that an authenticator app reads', async () => {
  const user = await someUser(plaza)
  const reply = await user.api.call(setupTotp)
  expect(outcome(reply)).toEqual([200, { secret: expect.stringMatching(/^[A-Z2-7]{32,}$/), uri: expect.any(String) }])
  const { secret, uri } = reply.ok ? reply.body : { secret: '', uri: '' }
  const url = new URL(uri)
  expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
    'otpauth:',
    'totp',
    `/Plaza:${user.email}`,
  ])
  expect([url.searchParams.get('secret'), url.searchParams.get('issuer')]).toEqual([secret, 'Plaza'])
})

test('spec TOTPEnableResponse: a first code puts it on and brings 10 recovery codes', async () => {
  const user = await someUser(plaza)
  const { secret } = await user.api.result(setupTotp)
  const reply = await user.api.call(enableTotp, { body: { code: codeOf({ secret }) } })
  expect(outcome(reply)).toEqual([200, { message: expect.any(String), recovery_codes: expect.any(Array) }])
  const codes = reply.ok ? reply.body.recovery_codes : []
  expect(new Set(codes.map((code) => /^[a-z2-9]{5}-[a-z2-9]{5}$/.test(code)))).toEqual(new Set([true]))
  expect(new Set(codes).size).toBe(10)
  expect(await totpEnabled(user)).toBe(true)
})

test('D-14 a set-up that was not finished does not gate login', async () => {
  const user = await someUser(plaza)
  await user.api.result(setupTotp)
  const reply = await signIn(user)
  expect([reply.status, reply.ok && reply.body.user.totp_enabled]).toEqual([200, false])
})

test('D-14 enable without a set-up, with a wrong code, or a second time is refused and changes nothing', async () => {
  const user = await someUser(plaza)
  const enable = async (code: string) => outcome(await user.api.call(enableTotp, { body: { code } }))
  expect(await enable('123456')).toEqual(refused('totp_not_set_up'))
  const { secret } = await user.api.result(setupTotp)
  expect(await enable(wrongCode({ secret }))).toEqual(refused('invalid_code'))
  expect(await totpEnabled(user)).toBe(false)
  await enable(codeOf({ secret }))
  nextStep()
  expect(await enable(codeOf({ secret }))).toEqual(refused('totp_already_enabled'))
  expect(outcome(await user.api.call(setupTotp))).toEqual(refused('totp_already_enabled'))
  expect(await signInStatus(user, codeOf({ secret }))).toBe(200)
})

test('D-14 a second set-up replaces the first until one is enabled', async () => {
  const user = await someUser(plaza)
  const [first, second] = [await user.api.result(setupTotp), await user.api.result(setupTotp)]
  const enable = async (secret: string) =>
    (await user.api.call(enableTotp, { body: { code: codeOf({ secret }) } })).status
  expect(await enable(first.secret)).toBe(422)
  expect(await enable(second.secret)).toBe(200)
})

test('D-14 the right password without a code: 401 totp_required, and no token of any kind', async () => {
  const user = await guardedUser()
  const { email, password } = user
  for (const more of [{}, { totp_code: undefined }]) {
    const reply = await raw(plaza, 'POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password, ...more }),
    })
    expect(outcome(reply)).toEqual(refused('totp_required'))
    expect([reply.headers.get('set-cookie'), reply.headers.get('authorization')]).toEqual([null, null])
  }
  const [row] = await plaza.db.sql<{ sessions: number }>`
    select count(*) as sessions from login_sessions where user_id = ${user.id}`
  expect(row?.sessions).toBe(1)
})

test('D-14 a wrong code: 401 invalid_totp_code', async () => {
  const user = await guardedUser()
  for (const code of [wrongCode(user), '12345', '1234567', 'abcdef', '１２３４５６'])
    expect([code, ...outcome(await signIn(user, code))]).toEqual([code, ...refused('invalid_totp_code')])
})

test('D-14 one step of drift each way is accepted, two are not', async () => {
  for (const [steps, status] of [
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ] as const) {
    const user = await guardedUser()
    expect([steps, await signInStatus(user, codeOf(user, steps))]).toEqual([steps, status])
  }
})

test.each(['authenticator app', 'list of recovery codes'])(
  'D-14 a race of one code of the %s: one login',
  async (source) => {
    const user = await guardedUser()
    const code = source === 'authenticator app' ? codeOf(user) : user.recovery_codes[0]
    const replies = await race(plaza, 4, () => signIn(user, code))
    expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 401: 3 })
  },
)

test('D-14 a code is accepted once, also the one that enabled it; those before it are not', async () => {
  const user = await someUser(plaza)
  const { secret } = await user.api.result(setupTotp)
  await user.api.result(enableTotp, { body: { code: codeOf({ secret }) } })
  expect(outcome(await signIn(user, codeOf({ secret })))).toEqual(refused('invalid_totp_code'))
  nextStep()
  const before = codeOf({ secret })
  nextStep()
  const code = codeOf({ secret })
  expect(await signInStatus(user, code)).toBe(200)
  expect(outcome(await signIn(user, before))).toEqual(refused('invalid_totp_code'))
  expect(outcome(await signIn(user, code))).toEqual(refused('invalid_totp_code'))
  nextStep()
  expect(outcome(await signIn(user, code))).toEqual(refused('invalid_totp_code'))
})

test('D-121: of 50 parallel wrong codes of an authenticator app 10 are checked; then even the right one is refused until the window ends', async () => {
  const user = await guardedUser()
  const replies = await race(plaza, 50, (at) => signIn(user, wrongCode(user, at)))
  expect(countBy(replies, (reply) => `${reply.status} ${!reply.ok && reply.body.error}`)).toEqual({
    '401 invalid_totp_code': 10,
    '429 rate_limited': 40,
  })
  const locked = await signIn(user, codeOf(user))
  expect(outcome(locked)).toEqual(refused('totp_locked'))
  expect(locked.headers.get('retry-after')).toBe('900')
  plaza.clock.advance(899)
  const late = await signIn(user, codeOf(user))
  expect([late.status, late.headers.get('retry-after')]).toEqual([429, '1'])
  plaza.clock.advance(1)
  expect(await signInStatus(user, codeOf(user))).toBe(200)
})

test('D-121: the counter is the account’s, whatever process or code kind; recovery codes count to the same 10', async () => {
  const other = await plaza.startAnother()
  const user = await guardedUser()
  const { email, password } = user
  for (let tries = 0; tries < 10; tries++)
    await new PlazaClient(tries % 2 === 0 ? plaza.url : other.url).call(login, {
      body: { email, password, totp_code: tries < 3 ? wrongCode(user) : 'aaaaa-bbbbb' },
    })
  expect(outcome(await signIn(user, user.recovery_codes[0]))).toEqual(refused('totp_locked'))
})

test('D-14 wrong passwords consume no attempts, so strangers cannot lock the account', async () => {
  const user = await guardedUser()
  for (let tries = 0; tries < 9; tries++) {
    const reply = await signIn(
      { ...user, password: 'not the password' },
      tries % 2 === 0 ? wrongCode(user) : codeOf(user),
    )
    expect(outcome(reply)).toEqual(refused('invalid_credentials'))
  }
  expect(await signInStatus(user, codeOf(user))).toBe(200)
})

test('D-121: a successful login resets no count: the password of somebody else and a code of the owner open no more tries', async () => {
  const user = await guardedUser()
  for (const wrong_tries of [6, 4]) {
    for (let tries = 0; tries < wrong_tries; tries++) expect(await signInStatus(user, wrongCode(user))).toBe(401)
    if (wrong_tries === 6) expect(await signInStatus(user, codeOf(user))).toBe(200)
    nextStep()
  }
  expect(outcome(await signIn(user, codeOf(user)))).toEqual(refused('totp_locked'))
})

test('D-14 each recovery code works once, in any spelling, in place of a code', async () => {
  const user = await guardedUser()
  const [first = '', second = ''] = user.recovery_codes
  expect(await signInStatus(user, first)).toBe(200)
  expect(outcome(await signIn(user, first))).toEqual(refused('invalid_totp_code'))
  expect(await signInStatus(user, ` ${second.replace('-', ' ').toUpperCase()} `)).toBe(200)
})

test('D-14 recovery codes and secrets outlive a change of SECRET_KEYS, as long as the old one is retained', async () => {
  const user = await guardedUser()
  const keys = 'another-secret-of-the-tests-long-enough-for-the-rule'
  const rotated = new PlazaClient((await plaza.startAnother({ SECRET_KEYS: `${keys},${test_secret}` })).url)
  const { email, password } = user
  const signInThere = async (totp_code: string) =>
    (await rotated.call(login, { body: { email, password, totp_code } })).status
  const [first = ''] = user.recovery_codes
  expect([await signInThere(first), await signInThere(first), await signInThere(codeOf(user))]).toEqual([200, 401, 200])
})

test('D-14 secrets and recovery codes are in no table and no log line in clear', async () => {
  const user = await guardedUser()
  const rows = await plaza.db.sql<{ user_row: string }>`
    select encode(totp_secret, 'escape') || ' ' || u::text as user_row from users u where id = ${user.id}`
  const codes = await plaza.db.sql<{ code_hash: Buffer }>`
    select code_hash from recovery_codes where user_id = ${user.id}`
  expect(codes.map(({ code_hash }) => code_hash.length)).toEqual(Array(10).fill(32))
  const text = JSON.stringify(rows) + plaza.logged()
  for (const secret of [user.secret, ...user.recovery_codes]) expect(text).not.toContain(secret)
})

test('D-15 disable: password and code, then login needs the password alone and old recovery codes are void', async () => {
  const user = await guardedUser()
  const disable = async (password: string, totp_code: string) =>
    outcome(await user.api.call(disableTotp, { body: { password, totp_code } }))
  expect(await disable('not the password', codeOf(user))).toEqual(refused('wrong_password'))
  expect(await disable(user.password, wrongCode(user))).toEqual(refused('invalid_code'))
  expect(await totpEnabled(user)).toBe(true)
  expect(await disable(user.password, codeOf(user))).toEqual([200, { message: 'Two-factor authentication is off.' }])
  expect(await disable(user.password, codeOf(user))).toEqual(refused('totp_not_enabled'))
  expect(await signInStatus(user)).toBe(200)
  nextStep()
  const { secret } = await user.api.result(setupTotp)
  await user.api.result(enableTotp, { body: { code: codeOf({ secret }) } })
  for (const old of user.recovery_codes.slice(0, 2))
    expect(outcome(await signIn(user, old))).toEqual(refused('invalid_totp_code'))
})
