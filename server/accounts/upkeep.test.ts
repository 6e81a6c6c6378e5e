import { expect, test } from 'vitest'
import {
  cancelEmailChange,
  changeEmail,
  changeUsername,
  confirmEmail,
  getEmailChange,
  renewRecoveryCodes,
  undoChange,
} from '../../contract/account-upkeep.ts'
import {
  changePassword,
  disableTotp,
  forgotPassword,
  login,
  me,
  register,
  resetPassword,
  sendVerification,
  verifyEmail,
} from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import type { FailureCode } from '../../contract/errors.ts'
import { getExternalUser } from '../../contract/external.ts'
import { race, sharedService } from '../test/harness.ts'
import { invalid, outcome, refused, required } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { raw, someApp, someTokens, someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService(long_sign_ins)
const anonymous = new PlazaClient(plaza.url)
const new_password = 'a password that is new'
let addresses = 0
const newAddress = () => `moved-${++addresses}@people.test`

const wantEmail = (user: SomeUser, email: string, more: object = {}) =>
  user.api.call(changeEmail, { body: { email, password: user.password, ...more } })
const digitsIn = (mail: string) => /code for your new address is (\d{6})/.exec(mail)?.[1] ?? 'no code'
const undoIn = (mail: string) => /plz_undo_[\w-]{43}/.exec(mail)?.[0] ?? 'no code'
const confirm = async (user: SomeUser, code: string) => outcome(await user.api.call(confirmEmail, { body: { code } }))
const undo = async (code: string, password = new_password) =>
  outcome(await anonymous.call(undoChange, { body: { code, new_password: password } }))
const profileOf = async ({ api }: SomeUser) => (await api.result(me)).user
const signIn = (email: string, password: string) => anonymous.call(login, { body: { email, password } })
const signInStatus = async (email: string, password: string) => (await signIn(email, password)).status
const confirmed = [200, { message: 'Your address is changed, and verified.' }]
const undone = [
  200,
  {
    message:
      'Your account is as it was before the change, and everybody is signed out. Sign in with your new password.',
  },
]
const renamed = [200, { message: 'Your name is changed.' }]

/** Moves the account to an address; returns the mail to the old one. */
async function move(user: SomeUser, email: string, from = user.email, more: object = {}) {
  await wantEmail(user, email, more)
  expect(await confirm(user, digitsIn(await plaza.mailTo(email)))).toEqual(confirmed)
  return plaza.mailTo(from)
}

test('D-107: a new address counts once the code mailed to it comes back; the old one gets a mail', async () => {
  const user = await someUser(plaza)
  const email = newAddress()
  expect(outcome(await wantEmail(user, email))).toEqual([
    200,
    { message: 'A code is on its way to the new address. Until it comes back, your address stays.' },
  ])
  expect((await profileOf(user)).email).toBe(user.email)
  expect(await user.api.result(getEmailChange)).toEqual({ new_email: email, expires_at: expect.any(String) })
  const code = digitsIn(await plaza.mailTo(email))
  expect(await confirm(user, code)).toEqual(confirmed)
  expect(await profileOf(user)).toMatchObject({ email, email_verified: true })
  expect(await user.api.result(getEmailChange)).toEqual({ new_email: null, expires_at: null })
  expect([await signInStatus(user.email, user.password), await signInStatus(email, user.password)]).toEqual([401, 200])
  expect(await plaza.mailTo(user.email)).toMatch(/another e-mail address since[\s\S]*\/undo-change#code=plz_undo_/)
  expect(await confirm(user, code)).toEqual(refused('invalid_code'))
})

test('D-107: each change refuses a stolen session: no, a wrong password, no second factor, a wrong one; nothing is written', async () => {
  const user = await someUser(plaza)
  const other = await someUser(plaza)
  const { secret } = await enableTwoFactor(plaza, user)
  const before = await profileOf(user)
  const attempts = async (proof: object) => [
    outcome(await user.api.call(changeEmail, { body: { email: newAddress(), ...proof } })),
    outcome(await user.api.call(changeUsername, { body: { username: `${other.username}-x`, ...proof } })),
    outcome(await user.api.call(renewRecoveryCodes, { body: proof })),
  ]
  const allRefused = (code: FailureCode) => [refused(code), refused(code), refused(code)]
  const { password } = user
  const missing = invalid('password', required)
  expect(await attempts({})).toEqual([missing, missing, missing])
  expect(await attempts({ password: 'not the password' })).toEqual(allRefused('wrong_password'))
  expect(await attempts({ password })).toEqual(allRefused('second_factor_missing'))
  plaza.clock.advance(60)
  const wrong = totpCode(plaza.clock, secret) === '000000' ? '111111' : '000000'
  expect(await attempts({ password, totp_code: wrong })).toEqual(allRefused('invalid_code'))
  expect(await profileOf(user)).toEqual(before)
  expect(await user.api.result(getEmailChange)).toEqual({ new_email: null, expires_at: null })
})

test('D-107: the eleventh wrong password is 429 for every change, and so is the right one then', async () => {
  const user = await someUser(plaza)
  const guesses = await race(plaza, 10, () =>
    user.api.call(changeUsername, { body: { username: 'guessed', password: 'a guess of many' } }),
  )
  expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([403]))
  expect(outcome(await wantEmail(user, newAddress()))).toEqual(refused('too_many_failures'))
  expect(
    outcome(await user.api.call(changePassword, { body: { current_password: user.password, new_password } })),
  ).toEqual(refused('too_many_failures'))
  plaza.clock.advance(901)
  expect((await wantEmail(user, newAddress())).status).toBe(200)
})

test('D-107: of forty parallel guesses the answers beyond the limit are the same for the right password', async () => {
  const user = await someUser(plaza)
  const answers = await race(plaza, 40, async (at) => {
    const password = at === 17 ? user.password : `guess number ${at}`
    return outcome(await user.api.call(changeUsername, { body: { username: `${user.username}-g`, password } }))
  })
  const [right] = answers.splice(17, 1)
  const of = (status: number) => answers.filter((answer) => answer[0] === status)
  expect(of(403)).toEqual(Array.from({ length: 10 }, () => refused('wrong_password')))
  expect(of(429)).toEqual(Array.from({ length: 29 }, () => refused('too_many_failures')))
  if (right![0] !== 200) expect(right).toEqual(refused('too_many_failures'))
})

test('D-107: beyond three hundred wrong passwords of a day none is checked, also after the window of ten', async () => {
  const user = await someUser(plaza)
  const guess = (password: string) =>
    user.api.call(changeUsername, { body: { username: `${user.username}-d`, password } })
  await guess('the first guess of the day')
  await plaza.db.sql`update rate_limits set count = 299 where key = ${`proof failures of a day ${user.id}`}`
  plaza.clock.advance(901)
  expect(outcome(await guess('the last guess of the day'))).toEqual(refused('wrong_password'))
  expect(outcome(await guess('one guess too many'))).toEqual(refused('too_many_failures'))
  plaza.clock.advance(901)
  expect(outcome(await guess(user.password))).toEqual(refused('too_many_failures'))
})

test('D-107: the answer does not tell whether an address is taken; its owner is, and no code confirms it', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  const free = outcome(await wantEmail(user, newAddress()))
  expect(outcome(await wantEmail(user, other.email.toUpperCase()))).toEqual(free)
  expect(await plaza.mailTo(other.email)).toContain('There is an account with it already')
  expect(await confirm(user, '000000')).toEqual(refused('invalid_code'))
  expect(outcome(await wantEmail(user, user.email))).toEqual(invalid('email', 'is your address already'))
})

