import { expect, test } from 'vitest'
import { listLoginSessions, login, me, sendVerification, setLanguage, verifyEmail } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, someUser, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()

const unverified = () => someUser(plaza, { verified: false })
/** Requests a code and reads it from the mail; `after` mails arrived before it. */
async function mailedCode(user: SomeUser, after = 0) {
  await user.api.result(sendVerification)
  return /code is (\d{6})\r\n/.exec(await plaza.mailTo(user.email, after))?.[1] ?? 'no code in the mail'
}
const another = (code: string) => (code === '000000' ? '000001' : '000000')
const verify = async (user: SomeUser, code: string) => outcome(await user.api.call(verifyEmail, { body: { code } }))
const isVerified = async (user: SomeUser) => (await user.api.result(me)).user.email_verified
const verified = [200, { message: 'Your e-mail address is verified.' }]

test('spec send-verification and verify-email: the mailed code verifies the address', async () => {
  const user = await unverified()
  const sent = await user.api.call(sendVerification)
  expect(outcome(sent)).toEqual([200, { message: 'A verification code is on its way to your e-mail address.' }])
  const code = /code is (\d{6})\r\n/.exec(await plaza.mailTo(user.email))?.[1] ?? ''
  expect(await isVerified(user)).toBe(false)
  expect(await verify(user, code)).toEqual(verified)
  expect(await isVerified(user)).toBe(true)
})

test('D-11 the code is in no answer, no log line and no table in clear', async () => {
  const user = await unverified()
  const sent = await raw(plaza, 'POST', '/api/auth/send-verification', {
    headers: { authorization: `Bearer ${user.token}` },
  })
  const code = /code is (\d{6})\r\n/.exec(await plaza.mailTo(user.email))?.[1] ?? 'none'
  const jobs = await plaza.db.sql`select payload::text from graphile_worker._private_jobs`
  const stored = await plaza.db.sql`select encode(code_hash, 'escape') from mailed_codes where user_id = ${user.id}`
  for (const text of [sent.text, plaza.logged(), JSON.stringify(jobs), JSON.stringify(stored)])
    expect(text).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`))
})

test('D-11 a wrong code: 422 invalid_code, and the right one still works', async () => {
  const user = await unverified()
  const code = await mailedCode(user)
  expect(await verify(user, another(code))).toEqual(refused('invalid_code'))
  expect(await isVerified(user)).toBe(false)
  expect(await verify(user, code)).toEqual(verified)
})

test('D-11 after 5 wrong attempts even the right code is refused; a new one works', async () => {
  const user = await unverified()
  const code = await mailedCode(user)
  for (let tries = 0; tries < 5; tries++) expect(await verify(user, another(code))).toEqual(refused('invalid_code'))
  expect(await verify(user, code)).toEqual(refused('invalid_code'))
  expect(await verify(user, await mailedCode(user, 1))).toEqual(verified)
})

test('D-11, D-121: of 30 parallel wrong attempts 10 are compared, which consume 5; none is left for the right code', async () => {
  const user = await unverified()
  const code = await mailedCode(user)
  const replies = await race(plaza, 30, () => verify(user, another(code)))
  expect(countBy(replies, ([status]) => status)).toEqual({ 422: 10, 429: 20 })
  const [row] = await plaza.db.sql<{ tries_left: number }>`
    select tries_left from mailed_codes where user_id = ${user.id}`
  expect(row?.tries_left).toBe(0)
  expect(await verify(user, code)).toEqual(refused('too_many_codes'))
  plaza.clock.advance(900)
  expect(await verify(user, code)).toEqual(refused('invalid_code'))
})

test('D-11 a code is valid for 15 minutes and not a second longer', async () => {
  const [punctual, late] = [await unverified(), await unverified()]
  const [early_code, late_code] = [await mailedCode(punctual), await mailedCode(late)]
  plaza.clock.advance(899)
  expect(await verify(punctual, early_code)).toEqual(verified)
  plaza.clock.advance(1)
  expect(await verify(late, late_code)).toEqual(refused('invalid_code'))
})

test('D-11 a new code voids the old one', async () => {
  const user = await unverified()
  const old = await mailedCode(user)
  const newer = await mailedCode(user, 1)
  if (old !== newer) expect(await verify(user, old)).toEqual(refused('invalid_code'))
  expect(await verify(user, newer)).toEqual(verified)
})

test('D-11 the code of one account does not verify another', async () => {
  const [anna, berta] = [await unverified(), await unverified()]
  const [code, theirs] = [await mailedCode(anna), await mailedCode(berta)]
  if (code !== theirs) expect(await verify(berta, code)).toEqual(refused('invalid_code'))
  expect(await verify(anna, code)).toEqual(verified)
})

test('D-11 a code that nobody requested, and texts that are not codes: 422', async () => {
  const user = await unverified()
  for (const code of ['123456', 'abc', '１２３４５６', '9'.repeat(64)])
    expect(await verify(user, code)).toEqual(refused('invalid_code'))
})

test('D-11 verified already: 409 at both calls, and no mail', async () => {
  const user = await someUser(plaza)
  expect(outcome(await user.api.call(sendVerification))).toEqual(refused('already_verified'))
  expect(await verify(user, '123456')).toEqual(refused('already_verified'))
  const jobs = await plaza.db.sql`
    select id from graphile_worker._private_jobs where payload::text like ${`%${user.id}%`}`
  expect(jobs).toEqual([])
})

test('D-15 verifying ends the other login sessions of the account', async () => {
  const user = await unverified()
  const elsewhere = await raw(plaza, 'POST', '/api/auth/login', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: user.email, password: user.password }),
  })
  const { token } = elsewhere.body as { token: string }
  await verify(user, await mailedCode(user))
  expect((await user.api.withToken(token).call(me)).status).toBe(401)
  expect((await user.api.result(listLoginSessions)).sessions.map(({ current }) => current)).toEqual([true])
})

test('D-125: mails are in the language of the registration, then in the one that the person chooses, else in English', async () => {
  const person = { email: 'anna@plaza.example', username: 'anna-de', password: 'a long password' }
  const headers = { 'content-type': 'application/json', 'accept-language': 'fr-FR, de-AT;q=0.8, en;q=0.5' }
  const made = await raw(plaza, 'POST', '/api/auth/register', { headers, body: JSON.stringify(person) })
  expect([made.status, made.text.includes('language')]).toEqual([201, false])
  const anonymous = new PlazaClient(plaza.url)
  const { token } = await anonymous.result(login, { body: { email: person.email, password: person.password } })
  const anna = anonymous.withToken(token)
  await anna.result(sendVerification)
  expect(await plaza.mailTo(person.email)).toMatch(/Hallo anna-de,\r\n\r\ndein Bestätigungscode ist \d{6}\r\n/)
  await anna.result(setLanguage, { body: { language: 'en' } })
  await anna.result(sendVerification)
  expect(await plaza.mailTo(person.email, 1)).toMatch(/your verification code is \d{6}\r\n/)
  await anna.result(setLanguage, { body: { language: 'xx' } })
  await anna.result(sendVerification)
  expect(await plaza.mailTo(person.email, 2)).toMatch(/your verification code is \d{6}\r\n/)
  expect(outcome(await anna.call(setLanguage, { body: { language: 'Deutsch' } }))[0]).toBe(422)
})
