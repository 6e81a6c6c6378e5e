import { expect, test } from 'vitest'
import {
  changeEmail,
  confirmEmail,
  getEmailChange,
  renewRecoveryCodes,
  undoChange,
} from '../../contract/account-upkeep.ts'
import { enableTotp, forgotPassword, login, resetPassword, setLanguage, setupTotp } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import {
  listPasskeys,
  passkeyLogin,
  passkeyLoginOptions,
  passkeyRegistrationOptions,
  registerPasskey,
  setPasskeySecondFactor,
} from '../../contract/passkeys.ts'
import { softAuthenticator, type SoftPasskey } from '../test/authenticator.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const origin = 'https://plaza.test'
const plaza = await sharedService({ PUBLIC_URL: origin, ...long_sign_ins })
const anonymous = new PlazaClient(plaza.url)
const authenticator = softAuthenticator(origin)
const new_password = 'a password that is new'
const days = (number: number) => number * 86_400

async function addPasskey({ api, password }: SomeUser, name: string, proof: object = { password }) {
  const { options } = await api.result(passkeyRegistrationOptions, { body: proof })
  const { passkey, answer } = authenticator.create(options)
  await api.result(registerPasskey, { body: { name, response: answer } })
  return passkey
}
async function signInWith(passkey: SoftPasskey) {
  const { options } = await anonymous.result(passkeyLoginOptions)
  return outcome(await anonymous.call(passkeyLogin, { body: { response: authenticator.get(passkey, options) } }))
}
const signIn = async ({ email }: SomeUser, password: string, totp_code?: string) =>
  outcome(await anonymous.call(login, { body: { email, password, ...(totp_code !== undefined && { totp_code }) } }))
const signedIn = [200, { token: expect.any(String), user: expect.anything() }]
async function resetByMail({ email }: SomeUser) {
  await anonymous.result(forgotPassword, { body: { email } })
  const code = /plz_pw_[\w-]{43}/.exec(await plaza.mailTo(email, 0, 'plz_pw_'))?.[0] ?? 'no code'
  await anonymous.result(resetPassword, { body: { code, new_password } })
}
const resetMail = ({ email }: SomeUser) => plaza.mailTo(email, 0, 'your password was reset')
const undoIn = (mail: string) => /plz_undo_[\w-]{43}/.exec(mail)?.[0] ?? 'no code'
const undo = async (body: { code: string; new_password?: string }) =>
  outcome(await anonymous.call(undoChange, { body }))

test('D-122: a reset by mail ends a thief’s passkey, authenticator app and recovery codes, and lists the owner’s older passkey', async () => {
  const user = await someUser(plaza)
  const own = await addPasskey(user, 'Key in the drawer')
  plaza.clock.advance(days(7) + 1)
  const stolen = await addPasskey(user, 'Phone of the thief')
  const { secret, recovery_codes } = await enableTwoFactor(plaza, user)
  await resetByMail(user)
  expect(await signInWith(stolen)).toEqual(refused('invalid_passkey'))
  for (const totp_code of [undefined, totpCode(plaza.clock, secret), recovery_codes[0]])
    expect(await signIn(user, new_password, totp_code)).toEqual(signedIn)
  expect(await signInWith(own)).toEqual(signedIn)
  const mail = await resetMail(user)
  expect(mail).toMatch(/These are older and stay:\r\n\r\n- Key in the drawer \(\d{4}-\d\d-\d\d\)\r\n\r\nRemove/)
  expect(mail).not.toContain('thief')
})

test('D-122: an authenticator app with its codes stays after a week, to the second; codes that were renewed since end', async () => {
  const [older, renewed] = [await someUser(plaza), await someUser(plaza)]
  const [app, other] = [await enableTwoFactor(plaza, older), await enableTwoFactor(plaza, renewed)]
  plaza.clock.advance(days(7))
  const within = await someUser(plaza)
  await enableTwoFactor(plaza, within)
  const proof = { password: renewed.password, totp_code: totpCode(plaza.clock, other.secret) }
  const { recovery_codes } = await renewed.api.result(renewRecoveryCodes, { body: proof })
  plaza.clock.advance(1)
  for (const user of [older, renewed]) await resetByMail(user)
  expect(await signIn(older, new_password)).toEqual(refused('totp_required'))
  expect(await signIn(older, new_password, app.recovery_codes[0])).toEqual(signedIn)
  expect(await resetMail(older)).toMatch(/- the authenticator app\r\n- 10 recovery codes\r\n/)
  expect(await signIn(renewed, new_password, recovery_codes[0])).toEqual(refused('invalid_totp_code'))
  plaza.clock.advance(60)
  expect(await signIn(renewed, new_password, totpCode(plaza.clock, other.secret))).toEqual(signedIn)
  plaza.clock.advance(days(7) - 61)
  await resetByMail(within)
  expect(await signIn(within, new_password)).toEqual(signedIn)
  expect(await resetMail(within)).toContain('No passkey and no authenticator app is left.')
})