test('D-107: five wrong codes void a change, as do a cancellation and a new request; codes expire', async () => {
  const user = await someUser(plaza)
  const [first, second] = [newAddress(), newAddress()]
  await wantEmail(user, first)
  const first_code = digitsIn(await plaza.mailTo(first))
  const wrong = first_code === '123456' ? '654321' : '123456'
  for (let at = 0; at < 5; at++) expect(await confirm(user, wrong)).toEqual(refused('invalid_code'))
  expect(await confirm(user, first_code)).toEqual(refused('invalid_code'))
  await wantEmail(user, second)
  const second_code = digitsIn(await plaza.mailTo(second))
  expect((await user.api.call(cancelEmailChange)).status).toBe(200)
  expect(await confirm(user, second_code)).toEqual(refused('invalid_code'))
  await wantEmail(user, first)
  const late_code = digitsIn(await plaza.mailTo(first, 1))
  plaza.clock.advance(901)
  expect(await confirm(user, late_code)).toEqual(refused('invalid_code'))
  expect((await profileOf(user)).email).toBe(user.email)
})

test('D-107: of many accounts that change to one address, one gets it; a registration may get it too', async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => someUser(plaza)))
  const email = newAddress()
  const codes: string[] = []
  for (const [at, user] of users.entries()) {
    await wantEmail(user, email)
    codes.push(digitsIn(await plaza.mailTo(email, at)))
  }
  const answers = await race(plaza, 6, async (at) =>
    at < 5
      ? confirm(users[at]!, codes[at]!)
      : outcome(await anonymous.call(register, { body: { email, password: new_password, username: 'racer-of-107' } })),
  )
  expect(answers.filter(([status]) => status < 300)).toHaveLength(1)
  for (const answer of answers.filter(([status]) => status >= 300)) expect(answer).toEqual(refused('email_taken'))
  const rows = await plaza.db.sql`select id from users where lower(email) = ${email}`
  expect(rows).toHaveLength(1)
})

