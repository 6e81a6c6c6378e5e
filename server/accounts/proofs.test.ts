import { expect, test } from 'vitest'
import { changePassword, disableTotp, endOtherLoginSessions, login, me, proveOwner } from '../../contract/accounts.ts'
import { changeEmail, changeUsername, renewRecoveryCodes } from '../../contract/account-upkeep.ts'
import { updateUser } from '../../contract/admin.ts'
import { deleteAccount, exportAccount } from '../../contract/leaving.ts'
import { passkeyRegistrationOptions } from '../../contract/passkeys.ts'
import { createSecret, listSecrets } from '../../contract/oauth-apps.ts'
import { PlazaClient } from '../../contract/client.ts'
import { decisions } from '../../contract/decisions.ts'
import { digestTables } from '../test/table-digests.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, outcome, refused, required } from '../test/refusals.ts'
import { proveUser, signedInAgain, someApp, someUser, theAdmin, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()
const { proved_seconds } = decisions.proofs
const later = (seconds: number = proved_seconds) => plaza.clock.advance(seconds)

/** A person who signed in more than five minutes ago. */
async function stalePerson() {
  const user = await someUser(plaza)
  later()
  return user
}
const endOthers = ({ api }: SomeUser, body: { password?: string } = {}) => api.call(endOtherLoginSessions, { body })

test('D-129: a proof lasts five minutes, for every call of its session that takes one', async () => {
  const user = await stalePerson()
  const at = plaza.clock.now().getTime()
  expect(await proveUser(user)).toEqual({ proved_until: new Date(at + proved_seconds * 1000).toISOString() })
  later(proved_seconds - 1)
  const renamed = await user.api.call(changeUsername, { body: { username: `${user.username}-p` } })
  expect(renamed.status).toBe(200)
  expect((await user.api.call(changeEmail, { body: { email: `${user.username}-p@people.test` } })).status).toBe(200)
  later(1)
  const body = { username: `${user.username}-q` }
  expect(outcome(await user.api.call(changeUsername, { body }))).toEqual(invalid('password', required))
  expect((await user.api.result(me)).user.username).toBe(`${user.username}-p`)
})

test('D-129: a proof is checked as any other, and does not prolong itself', async () => {
  const user = await stalePerson()
  const before = await digestTables(plaza)
  for (const body of [{}, { password: '' }, { totp_code: '123456' }])
    expect((await user.api.call(proveOwner, { body })).status).toBe(422)
  expect(await digestTables(plaza)).toEqual(before)
  expect(outcome(await user.api.call(proveOwner, { body: { password: 'wrong' } }))).toEqual(refused('wrong_password'))
  expect(outcome(await endOthers(user))).toEqual(refused('proof_required'))
  await proveUser(user)
  expect(outcome(await user.api.call(proveOwner, { body: {} }))).toEqual(invalid('password', required))
})

test('D-129: a proof is of one session, and ends with it and with the password', async () => {
  const user = await stalePerson()
  await proveUser(user)
  const other = await signedInAgain(plaza, user)
  later(proved_seconds - 1)
  await proveUser(user)
  later(1)
  expect(outcome(await endOthers(other))).toEqual(refused('proof_required'))
  const changed = await user.api.result(changePassword, { body: { new_password: 'another one of many words' } })
  const next = { ...user, api: user.api.withToken(changed.token) }
  expect((await user.api.call(me)).status).toBe(401)
  // The new session began with the replaced password: the old proof has left it nothing but its age.
  later()
  expect(outcome(await endOthers(next))).toEqual(refused('proof_required'))
})

test('D-129: calls that formerly needed no proof take a recent sign-in, a proof, or its fields; else 403 and nothing is written', async () => {
  const user = await someUser(plaza)
  const app = await someApp(plaza, { owner: user })
  const calls = {
    export: (api: PlazaClient) => api.call(exportAccount),
    end: (api: PlazaClient, body = {}) => api.call(endOtherLoginSessions, { body }),
    secret: (api: PlazaClient, body = {}) => api.call(createSecret, { params: { id: app.id }, body }),
  }
  for (const call of Object.values(calls)) expect((await call(user.api)).ok).toBe(true)
  later(proved_seconds - 1)
  for (const call of Object.values(calls)) expect((await call(user.api)).ok).toBe(true)
  later(1)
  const { secrets } = await user.api.result(listSecrets, { params: { id: app.id } })
  const before = await digestTables(plaza)
  for (const call of Object.values(calls)) expect(outcome(await call(user.api))).toEqual(refused('proof_required'))
  expect(await digestTables(plaza)).toEqual(before)
  for (const call of [calls.end, calls.secret]) {
    expect(outcome(await call(user.api, { password: 'wrong' }))).toEqual(refused('wrong_password'))
    expect((await call(user.api, { password: user.password })).ok).toBe(true)
  }
  expect((await user.api.result(listSecrets, { params: { id: app.id } })).secrets).toHaveLength(secrets.length + 1)
  await proveUser(user)
  for (const call of Object.values(calls)) expect((await call(user.api)).ok).toBe(true)
})

test('D-129: who is an admin is changed after a proof only; all else of a person without one', async () => {
  const [admin, user] = [await theAdmin(plaza), await someUser(plaza)]
  const stale = await signedInAgain(plaza, admin)
  later()
  const update = (body: object) => stale.api.call(updateUser, { params: { id: user.id }, body })
  for (const is_admin of [true, false]) expect(outcome(await update({ is_admin }))).toEqual(refused('proof_required'))
  expect((await update({ signup_multiplier: 2 })).status).toBe(200)
  await proveUser(stale)
  expect((await update({ is_admin: true })).body).toMatchObject({ is_admin: true })
  await update({ is_admin: false })
})

test('D-129: every other call that takes a proof goes without its fields after one', async () => {
  const user = await stalePerson()
  await proveUser(user)
  const { api } = user
  expect(outcome(await api.call(disableTotp, { body: {} }))).toEqual(refused('totp_not_enabled'))
  expect(outcome(await api.call(renewRecoveryCodes, { body: {} }))).toEqual(refused('totp_not_enabled'))
  expect([200, 409]).toContain((await api.call(passkeyRegistrationOptions, { body: {} })).status)
  expect((await api.call(deleteAccount, { body: {} })).status).toBe(200)
  const body = { email: user.email, password: user.password }
  expect((await new PlazaClient(plaza.url).call(login, { body })).status).toBe(401)
})
