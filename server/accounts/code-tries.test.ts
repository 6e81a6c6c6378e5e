import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { changeEmail, changeUsername, confirmEmail } from '../../contract/account-upkeep.ts'
import { login, me, sendVerification, setLanguage, verifyEmail } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService(long_sign_ins)
const anonymous = new PlazaClient(plaza.url)

const digitsIn = (mail: string) => /(?:code is|address is) (\d{6})/.exec(mail)?.[1] ?? 'no code'
/** The six digits at this distance after these. */
const after = (code: string, places: number) => String((Number(code) + places) % 1_000_000).padStart(6, '0')
const confirm = async ({ api }: SomeUser, code: string) => outcome(await api.call(confirmEmail, { body: { code } }))
const verify = async ({ api }: SomeUser, code: string) => outcome(await api.call(verifyEmail, { body: { code } }))
const statuses = (answers: (readonly unknown[])[]) => countBy(answers, ([status]) => String(status))

/** Requests a change to the address and returns the mailed code; `mails` arrived there before. */
async function want({ api, password }: SomeUser, email: string, mails = 0) {
  await api.result(changeEmail, { body: { email, password } })
  return digitsIn(await plaza.mailTo(email, mails))
}
async function newCode({ api, email }: SomeUser, mails = 0) {
  await api.result(sendVerification)
  return digitsIn(await plaza.mailTo(email, mails))
}

test('D-121: many accounts in two processes have ten tries at one address together; then the right code is refused too', async () => {
  const other = new PlazaClient((await plaza.startAnother()).url)
  const email = 'one-target@people.test'
  const guessers = await Promise.all(Array.from({ length: 8 }, () => someUser(plaza)))
  const codes: string[] = []
  // Two spellings of one address.
  const spellings = [email, 'ONE-TARGET@people.test']
  for (const [at, user] of guessers.entries()) codes.push(await want(user, spellings[at % 2]!, Math.floor(at / 2)))
  const answers = await race(plaza, 40, async (at) => {
    const user = guessers[at % 8]!
    const api = at < 20 ? user.api : other.withToken(user.token)
    return outcome(await api.call(confirmEmail, { body: { code: after(codes[at % 8]!, 1 + at) } }))
  })
  expect(statuses(answers)).toEqual({ 422: 10, 429: 30 })
  expect(answers.filter(([status]) => status === 429)).toEqual(Array(30).fill(refused('too_many_codes')))
  const owner = await someUser(plaza)
  const right = await want(owner, email, 4)
  const late = await owner.api.call(confirmEmail, { body: { code: right } })
  expect([outcome(late), late.headers.get('retry-after')]).toEqual([refused('too_many_codes'), '900'])
  expect((await owner.api.result(me)).user.email).toBe(owner.email)
  // Another address of the same person is another target.
  const second = await want(owner, 'second-target@people.test')
  expect((await confirm(owner, second))[0]).toBe(200)
})

test('D-121: one account has ten tries over all its codes, and the window ends', async () => {
  const user = await someUser(plaza, { verified: false })
  let code = await newCode(user)
  for (let tries = 0; tries < 5; tries++) expect(await verify(user, after(code, 1))).toEqual(refused('invalid_code'))
  const change = await want(user, `moved-${user.email}`)
  for (let tries = 0; tries < 5; tries++) expect(await confirm(user, after(change, 1))).toEqual(refused('invalid_code'))
  code = await newCode(user, 1)
  expect(await verify(user, code)).toEqual(refused('too_many_codes'))
  plaza.clock.advance(899)
  expect(await verify(user, code)).toEqual(refused('too_many_codes'))
  plaza.clock.advance(1)
  expect(await verify(user, await newCode(user, 2))).toEqual([200, expect.anything()])
})

test('D-121: a hundred tries a day at most, however they are spread; refused ones do not count', async () => {
  const user = await someUser(plaza, { verified: false })
  for (let window = 0; window < 10; window++) {
    const codes = [await newCode(user, 2 * window), await newCode(user, 2 * window + 1)]
    const answers = await race(plaza, 15, () => verify(user, after(codes[1]!, 7)))
    expect(statuses(answers)).toEqual({ 422: 10, 429: 5 })
    plaza.clock.advance(901)
  }
  const reply = await user.api.call(verifyEmail, { body: { code: await newCode(user, 20) } })
  expect(outcome(reply)).toEqual(refused('too_many_codes'))
  expect(Number(reply.headers.get('retry-after'))).toBe(86_400 - 10 * 901)
  plaza.clock.advance(86_400 - 10 * 901)
  expect((await verify(user, await newCode(user, 21)))[0]).toBe(200)
})

test('D-121: right codes are not counted', async () => {
  const user = await someUser(plaza)
  const { secret } = await enableTwoFactor(plaza, user)
  const { email, password } = user
  for (let times = 0; times < 12; times++) {
    plaza.clock.advance(30)
    const totp_code = totpCode(plaza.clock, secret)
    expect((await anonymous.call(login, { body: { email, password, totp_code } })).status).toBe(200)
  }
})

/** An authenticator code that is wrong for every step near now. */
function wrongCode(secret: string) {
  const now = Math.floor(plaza.clock.now().getTime() / 1000)
  const near = [-2, -1, 0, 1, 2].map((step) => generateSync({ secret, epoch: now + 30 * step }))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code))!
}

test('D-121: ten wrong second factors after a right password, at sign-ins and proofs, are mailed to the owner once', async () => {
  const user = await someUser(plaza)
  await user.api.result(setLanguage, { body: { language: 'de' } })
  const { secret } = await enableTwoFactor(plaza, user)
  const { email, password, username } = user
  const mails = () => plaza.db.sql`
    select payload from graphile_worker._private_jobs where payload ->> 'kind' = 'wrong_second_factors'`
  const signIn = () => anonymous.call(login, { body: { email, password, totp_code: wrongCode(secret) } })
  const rename = () =>
    user.api.call(changeUsername, { body: { username: `${username}-x`, password, totp_code: wrongCode(secret) } })
  await anonymous.call(login, { body: { email, password: 'a wrong password', totp_code: wrongCode(secret) } })
  for (let at = 0; at < 9; at++) await (at % 2 ? signIn() : rename())
  plaza.clock.advance(901)
  expect(await mails()).toEqual([])
  await race(plaza, 6, signIn)
  const mail = await plaza.mailTo(email, 0, '10 Mal')
  expect(mail).toContain('richtigen Passwort')
  plaza.clock.advance(901)
  await race(plaza, 10, signIn)
  await expect.poll(mails).toEqual([])
  expect(await plaza.mailTo(email, 0, '10 Mal')).toBe(mail)
  expect(plaza.logged()).not.toContain(secret)
})

test('D-121: tries at an address that is taken do not keep its owner from verifying it', async () => {
  const [owner, attacker] = [await someUser(plaza, { verified: false }), await someUser(plaza, { verified: false })]
  const code = await newCode(owner)
  await attacker.api.result(changeEmail, { body: { email: owner.email, password: attacker.password } })
  for (let tries = 0; tries < 10; tries++) expect(await confirm(attacker, '000000')).toEqual(refused('invalid_code'))
  expect(await confirm(attacker, '000000')).toEqual(refused('too_many_codes'))
  expect((await verify(owner, code))[0]).toBe(200)
})