test('D-107: codes mailed to the old address are void: verification and reset', async () => {
  const user = await someUser(plaza, { verified: false })
  await user.api.result(sendVerification)
  const verification = /code is (\d{6})/.exec(await plaza.mailTo(user.email))?.[1] ?? ''
  await anonymous.call(forgotPassword, { body: { email: user.email } })
  const reset = /plz_pw_[\w-]{43}/.exec(await plaza.mailTo(user.email, 0, 'plz_pw_'))?.[0] ?? ''
  const email = newAddress()
  await wantEmail(user, email)
  expect(await confirm(user, digitsIn(await plaza.mailTo(email)))).toEqual(confirmed)
  expect(outcome(await user.api.call(verifyEmail, { body: { code: verification } }))).toEqual(
    refused('already_verified'),
  )
  expect(outcome(await anonymous.call(resetPassword, { body: { code: reset, new_password } }))).toEqual(
    refused('invalid_code'),
  )
  // The old address was never verified, so it may be anybody's: it gets no mail that could take the account over.
  const undos = await plaza.db.sql`select id from account_undos where user_id = ${user.id}`
  expect(undos).toEqual([])
})

test('D-107: the old address takes a takeover back, once: address, name, password, second factor, sessions, connections', async () => {
  const user = await someUser(plaza)
  const app = await someApp(plaza)
  const tokens = await someTokens(plaza, app, user)
  const code = undoIn(await move(user, newAddress()))
  plaza.clock.advance(3_600)
  // A thief with the password changes everything: name, another address, second factor, password.
  await user.api.result(changeUsername, { body: { username: `stolen-${user.username}`, password: user.password } })
  const second_address = newAddress()
  const { secret } = await enableTwoFactor(plaza, user)
  plaza.clock.advance(60)
  await move(user, second_address, (await profileOf(user)).email, { totp_code: totpCode(plaza.clock, secret) })
  const { token } = await user.api.result(changePassword, {
    body: { current_password: user.password, new_password: 'of the thief' },
  })
  const thief = anonymous.withToken(token)

  expect(await undo(code)).toEqual(undone)
  expect((await thief.call(me)).status).toBe(401)
  expect((await tokens.api.call(getExternalUser)).status).toBe(401)
  expect([await signInStatus(second_address, 'of the thief'), await signInStatus(user.email, user.password)]).toEqual([
    401, 401,
  ])
  const session = await anonymous.result(login, { body: { email: user.email, password: new_password } })
  expect(session.user).toMatchObject({
    id: user.id,
    username: user.username,
    totp_enabled: false,
    email_verified: true,
  })
  expect(await undo(code)).toEqual(refused('invalid_code'))
  const undos = await plaza.db.sql`select id from account_undos where user_id = ${user.id}`
  expect(undos).toEqual([])
})