test('D-122: codes that a thief gets by a second factor by passkey end as well, beside an older authenticator app', async () => {
  const user = await someUser(plaza)
  const { secret } = await enableTwoFactor(plaza, user)
  await plaza.db.sql`update recovery_codes set used_at = now() where user_id = ${user.id}`
  plaza.clock.advance(days(8))
  const proof = () => {
    plaza.clock.advance(60)
    return { password: user.password, totp_code: totpCode(plaza.clock, secret) }
  }
  await addPasskey(user, 'Thief', proof())
  const on = await user.api.result(setPasskeySecondFactor, { body: { enabled: true, ...proof() } })
  expect(on.recovery_codes).toHaveLength(10)
  await resetByMail(user)
  expect(await signIn(user, new_password, on.recovery_codes![0])).toEqual(refused('invalid_totp_code'))
  expect(await signIn(user, new_password, proof().totp_code)).toEqual(signedIn)
})

test('D-122: unfinished set-ups of a thief end with the reset: a passkey, a set-up, a change of address', async () => {
  const user = await someUser(plaza)
  const { password } = user
  await user.api.result(passkeyRegistrationOptions, { body: { password } })
  await user.api.result(setupTotp)
  await user.api.result(changeEmail, { body: { email: `thief-${user.email}`, password } })
  await resetByMail(user)
  const again = await anonymous.result(login, { body: { email: user.email, password: new_password } })
  const api = anonymous.withToken(again.token)
  expect(await api.result(getEmailChange)).toEqual({ new_email: null, expires_at: null })
  expect(outcome(await api.call(enableTotp, { body: { code: '123456' } }))).toEqual(refused('totp_not_set_up'))
  expect(await plaza.db.sql`select from passkey_challenges where user_id = ${user.id}`).toEqual([])
})

test('D-122: after a reset through the owner’s address, a thief’s address can undo nothing', async () => {
  const user = await someUser(plaza)
  const move = async (email: string, from: string) => {
    plaza.clock.advance(1)
    await user.api.result(changeEmail, { body: { email, password: user.password } })
    const code = /address is (\d{6})/.exec(await plaza.mailTo(email, 0, 'address is'))?.[1] ?? ''
    await user.api.result(confirmEmail, { body: { code } })
    return undoIn(await plaza.mailTo(from, 0, 'another e-mail address'))
  }
  const thief_email = `thief-of-${user.email}`
  const owners_code = await move(thief_email, user.email)
  // The owner, still signed in, changes the address back instead of using the code.
  const thiefs_code = await move(user.email, thief_email)
  await resetByMail(user)
  expect(await undo({ code: thiefs_code, new_password: 'of the thief' })).toEqual(refused('invalid_code'))
  expect(await signIn(user, new_password)).toEqual(signedIn)
  expect((await undo({ code: owners_code, new_password: 'again the owner’s' }))[0]).toBe(200)
})

test('D-122: the mail about a passkey takes it back, with all that came after it; without a new password the old one stays', async () => {
  const user = await someUser(plaza)
  const { secret } = await enableTwoFactor(plaza, user)
  plaza.clock.advance(60)
  const proof = { password: user.password, totp_code: totpCode(plaza.clock, secret) }
  const stolen = await addPasskey(user, 'Phone of the thief', proof)
  const mail = await plaza.mailTo(user.email, 0, 'was added to your account')
  expect(mail).toContain('the passkey "Phone of the thief" was added to your account')
  expect(await undo({ code: undoIn(mail) })).toEqual([
    200,
    {
      message: 'Your account is as it was before the change, and everybody is signed out. Sign in with your password.',
    },
  ])
  expect(await signInWith(stolen)).toEqual(refused('invalid_passkey'))
  expect((await user.api.call(listPasskeys)).status).toBe(401)
  // The sign-in requires the password and the older second factor.
  expect(await signIn(user, user.password)).toEqual(refused('totp_required'))
  plaza.clock.advance(60)
  expect(await signIn(user, user.password, totpCode(plaza.clock, secret))).toEqual(signedIn)
  expect(await undo({ code: undoIn(mail), new_password })).toEqual(refused('invalid_code'))
})

test('D-122: the mails are in the language of the person, and the code is in no log line and no table', async () => {
  const user = await someUser(plaza)
  await user.api.result(setLanguage, { body: { language: 'de' } })
  await addPasskey(user, 'Handy')
  const mail = await plaza.mailTo(user.email, 0, 'plz_undo_')
  expect(mail).toContain('der Passkey „Handy“ wurde deinem Konto hinzugefügt')
  const code = undoIn(mail)
  const rows = await plaza.db.sql<{
    row: string
  }>`select u::text as row from account_undos u where user_id = ${user.id}`
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows) + plaza.logged()).not.toContain(code)
  await resetByMail(user)
  expect(await plaza.mailTo(user.email, 0, 'zurückgesetzt')).toContain('Kein Passkey und keine Authenticator-App')
})
