import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { changeUsername } from '../../contract/account-upkeep.ts'
import { changePassword, login, register } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { openPasswords } from '../platform/passwords.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { someUser } from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const composed = 'Geh\u00e4lter f\u00fcr \u00c5ngstr\u00f6m \ud55c\uae00'
const decomposed = composed.normalize('NFD')
const status = async (email: string, password: string) =>
  (await anonymous.call(login, { body: { email, password } })).status

test.each([
  ['composed', composed, decomposed],
  ['decomposed', decomposed, composed],
])('F9: a password that was registered %s signs in and proves in both forms', async (form, typed, other) => {
  expect(typed).not.toBe(other)
  const email = `${form}@people.test`
  await anonymous.result(register, { body: { email, password: typed, username: `name-${form}` } })
  expect([await status(email, typed), await status(email, other), await status(email, `${other}x`)]).toEqual([
    200, 200, 401,
  ])
  const { token } = await anonymous.result(login, { body: { email, password: other } })
  const api = anonymous.withToken(token)
  await api.result(changeUsername, { body: { username: `new-${form}`, password: other } })
  const body = { current_password: other, new_password: `${typed} 2` }
  await api.result(changePassword, { body })
  expect([await status(email, `${other} 2`), await status(email, typed)]).toEqual([200, 401])
})

test('F9: the hash of 0.2 of a decomposed password, made as it was sent, signs in as it was sent', async () => {
  const user = await someUser(plaza)
  await plaza.db.sql`update users set password_hash = ${await hash(decomposed, cost)} where id = ${user.id}`
  expect(await status(user.email, decomposed)).toBe(200)
  const wrong = await anonymous.call(login, { body: { email: user.email, password: `${decomposed}!` } })
  expect(outcome(wrong)).toEqual(refused('invalid_credentials'))
})

test('F9: compatibility forms are other passwords, and no account has one without a hash', async () => {
  const passwords = openPasswords(cost)
  const stored = await passwords.hash('\ufb01ne')
  expect(await passwords.matches(stored, 'fine')).toBe(false)
  expect(await passwords.matches(undefined, decomposed)).toBe(false)
  expect(await passwords.matches(await passwords.hash(decomposed), composed)).toBe(true)
})

test('the line of a sign-in has person and network address; that of a refused one the address', async () => {
  const user = await someUser(plaza)
  const from = plaza.logged().length
  expect([await status(user.email, user.password), await status(user.email, 'not the password')]).toEqual([200, 401])
  const lines = () =>
    plaza
      .logged()
      .slice(from)
      .split('\n')
      .filter((line) => line.includes('"route":"/api/auth/login"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  await expect.poll(() => lines().length).toBe(2)
  expect(lines()).toMatchObject([
    { status: 200, user_id: user.id, address: '127.0.0.1' },
    { status: 401, address: '127.0.0.1', refusal: { code: 'invalid_credentials' } },
  ])
  expect(plaza.logged().slice(from)).not.toContain(user.email)
})