test('D-107: of parallel undos one wins', async () => {
  const user = await someUser(plaza)
  const code = undoIn(await move(user, newAddress()))
  const answers = await race(plaza, 8, (at) => undo(code, `password of caller ${at}`))
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  expect(answers.filter(([status]) => status !== 200)).toEqual(Array(7).fill(refused('invalid_code')))
})

test('D-107: an undo keeps a second factor from before the change, and ends after 7 days', async () => {
  const user = await someUser(plaza)
  const { secret } = await enableTwoFactor(plaza, user)
  plaza.clock.advance(60)
  await wantEmail(user, newAddress(), { totp_code: totpCode(plaza.clock, secret) })
  const moved = newAddress()
  plaza.clock.advance(60)
  await move(user, moved, user.email, { totp_code: totpCode(plaza.clock, secret) })
  const mail = await plaza.mailTo(user.email, 0, 'another e-mail address')
  expect(await undo(undoIn(mail))).toEqual(undone)
  expect(outcome(await signIn(user.email, new_password))).toEqual(refused('totp_required'))

  const late = await someUser(plaza)
  const code = undoIn(await move(late, newAddress()))
  plaza.clock.advance(7 * 86_400 + 1)
  expect(await undo(code)).toEqual(refused('invalid_code'))
})

test('D-107: nobody else takes an address while it can be restored', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  await move(user, newAddress())
  const body = { email: user.email, password: new_password, username: 'takes-the-old-one' }
  expect(outcome(await anonymous.call(register, { body }))).toEqual(refused('email_taken'))
  await wantEmail(other, user.email)
  expect(await plaza.mailTo(user.email, 0, 'There is an account with it already')).toContain(user.email)
  plaza.clock.advance(7 * 86_400 + 1)
  expect((await anonymous.call(register, { body })).status).toBe(201)
})

test('D-107: a stolen session that turns a second factor on is undone by the mail about it', async () => {
  const user = await someUser(plaza)
  await enableTwoFactor(plaza, user)
  const mail = await plaza.mailTo(user.email)
  expect(mail).toContain('takes a second factor since')
  expect(await undo(undoIn(mail))).toEqual(undone)
  expect(await signInStatus(user.email, new_password)).toBe(200)
})

test('D-107: an old name stays reserved for its holder for 30 days', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  const rename = async (person: SomeUser, username: string) =>
    outcome(await person.api.call(changeUsername, { body: { username, password: person.password } }))
  expect(await rename(user, other.username.toUpperCase())).toEqual(refused('username_taken'))
  expect(await rename(user, 'x')).toMatchObject([422, { error: 'validation_failed' }])
  const next = `${user.username}-2`
  expect(await rename(user, next)).toEqual(renamed)
  expect((await profileOf(user)).username).toBe(next)
  expect(await rename(other, user.username)).toEqual(refused('username_taken'))
  const body = { email: newAddress(), password: new_password, username: user.username.toUpperCase() }
  expect(outcome(await anonymous.call(register, { body }))).toEqual(refused('username_taken'))
  // After the change back, only the name in between is reserved.
  expect(await rename(user, user.username)).toEqual(renamed)
  expect(await rename(other, next)).toEqual(refused('username_taken'))
  plaza.clock.advance(30 * 86_400 + 1)
  const { token } = await anonymous.result(login, { body: { email: other.email, password: other.password } })
  expect(await rename({ ...other, api: anonymous.withToken(token) }, next)).toEqual(renamed)
  expect(await plaza.mailTo(user.email)).toContain('this is your name since')
  const stored = await plaza.db.sql`select name_hash from reserved_usernames where user_id = ${other.id}`
  expect(stored).toHaveLength(1)
})

test('D-107: a person gives up at most three names in 30 days', async () => {
  const user = await someUser(plaza)
  const rename = async (username: string) =>
    outcome(await user.api.call(changeUsername, { body: { username, password: user.password } }))
  for (const at of [1, 2, 3]) expect(await rename(`${user.username}-${at}`)).toEqual(renamed)
  expect(await rename(`${user.username}-4`)).toEqual(refused('too_many_names'))
  expect((await profileOf(user)).username).toBe(`${user.username}-3`)
  expect(await rename(`${user.username}-1`)).toEqual(renamed)
})

test('D-107: of many who take one name in parallel, one gets it; nobody gets a name that is being given up', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => someUser(plaza)))
  const answers = await race(plaza, 6, async (at) =>
    outcome(
      await people[at]!.api.call(changeUsername, {
        body: { username: 'wanted-by-six', password: people[at]!.password },
      }),
    ),
  )
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  expect(answers.filter(([status]) => status !== 200)).toEqual(Array(5).fill(refused('username_taken')))

  const [giver] = people
  const { username } = await profileOf(giver!)
  const taken = await race(plaza, 6, async (at) =>
    at === 0
      ? outcome(
          await giver!.api.call(changeUsername, { body: { username: 'given-up-107', password: giver!.password } }),
        )
      : outcome(
          await anonymous.call(register, {
            body: { email: newAddress(), password: new_password, username },
          }),
        ),
  )
  expect(taken[0]).toEqual(renamed)
  expect(taken.slice(1)).toEqual(Array(5).fill(refused('username_taken')))
})

test('D-107: new recovery codes void those from before', async () => {
  const user = await someUser(plaza)
  expect(outcome(await user.api.call(renewRecoveryCodes, { body: { password: user.password } }))).toEqual(
    refused('totp_not_enabled'),
  )
  const { secret, recovery_codes } = await enableTwoFactor(plaza, user)
  plaza.clock.advance(60)
  const { password, email } = user
  const renewed = await user.api.result(renewRecoveryCodes, {
    body: { password, totp_code: totpCode(plaza.clock, secret) },
  })
  expect(new Set(renewed.recovery_codes).size).toBe(10)
  const signInWith = async (totp_code: string) =>
    (await anonymous.call(login, { body: { email, password, totp_code } })).status
  expect([await signInWith(recovery_codes[0]!), await signInWith(renewed.recovery_codes[0]!)]).toEqual([401, 200])
  expect(await plaza.mailTo(email, 0, 'new recovery codes were made')).toContain(user.username)
})

test('D-107: owners are mailed of a changed password, a second factor turned off, and a sign-in from a new place', async () => {
  const user = await someUser(plaza)
  const behind_proxy = await plaza.startAnother({ TRUSTED_PROXIES: '127.0.0.1' })
  const from = (address: string, agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0') =>
    raw(behind_proxy, 'POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, 'user-agent': agent },
      body: JSON.stringify({ email: user.email, password: user.password }),
    })
  expect((await from('203.0.113.7')).status).toBe(200)
  expect(await plaza.mailTo(user.email)).toContain('from the network address 203.0.113.7, with Firefox on Linux.')
  // The same network address, its neighbourhood, and a client that injects text into our mails.
  await from('203.0.113.7')
  await from('203.0.113.99')
  await from('198.51.100.1', 'Call https://evil.test now')
  const third = await plaza.mailTo(user.email, 1)
  expect(third).toContain('198.51.100.1, with an unknown program.')
  expect(third).not.toContain('evil.test')

  const { secret } = await enableTwoFactor(plaza, user)
  plaza.clock.advance(60)
  await user.api.result(disableTotp, { body: { password: user.password, totp_code: totpCode(plaza.clock, secret) } })
  expect(await plaza.mailTo(user.email, 0, 'takes no second factor any more')).toContain(user.username)
  await user.api.result(changePassword, { body: { current_password: user.password, new_password } })
  expect(await plaza.mailTo(user.email, 0, 'your password was changed')).toContain(user.username)
})

test('D-107: no code of these mails is in the log or the database', async () => {
  const user = await someUser(plaza)
  const email = newAddress()
  await wantEmail(user, email)
  const code = digitsIn(await plaza.mailTo(email))
  await confirm(user, code)
  const undo_code = undoIn(await plaza.mailTo(user.email))
  const [stored] = await plaza.db.sql<{ text: string }>`
    select (select coalesce(string_agg(e::text, ' '), '') from email_changes e) ||
           (select coalesce(string_agg(u::text, ' '), '') from account_undos u) ||
           (select coalesce(string_agg(j::text, ' '), '') from graphile_worker._private_jobs j) as text`
  expect(stored!.text).not.toContain(undo_code)
  expect(plaza.logged()).not.toContain(undo_code)
  expect(plaza.logged()).not.toContain(new_password)
})
