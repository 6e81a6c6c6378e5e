import { generateKeyPairSync } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { updateUser } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { changePassword, disableTotp, enableTotp, login, me, setupTotp } from '../../contract/accounts.ts'
import {
  changeEmail,
  changeUsername,
  confirmEmail,
  getEmailChange,
  renewRecoveryCodes,
  undoChange,
} from '../../contract/account-upkeep.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { authorize } from '../../contract/oauth.ts'
import {
  deletePasskey,
  listPasskeys,
  passkeyLogin,
  passkeyLoginOptions,
  passkeyProofOptions,
  passkeyRegistrationOptions,
  registerPasskey,
  renamePasskey,
  setPasskeySecondFactor,
} from '../../contract/passkeys.ts'
import { softAuthenticator, type Deviations, type SoftPasskey } from '../test/authenticator.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { invalid, outcome, refused, required } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import { enableTwoFactor, totpCode } from '../test/two-factor.ts'
import { authorizationQuery, pkce, someApp, someUser, theAdmin, type SomeUser } from '../test/world.ts'
import { relyingPartyOf } from './passkeys.rules.ts'

const origin = 'https://plaza.test'
const plaza = await sharedService({ PUBLIC_URL: origin, ...long_sign_ins })
const anonymous = new PlazaClient(plaza.url)
const authenticator = softAuthenticator(origin)

const message = { message: expect.any(String) }

type Asked = {
  passkey_options?: { challenge: string; rpId: string; allowCredentials: { id: string }[]; userVerification: string }
}

/** Adds a passkey to the user through the API. */
async function addPasskey(user: SomeUser, { counter = 1, name = 'Laptop' } = {}) {
  const { options } = await user.api.result(passkeyRegistrationOptions, { body: { password: user.password } })
  const { passkey, answer } = authenticator.create(options, { counter })
  const { passkey: row } = await user.api.result(registerPasskey, { body: { name, response: answer } })
  return { soft: passkey, row }
}

async function passkeyUser(options: Parameters<typeof addPasskey>[1] = {}) {
  const user = await someUser(plaza)
  return { user, ...(await addPasskey(user, options)) }
}

async function signIn(soft: SoftPasskey, deviations: Deviations = {}) {
  const { options } = await anonymous.result(passkeyLoginOptions)
  return anonymous.call(passkeyLogin, { body: { response: authenticator.get(soft, options, deviations) } })
}

/** Signs in with the password, and a passkey after it. */
async function signInSecond({ email, password }: SomeUser, soft: SoftPasskey) {
  const { body } = await anonymous.call(login, { body: { email, password } })
  const { passkey_options } = body as Asked
  const passkey = authenticator.get(soft, passkey_options!)
  return anonymous.result(login, { body: { email, password, passkey } })
}

/** The rows that a sign-in may write: sessions and the passkey. */
async function written(user: SomeUser) {
  const sessions = await plaza.db.sql`select id from login_sessions where user_id = ${user.id} order by id`
  const passkeys = await plaza.db.sql<{ row: string }>`
    select p::text as row from passkeys p where user_id = ${user.id} order by id`
  return { sessions: sessions.length, passkeys: passkeys.map(({ row }) => row) }
}

const accountRow = ({ id }: SomeUser) =>
  plaza.db.sql<{ row: string }>`select u::text as row from users u where id = ${id}`

/** Runs a refused sign-in and checks that it wrote nothing. */
async function refusedWriting(user: SomeUser, run: () => Promise<{ status: number; body: unknown }>) {
  const before = await written(user)
  const reply = outcome(await run())
  expect(await written(user)).toEqual(before)
  return reply
}

test('D-108: a passkey is added after a proof, is listed with its name, renamed, and its owner is mailed', async () => {
  const user = await someUser(plaza)
  const { options } = await user.api.result(passkeyRegistrationOptions, { body: { password: user.password } })
  expect(options).toMatchObject({
    rp: { id: 'plaza.test', name: 'Plaza' },
    user: { id: Buffer.from(user.id.replaceAll('-', ''), 'hex').toString('base64url'), name: user.email },
    excludeCredentials: [],
    attestation: 'none',
  })
  const { answer } = authenticator.create(options)
  const reply = await user.api.call(registerPasskey, { body: { name: 'My phone', response: answer } })
  const passkey = {
    id: expect.any(String),
    name: 'My phone',
    discoverable: true,
    backed_up: false,
    copy_suspected_at: null,
    inserted_at: plaza.clock.now().toISOString(),
    last_used_at: null,
  }
  expect(outcome(reply)).toEqual([201, { passkey }])
  expect(await user.api.result(listPasskeys)).toEqual({ passkeys: [passkey], second_factor: false })
  const id = reply.ok ? reply.body.passkey.id : ''
  const renamed = await user.api.call(renamePasskey, { params: { id }, body: { name: 'Phone' } })
  expect(outcome(renamed)).toEqual([200, { passkey: { ...passkey, name: 'Phone' } }])
  expect(await plaza.mailTo(user.email)).toContain('the passkey "My phone" was added to your account')
})

test('D-108: a second passkey excludes the first; at most 20, also in a race', async () => {
  const { user, soft } = await passkeyUser()
  const { options } = await user.api.result(passkeyRegistrationOptions, { body: { password: user.password } })
  expect(options.excludeCredentials).toEqual([{ id: soft.id, type: 'public-key', transports: ['internal', 'hybrid'] }])
  for (let count = 1; count < 19; count++) await addPasskey(user)
  const asked = await Promise.all(
    [1, 2, 3].map(() => user.api.result(passkeyRegistrationOptions, { body: { password: user.password } })),
  )
  const replies = await race(plaza, 3, (at) =>
    user.api.call(registerPasskey, {
      body: { name: 'Last', response: authenticator.create(asked[at]!.options).answer },
    }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 1, 409: 2 })
  expect(outcome(replies.find(({ status }) => status === 409)!)).toEqual(refused('too_many_passkeys'))
  const more = await user.api.call(passkeyRegistrationOptions, { body: { password: user.password } })
  expect(outcome(more)).toEqual(refused('too_many_passkeys'))
  expect((await user.api.result(listPasskeys)).passkeys.length).toBe(20)
})

test('D-108: without a proof, or with a wrong one, no passkey can be added, removed or required', async () => {
  const { user, row } = await passkeyUser()
  const calls = [
    (proof: object) => user.api.call(passkeyRegistrationOptions, { body: proof }),
    (proof: object) => user.api.call(deletePasskey, { params: { id: row.id }, body: proof }),
    (proof: object) => user.api.call(setPasskeySecondFactor, { body: { enabled: true, ...proof } }),
  ]
  for (const call of calls) {
    expect(await refusedWriting(user, () => call({}))).toEqual(invalid('password', required))
    expect(await refusedWriting(user, () => call({ password: 'not the password' }))).toEqual(refused('wrong_password'))
    // A code alone is not a proof.
    expect(await refusedWriting(user, () => call({ totp_code: '123456' }))).toEqual(invalid('password', required))
  }
  expect((await user.api.result(listPasskeys)).second_factor).toBe(false)
})

test('D-108: an account with an authenticator app proves with password and code; a passkey is enough', async () => {
  const { user, soft, row } = await passkeyUser()
  const { secret } = await enableTwoFactor(plaza, user)
  const code = () => totpCode(plaza.clock, secret)
  plaza.clock.advance(60)
  const ask = (body: object) => user.api.call(passkeyRegistrationOptions, { body })
  expect(outcome(await ask({ password: user.password }))).toEqual(refused('second_factor_missing'))
  expect(outcome(await ask({ password: user.password, totp_code: '000' }))).toEqual(refused('invalid_code'))
  expect((await ask({ password: user.password, totp_code: code() })).status).toBe(200)
  const { options } = await user.api.result(passkeyProofOptions)
  expect(options.userVerification).toBe('required')
  const unverified = authenticator.get(soft, options, { verified: false })
  expect(outcome(await ask({ passkey: unverified }))).toEqual(refused('wrong_passkey'))
  const { options: again } = await user.api.result(passkeyProofOptions)
  const passkey = authenticator.get(soft, again)
  const removed = await user.api.call(deletePasskey, { params: { id: row.id }, body: { passkey } })
  expect(outcome(removed)).toEqual([200, message])
  expect(outcome(await user.api.call(passkeyProofOptions))).toEqual(refused('no_passkeys'))
})

test('D-108: a proof is valid once, for its account and its login session', async () => {
  const { user, soft } = await passkeyUser()
  const thief = new PlazaClient(plaza.url).withToken(
    (await anonymous.result(login, { body: { email: user.email, password: user.password } })).token,
  )
  const ask = (api: PlazaClient, passkey: ReturnType<typeof authenticator.get>) =>
    api.call(passkeyRegistrationOptions, { body: { passkey } })
  const first = authenticator.get(soft, (await user.api.result(passkeyProofOptions)).options)
  expect(outcome(await ask(thief, first))).toEqual(refused('passkey_challenge_over'))
  expect((await ask(user.api, first)).status).toBe(200)
  expect(outcome(await ask(user.api, first))).toEqual(refused('passkey_challenge_over'))
  const other = await passkeyUser()
  const { options } = await user.api.result(passkeyProofOptions)
  expect(outcome(await ask(user.api, authenticator.get(other.soft, options)))).toEqual(refused('wrong_passkey'))
})

type Answer = ReturnType<typeof authenticator.get>

/** Account changes that need more than a stolen session, each with a proof. */
const changesOf = ({ api, username }: SomeUser, proof: { passkey: Answer }) => [
  () => api.call(changeEmail, { body: { email: `new-${username}@people.test`, ...proof } }),
  () => api.call(changeUsername, { body: { username: `${username}-2`, ...proof } }),
  () => api.call(renewRecoveryCodes, { body: proof }),
  () => api.call(disableTotp, { body: proof }),
  () => api.call(changePassword, { body: { new_password: 'a password by passkey', ...proof } }),
  () => api.call(deleteAccount, { body: proof }),
]

/** A person with an authenticator app, and a passkey that is the second factor. */
async function passkeyUserWithCodes() {
  const made = await passkeyUser()
  const { user } = made
  const { password } = user
  const on = await user.api.result(setPasskeySecondFactor, { body: { enabled: true, password } })
  const { secret } = await user.api.result(setupTotp)
  const totp_code = on.recovery_codes?.[0] ?? ''
  await user.api.result(enableTotp, { body: { code: totpCode(plaza.clock, secret), password, totp_code } })
  return made
}

test('D-107: a passkey alone proves a change of address, name and password, new recovery codes, the end of the app’s codes, and leaving', async () => {
  const { user, soft } = await passkeyUserWithCodes()
  const ask = async (api = user.api) => authenticator.get(soft, (await api.result(passkeyProofOptions)).options)
  for (const at of [0, 1, 2, 3]) expect((await changesOf(user, { passkey: await ask() })[at]!()).status).toBe(200)
  expect((await user.api.result(getEmailChange)).new_email).toBe(`new-${user.username}@people.test`)
  expect((await user.api.result(me)).user).toMatchObject({ username: `${user.username}-2`, totp_enabled: false })
  const new_password = 'a password by passkey'
  const { token } = await user.api.result(changePassword, { body: { new_password, passkey: await ask() } })
  expect((await user.api.call(me)).status).toBe(401)
  expect((await anonymous.call(login, { body: user })).body).toMatchObject({ error: 'invalid_credentials' })
  const { body } = await anonymous.call(login, { body: { email: user.email, password: new_password } })
  expect(body).toMatchObject({ error: 'passkey_required' })
  const again = { ...user, api: anonymous.withToken(token) }
  expect(outcome(await changesOf(again, { passkey: await ask(again.api) })[5]!())).toEqual([200, message])
  expect((await again.api.call(me)).status).toBe(401)
  expect(outcome(await signIn(soft))).toEqual(refused('invalid_passkey'))
})

test('D-108: without a passkey, disabling the authenticator app and changing the password need their usual fields', async () => {
  const { user } = await passkeyUserWithCodes()
  const before = await accountRow(user)
  const fields = (...paths: string[]) =>
    refused(
      'validation_failed',
      paths.map((path) => ({ path, message: required })),
    )
  const { password } = user
  expect(outcome(await user.api.call(disableTotp, { body: {} }))).toEqual(fields('password', 'totp_code'))
  expect(outcome(await user.api.call(disableTotp, { body: { password } }))).toEqual(fields('totp_code'))
  const body = { new_password: 'another password' }
  expect(outcome(await user.api.call(changePassword, { body }))).toEqual(fields('current_password'))
  const short = (await user.api.call(changePassword, { body: { new_password: 'short' } })).body
  expect(short).toMatchObject({ fields: [{ path: 'new_password' }, { path: 'current_password', message: required }] })
  expect(await accountRow(user)).toEqual(before)
})

test('D-107: no change is made by a passkey of others, from elsewhere, unverified, replayed, late, or asked for something else', async () => {
  const { user, soft } = await passkeyUserWithCodes()
  const other = await passkeyUser()
  const account = async () => ({
    ...(await written(user)),
    profile: (await user.api.result(me)).user,
    email_change: await user.api.result(getEmailChange),
    codes: await plaza.db.sql`select code_hash from recovery_codes where user_id = ${user.id} order by code_hash`,
    row: await accountRow(user),
    changes: (await plaza.db.sql`select kind from account_changes where user_id = ${user.id}`).length,
  })
  const proofOptions = async (api = user.api) => (await api.result(passkeyProofOptions)).options
  const over = refused('passkey_challenge_over')
  const wrong = refused('wrong_passkey')
  const body = { email: user.email, password: user.password }
  const used = authenticator.get(soft, await proofOptions())
  await user.api.result(passkeyRegistrationOptions, { body: { passkey: used } })
  const late = authenticator.get(soft, await proofOptions())
  plaza.clock.advance(300)
  const elsewhere = anonymous.withToken((await signInSecond(user, soft)).token)
  const asked = await anonymous.call(login, { body })
  const { passkey_options: second } = asked.body as Asked
  const registration = (
    await user.api.result(passkeyRegistrationOptions, {
      body: { passkey: authenticator.get(soft, await proofOptions()) },
    })
  ).options
  const attacks: [string, () => Promise<Answer>, [number, unknown]][] = [
    ['of another', async () => authenticator.get(other.soft, await proofOptions()), wrong],
    ['asked by another', async () => authenticator.get(soft, await proofOptions(other.user.api)), over],
    ['origin', async () => authenticator.get(soft, await proofOptions(), { origin: 'https://evil.example' }), wrong],
    ['domain', async () => authenticator.get(soft, await proofOptions(), { rp_id: 'evil.example' }), wrong],
    ['key', async () => authenticator.get(soft, await proofOptions(), { key: other_key }), wrong],
    ['unverified', async () => authenticator.get(soft, await proofOptions(), { verified: false }), wrong],
    ['kind', async () => authenticator.get(soft, await proofOptions(), { type: 'webauthn.create' }), wrong],
    ['replayed', async () => used, over],
    ['late', async () => late, over],
    ['another session', async () => authenticator.get(soft, await proofOptions(elsewhere)), over],
    ['sign-in', async () => authenticator.get(soft, (await anonymous.result(passkeyLoginOptions)).options), over],
    ['second factor', async () => authenticator.get(soft, second!), over],
    ['registration', async () => authenticator.get(soft, { ...registration, rpId: registration.rp.id }), over],
  ]
  const before = await account()
  // All changes share the check; the attacks are spread over them.
  for (const [at, [name, makeAnswer, expected]] of attacks.entries()) {
    const reply = await changesOf(user, { passkey: await makeAnswer() })[at % 6]!()
    expect([name, outcome(reply)]).toEqual([name, expected])
  }
  expect(await account()).toEqual(before)
  // A counter that does not grow indicates a copy.
  const copy = authenticator.get({ ...soft, counter: 1 }, await proofOptions())
  expect(outcome(await changesOf(user, { passkey: copy })[5]!())).toEqual(refused('passkey_copied'))
})

test('spec AuthResponse: a passkey signs in with the answer of the login, names no account before, and notes the use', async () => {
  const { user, soft } = await passkeyUser()
  const { options } = await anonymous.result(passkeyLoginOptions)
  expect(options).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    timeout: 300_000,
    rpId: 'plaza.test',
    allowCredentials: [],
    userVerification: 'required',
  })
  const reply = await anonymous.call(passkeyLogin, { body: { response: authenticator.get(soft, options) } })
  const with_password = await anonymous.result(login, { body: { email: user.email, password: user.password } })
  expect(outcome(reply)).toEqual([200, { token: expect.any(String), user: with_password.user }])
  const api = anonymous.withToken(reply.ok ? reply.body.token : '')
  expect((await api.result(me)).user.id).toBe(user.id)
  const [passkey] = (await user.api.result(listPasskeys)).passkeys
  expect(passkey?.last_used_at).toBe(plaza.clock.now().toISOString())
})

test('D-108: a passkey with verification stands for both factors; without it no sign-in without the password', async () => {
  const { user, soft } = await passkeyUser()
  await enableTwoFactor(plaza, user)
  expect(await refusedWriting(user, () => signIn(soft, { verified: false }))).toEqual(refused('invalid_passkey'))
  expect((await signIn(soft)).status).toBe(200)
})

const other_key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const foreign_pages = [
  { around: { crossOrigin: true } },
  { around: { crossOrigin: true, topOrigin: 'https://evil.example' } },
  { around: { topOrigin: 'https://evil.example' } },
  { around: { crossOrigin: 'true' } },
] satisfies Deviations[]

test('D-108: an answer for another origin, domain, key or kind, or from inside another page, is refused; nothing is written', async () => {
  const { user, soft } = await passkeyUser()
  for (const deviations of [
    { origin: 'https://plaza.test.evil.example' },
    { origin: 'https://plaza.test:8443' },
    { origin: 'http://plaza.test' },
    { rp_id: 'evil.example' },
    { rp_id: 'test' },
    { key: other_key },
    { present: false },
    { type: 'webauthn.create' },
    ...foreign_pages,
  ] satisfies Deviations[]) {
    const reply = await refusedWriting(user, () => signIn(soft, deviations))
    expect([deviations, reply]).toEqual([deviations, refused('invalid_passkey')])
    // After the window of ten failures.
    plaza.clock.advance(100)
  }
  plaza.clock.advance(900)
  expect((await signIn(soft)).status).toBe(200)
})

test('D-108: a changed signature, or changed data under it, is refused', async () => {
  const { user, soft } = await passkeyUser()
  const tampered = async (part: 'signature' | 'authenticatorData', at: number) => {
    const { options } = await anonymous.result(passkeyLoginOptions)
    const answer = authenticator.get(soft, options)
    const bytes = Buffer.from(answer.response[part], 'base64url')
    bytes[at] = (bytes[at] ?? 0) ^ 1
    const response = { ...answer, response: { ...answer.response, [part]: bytes.toString('base64url') } }
    return anonymous.call(passkeyLogin, { body: { response } })
  }
  // The last byte of the signature; the last of the counter.
  expect(await refusedWriting(user, () => tampered('signature', 20))).toEqual(refused('invalid_passkey'))
  expect(await refusedWriting(user, () => tampered('authenticatorData', 36))).toEqual(refused('invalid_passkey'))
  for (const garbage of ['AA', '!!', 'x'.repeat(8192)]) {
    const { options } = await anonymous.result(passkeyLoginOptions)
    const answer = authenticator.get(soft, options)
    const response = { ...answer, response: { ...answer.response, authenticatorData: garbage } }
    const run = () => anonymous.call(passkeyLogin, { body: { response } })
    expect(await refusedWriting(user, run)).toEqual(refused('invalid_passkey'))
  }
})

test('D-108: an answer is valid once, also in a race and in another process', async () => {
  const { user, soft } = await passkeyUser({ counter: 0 })
  const other = new PlazaClient((await plaza.startAnother({ ROLES: 'api' })).url)
  const { options } = await anonymous.result(passkeyLoginOptions)
  const response = authenticator.get(soft, options)
  const replies = await race(plaza, 6, (at) => (at % 2 ? anonymous : other).call(passkeyLogin, { body: { response } }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 422: 5 })
  const replay = () => anonymous.call(passkeyLogin, { body: { response } })
  expect(await refusedWriting(user, replay)).toEqual(refused('passkey_challenge_over'))
})

test('D-108: a challenge is valid for five minutes; an invented one is refused', async () => {
  const { user, soft } = await passkeyUser()
  const { options } = await anonymous.result(passkeyLoginOptions)
  const { options: in_time } = await anonymous.result(passkeyLoginOptions)
  plaza.clock.advance(299)
  const answer = (asked: typeof options, deviations = {}) =>
    anonymous.call(passkeyLogin, { body: { response: authenticator.get(soft, asked, deviations) } })
  expect((await answer(in_time)).status).toBe(200)
  plaza.clock.advance(1)
  expect(await refusedWriting(user, () => answer(options))).toEqual(refused('passkey_challenge_over'))
  const invented = { challenge: Buffer.alloc(32).toString('base64url') }
  expect(await refusedWriting(user, () => answer(options, invented))).toEqual(refused('passkey_challenge_over'))
  const response = { ...authenticator.get(soft, options) }
  response.response.clientDataJSON = 'bm90IGpzb24'
  const run = () => anonymous.call(passkeyLogin, { body: { response } })
  expect(await refusedWriting(user, run)).toEqual(refused('passkey_challenge_over'))
})

test('D-108: a challenge for one purpose is not taken for another', async () => {
  const { user, soft } = await passkeyUser()
  const body = { email: user.email, password: user.password }
  await user.api.result(setPasskeySecondFactor, { body: { enabled: true, password: user.password } })
  const asked = await anonymous.call(login, { body })
  const second = (asked.body as Asked).passkey_options!
  const proof = (await user.api.result(passkeyProofOptions)).options
  const sign_in = (await anonymous.result(passkeyLoginOptions)).options
  const over = refused('passkey_challenge_over')
  const asSignIn = (options: typeof second) =>
    anonymous.call(passkeyLogin, { body: { response: authenticator.get(soft, options) } })
  const asSecond = (options: typeof second) =>
    anonymous.call(login, { body: { ...body, passkey: authenticator.get(soft, options) } })
  const asProof = (options: typeof second) =>
    user.api.call(passkeyRegistrationOptions, { body: { passkey: authenticator.get(soft, options) } })
  for (const run of [
    () => asSignIn(second),
    () => asSignIn(proof),
    () => asSecond(proof),
    () => asSecond(sign_in),
    () => asProof(second),
    () => asProof(sign_in),
  ])
    expect(await refusedWriting(user, run)).toEqual(over)
  // The refused attempt did not use them up.
  expect((await asSecond(second)).status).toBe(200)
  expect((await asProof(proof)).status).toBe(200)
  expect((await asSignIn(sign_in)).status).toBe(200)
})

test('D-108: a counter that goes back or does not grow is refused as a copy, shown, and mailed once a day', async () => {
  // Finished jobs are deleted.
  onTestFinished(async () => {
    await plaza.db.sql`drop function note_job cascade`
    await plaza.db.sql`drop table queued_jobs`
  })
  await plaza.db.sql`create table queued_jobs (payload json not null)`
  await plaza.db.sql`
    create function note_job() returns trigger language plpgsql as
    'begin insert into queued_jobs values (new.payload); return null; end'`
  await plaza.db.sql`
    create trigger note_job after insert on graphile_worker._private_jobs for each row execute function note_job()`
  const { user, soft, row } = await passkeyUser({ name: 'Key ring' })
  const copy = { ...soft }
  expect((await signIn(soft)).status).toBe(200)
  expect((await signIn(soft)).status).toBe(200)
  const [before] = (await user.api.result(listPasskeys)).passkeys
  plaza.clock.advance(60)
  const sessions = (await written(user)).sessions
  expect(outcome(await signIn(copy))).toEqual(refused('passkey_copied'))
  expect(outcome(await signIn(copy))).toEqual(refused('passkey_copied'))
  expect((await written(user)).sessions).toBe(sessions)
  const [after] = (await user.api.result(listPasskeys)).passkeys
  expect(after).toEqual({ ...before, id: row.id, copy_suspected_at: plaza.clock.now().toISOString() })
  expect(await plaza.mailTo(user.email, 0, '"Key ring" in a way that only a copy of it does')).toContain(user.username)
  // The passkey with the higher counter still works, and a third attempt on the same day sends no mail.
  expect((await signIn(soft)).status).toBe(200)
  expect(outcome(await signIn({ ...copy, counter: 1 }))).toEqual(refused('passkey_copied'))
  plaza.clock.advance(86_400)
  expect(outcome(await signIn({ ...copy, counter: 1 }))).toEqual(refused('passkey_copied'))
  await plaza.mailTo(user.email, 2)
  const mails = await plaza.db.sql<{ event: string }>`
    select payload->>'event' as event from queued_jobs where payload->>'user_id' = ${user.id}`
  expect(mails.map(({ event }) => event)).toEqual(['added', 'copied', 'copied'])
  // An authenticator that had a counter and now sends none is a copy too.
  expect(outcome(await signIn({ ...copy, counter: 0 }))).toEqual(refused('passkey_copied'))
})

test('D-108: of parallel uses with one counter, one signs in', async () => {
  const { soft } = await passkeyUser()
  const asked = await Promise.all([1, 2, 3, 4].map(() => anonymous.result(passkeyLoginOptions)))
  const answers = asked.map(({ options }) => authenticator.get({ ...soft }, options))
  const replies = await race(plaza, 4, (at) => anonymous.call(passkeyLogin, { body: { response: answers[at]! } }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 1, 403: 3 })
})

test('D-108: an authenticator without a counter signs in again and again', async () => {
  const { soft } = await passkeyUser({ counter: 0 })
  for (let times = 0; times < 3; times++) expect((await signIn(soft)).status).toBe(200)
})

test('D-108: another account’s handle, an unknown passkey and a removed one get the same refusal', async () => {
  const { user, soft, row } = await passkeyUser()
  const other = await passkeyUser()
  const as_other = () => signIn(soft, { user_handle: other.soft.user_handle })
  expect(await refusedWriting(other.user, as_other)).toEqual(refused('invalid_passkey'))
  expect(await refusedWriting(user, () => signIn(soft, { user_handle: '' }))).toEqual(refused('invalid_passkey'))
  const unknown = { ...soft, id: Buffer.alloc(32, 7).toString('base64url') }
  expect(outcome(await signIn(unknown))).toEqual(refused('invalid_passkey'))
  // The id of one passkey with the key of another.
  expect(outcome(await signIn({ ...other.soft, private_key: soft.private_key }))).toEqual(refused('invalid_passkey'))
  await user.api.result(deletePasskey, { params: { id: row.id }, body: { password: user.password } })
  expect(await refusedWriting(user, () => signIn(soft))).toEqual(refused('invalid_passkey'))
  expect(await plaza.mailTo(user.email, 0, 'was removed from your account')).toContain(user.username)
})

test('D-108: a suspended account is refused as by the login, and nothing is written', async () => {
  const { user, soft } = await passkeyUser()
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: user.id }, body: { suspended: true } })
  expect(await refusedWriting(user, () => signIn(soft))).toEqual(refused('account_suspended'))
  await admin.api.result(updateUser, { params: { id: user.id }, body: { suspended: false } })
  expect((await signIn(soft)).status).toBe(200)
})

test('D-91: ten failures with a passkey in 15 minutes lock the account for this address, as wrong passwords do', async () => {
  const { user, soft } = await passkeyUser()
  for (let tries = 0; tries < 10; tries++)
    expect(outcome(await signIn(soft, { key: other_key }))).toEqual(refused('invalid_passkey'))
  const locked = await signIn(soft)
  expect(outcome(locked)).toEqual(refused('too_many_failures'))
  expect(locked.headers.get('retry-after')).toBe('900')
  const with_password = await anonymous.call(login, { body: { email: user.email, password: user.password } })
  expect(outcome(with_password)).toEqual(refused('too_many_failures'))
  plaza.clock.advance(900)
  expect((await signIn(soft)).status).toBe(200)
  // An unknown passkey counts the same.
  const unknown = { ...soft, id: Buffer.alloc(32, 9).toString('base64url') }
  for (let tries = 0; tries < 10; tries++) expect(outcome(await signIn(unknown))).toEqual(refused('invalid_passkey'))
  expect(outcome(await signIn(unknown))).toEqual(refused('too_many_failures'))
})

test('D-108: no passkey is added from another origin, domain or kind of answer, or from inside another page', async () => {
  const user = await someUser(plaza)
  const options = async () =>
    (await user.api.result(passkeyRegistrationOptions, { body: { password: user.password } })).options
  const finish = (response: ReturnType<typeof authenticator.create>['answer']) =>
    user.api.call(registerPasskey, { body: { name: 'Bad', response } })
  for (const deviations of [
    { origin: 'https://evil.example' },
    { rp_id: 'evil.example' },
    { type: 'webauthn.get' },
    { present: false },
    ...foreign_pages,
  ] satisfies Deviations[]) {
    const { answer } = authenticator.create(await options(), deviations)
    const reply = await refusedWriting(user, () => finish(answer))
    expect([deviations, reply]).toEqual([deviations, refused('passkey_unusable')])
  }
  const asked = await options()
  await finish(authenticator.create(asked, { present: false }).answer)
  expect(outcome(await finish(authenticator.create(asked).answer))).toEqual(refused('passkey_challenge_over'))
})

test('D-108: the challenge of an addition is its account’s and login session’s, five minutes and once', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  const ask = async () =>
    (await user.api.result(passkeyRegistrationOptions, { body: { password: user.password } })).options
  const finish = (api: PlazaClient, answer: ReturnType<typeof authenticator.create>['answer']) =>
    api.call(registerPasskey, { body: { name: 'Mine', response: answer } })
  const over = refused('passkey_challenge_over')
  const { passkey, answer } = authenticator.create(await ask())
  expect(await refusedWriting(other, () => finish(other.api, answer))).toEqual(over)
  const { token } = await anonymous.result(login, { body: { email: user.email, password: user.password } })
  expect(await refusedWriting(user, () => finish(anonymous.withToken(token), answer))).toEqual(over)
  expect((await finish(user.api, answer)).status).toBe(201)
  expect(await refusedWriting(user, () => finish(user.api, answer))).toEqual(over)
  // The same credential, for any account.
  const { options } = await other.api.result(passkeyRegistrationOptions, { body: { password: other.password } })
  const taken = () => finish(other.api, authenticator.answerWith(passkey, options))
  expect(await refusedWriting(other, taken)).toEqual(refused('passkey_taken'))
  const late = authenticator.create(await ask()).answer
  plaza.clock.advance(300)
  expect(await refusedWriting(user, () => finish(user.api, late))).toEqual(over)
})

test('D-108: a passkey of another person is 404 at a change and a removal', async () => {
  const { row } = await passkeyUser()
  const other = await passkeyUser()
  const { api, password } = other.user
  const rename = await api.call(renamePasskey, { params: { id: row.id }, body: { name: 'Mine' } })
  expect(outcome(rename)).toEqual(refused('not_found'))
  const remove = await api.call(deletePasskey, { params: { id: row.id }, body: { password } })
  expect(outcome(remove)).toEqual(refused('not_found'))
  expect(outcome(await api.call(renamePasskey, { params: { id: other.row.id }, body: { name: '  ' } }))).toEqual(
    invalid('name', 'must not be blank'),
  )
})

// The second factor

test('D-108: a passkey replaces the code of an authenticator app, also without verification', async () => {
  const { user, soft } = await passkeyUser()
  await enableTwoFactor(plaza, user)
  const body = { email: user.email, password: user.password }
  const first = await anonymous.call(login, { body })
  const { passkey_options } = first.body as Asked
  expect(outcome(first)).toEqual([
    401,
    { ...(refused('totp_required')[1] as object), passkey_options: expect.any(Object) },
  ])
  expect(passkey_options).toMatchObject({ rpId: 'plaza.test', userVerification: 'discouraged' })
  expect(passkey_options?.allowCredentials.map(({ id }) => id)).toEqual([soft.id])
  const passkey = authenticator.get(soft, passkey_options!, { verified: false })
  const reply = await anonymous.call(login, { body: { ...body, passkey } })
  expect([reply.status, reply.ok && reply.body.user.totp_enabled]).toEqual([200, true])
  // A wrong password learns nothing about the passkey and consumes nothing.
  const { passkey_options: next } = (await anonymous.call(login, { body })).body as Asked
  const good = authenticator.get(soft, next!)
  const wrong = await anonymous.call(login, { body: { ...body, password: 'not the password', passkey: good } })
  expect(outcome(wrong)).toEqual(refused('invalid_credentials'))
  expect((await anonymous.call(login, { body: { ...body, passkey: good } })).status).toBe(200)
})

test('D-108: a passkey may be required after the password; recovery codes replace it; another account’s is refused', async () => {
  const { user, soft } = await passkeyUser()
  const other = await passkeyUser()
  const { password } = user
  const on = await user.api.call(setPasskeySecondFactor, { body: { enabled: true, password } })
  expect(outcome(on)).toEqual([200, { ...message, recovery_codes: expect.any(Array) }])
  const codes = (on.ok && on.body.recovery_codes) || []
  expect(codes.length).toBe(10)
  expect(await plaza.mailTo(user.email, 0, 'now asks for a passkey too')).toContain(user.username)
  expect((await user.api.result(listPasskeys)).second_factor).toBe(true)

  const body = { email: user.email, password }
  const ask = async () => {
    const reply = await anonymous.call(login, { body })
    expect(outcome(reply)).toEqual([
      401,
      { ...(refused('passkey_required')[1] as object), passkey_options: expect.any(Object) },
    ])
    return (reply.body as Asked).passkey_options!
  }
  const answer = async (key: SoftPasskey, deviations: Deviations = {}) => {
    const passkey = authenticator.get(key, await ask(), deviations)
    return anonymous.call(login, { body: { ...body, passkey } })
  }
  const own_session = (await written(user)).sessions
  expect(outcome(await answer(other.soft))).toEqual(refused('invalid_passkey'))
  expect(outcome(await answer(soft, { origin: 'https://evil.example' }))).toEqual(refused('invalid_passkey'))
  expect((await written(user)).sessions).toBe(own_session)
  expect((await answer(soft, { verified: false })).status).toBe(200)
  const by_code = (totp_code: string) => anonymous.call(login, { body: { ...body, totp_code } })
  expect(outcome(await by_code('123456'))).toEqual(refused('invalid_totp_code'))
  expect((await by_code(codes[0] ?? '')).status).toBe(200)
  expect(outcome(await by_code(codes[0] ?? ''))).toEqual(refused('invalid_totp_code'))

  // The password alone is not a proof now; turning the factor off voids the codes.
  const off = (proof: object) => user.api.call(setPasskeySecondFactor, { body: { enabled: false, ...proof } })
  expect(outcome(await off({ password }))).toEqual(refused('second_factor_missing'))
  expect(outcome(await off({ password, totp_code: codes[1]! }))).toEqual([200, { ...message, recovery_codes: null }])
  expect((await anonymous.call(login, { body })).status).toBe(200)
  const left = await plaza.db.sql`select 1 from recovery_codes where user_id = ${user.id}`
  expect(left.length).toBe(0)
})

test('D-108: with the last passkey the second factor ends, and its recovery codes; the password is enough again', async () => {
  const { user, soft, row } = await passkeyUser()
  const second = await addPasskey(user)
  const { password } = user
  await user.api.result(setPasskeySecondFactor, { body: { enabled: true, password } })
  const remove = async (id: string, key: SoftPasskey) => {
    const passkey = authenticator.get(key, (await user.api.result(passkeyProofOptions)).options)
    return user.api.call(deletePasskey, { params: { id }, body: { passkey } })
  }
  expect((await remove(second.row.id, soft)).status).toBe(200)
  expect((await user.api.result(listPasskeys)).second_factor).toBe(true)
  expect((await remove(row.id, soft)).status).toBe(200)
  expect(await user.api.result(listPasskeys)).toEqual({ passkeys: [], second_factor: false })
  const reply = await anonymous.call(login, { body: { email: user.email, password } })
  expect(reply.status).toBe(200)
  expect((await plaza.db.sql`select 1 from recovery_codes where user_id = ${user.id}`).length).toBe(0)
  const on = await user.api.call(setPasskeySecondFactor, { body: { enabled: true, password } })
  expect(outcome(on)).toEqual(refused('no_passkeys'))
})

test('D-108: recovery codes stay while either second factor is on', async () => {
  const { user, soft } = await passkeyUser()
  const { password } = user
  const { secret } = await enableTwoFactor(plaza, user)
  const code = () => totpCode(plaza.clock, secret)
  const prove = async () => ({ passkey: authenticator.get(soft, (await user.api.result(passkeyProofOptions)).options) })
  const set = async (enabled: boolean) =>
    user.api.result(setPasskeySecondFactor, { body: { enabled, ...(await prove()) } })
  expect((await set(true)).recovery_codes).toBeNull()
  const left = async () => (await plaza.db.sql`select 1 from recovery_codes where user_id = ${user.id}`).length
  plaza.clock.advance(60)
  await user.api.result(disableTotp, { body: { password, totp_code: code() } })
  expect(await left()).toBe(10)
  await set(false)
  expect(await left()).toBe(0)
})

test('D-103: prompt and max_age take a sign-in with a passkey as one with the password', async () => {
  const { soft } = await passkeyUser()
  const app = await someApp(plaza, { scopes: ['profile:read'] })
  const reply = await signIn(soft)
  const api = anonymous.withToken(reply.ok ? reply.body.token : '')
  const ask = (max_age: number) =>
    api.call(authorize, {
      query: { ...authorizationQuery(app, pkce().code_challenge), scope: 'openid profile:read', max_age },
    })
  plaza.clock.advance(60)
  expect((await ask(60)).status).toBe(200)
  plaza.clock.advance(1)
  expect(outcome(await ask(60))).toEqual(refused('login_required'))
})

test('D-108: a change of the password leaves passkeys as they are', async () => {
  const { user, soft } = await passkeyUser()
  const changed = await user.api.result(changePassword, {
    body: { current_password: user.password, new_password: 'another password' },
  })
  expect((await signIn(soft)).status).toBe(200)
  const list = await anonymous.withToken(changed.token).result(listPasskeys)
  expect(list.passkeys.length).toBe(1)
})

test('D-107: taking a change back removes passkeys that were added since, and a second factor by them', async () => {
  const { user } = await passkeyUser({ name: 'Mine' })
  const { password } = user
  plaza.clock.advance(1)
  const next = `thief-${user.username}@people.test`
  await user.api.result(changeEmail, { body: { email: next, password } })
  const code = /\b\d{6}\b/.exec(/code[^]*/.exec(await plaza.mailTo(next))?.[0] ?? '')?.[0] ?? ''
  await user.api.result(confirmEmail, { body: { code } })
  const mail = await plaza.mailTo(user.email, 0, 'another e-mail address')
  plaza.clock.advance(1)
  const thief = await addPasskey(user, { name: 'Thief' })
  await user.api.result(setPasskeySecondFactor, { body: { enabled: true, password } })
  const undo_code = /plz_undo_[\w-]{43}/.exec(mail)?.[0] ?? ''
  await anonymous.result(undoChange, { body: { code: undo_code, new_password: 'the owner is back' } })
  expect(outcome(await signIn(thief.soft))).toEqual(refused('invalid_passkey'))
  const { token } = await anonymous.result(login, { body: { email: user.email, password: 'the owner is back' } })
  const list = await anonymous.withToken(token).result(listPasskeys)
  expect([list.passkeys.map(({ name }) => name), list.second_factor]).toEqual([['Mine'], false])
})

/** A person whose second factor is a passkey, with the recovery codes. */
async function secondFactorUser() {
  const made = await passkeyUser()
  const { password } = made.user
  const { recovery_codes } = await made.user.api.result(setPasskeySecondFactor, { body: { enabled: true, password } })
  return { ...made, password, codes: recovery_codes ?? [] }
}

test('D-107: if a passkey is the second factor, adding an authenticator app needs a proof', async () => {
  const { user, password, codes } = await secondFactorUser()
  const { secret } = await user.api.result(setupTotp)
  const enable = async (proof: object) =>
    outcome(await user.api.call(enableTotp, { body: { code: totpCode(plaza.clock, secret), ...proof } }))
  expect(await enable({})).toEqual(invalid('password', required))
  expect(await enable({ password: 'not the password' })).toEqual(refused('wrong_password'))
  expect(await enable({ password })).toEqual(refused('second_factor_missing'))
  const [row] = await plaza.db.sql`select totp_secret from users where id = ${user.id}`
  expect(row).toEqual({ totp_secret: null })
  expect(await enable({ password, totp_code: codes[0] })).toMatchObject([200, { recovery_codes: expect.any(Array) }])
})

test('D-107: undoing an authenticator app voids the recovery codes made with it, also with a passkey', async () => {
  const { user, password, codes } = await secondFactorUser()
  const { email } = user
  plaza.clock.advance(1)
  const { secret } = await user.api.result(setupTotp)
  const totp_code = codes[0]!
  const { recovery_codes } = await user.api.result(enableTotp, {
    body: { code: totpCode(plaza.clock, secret), password, totp_code },
  })
  const mail = await plaza.mailTo(email, 0, 'takes a second factor since')
  const new_password = 'the owner is back'
  const code = /plz_undo_[\w-]{43}/.exec(mail)?.[0] ?? ''
  await anonymous.result(undoChange, { body: { code, new_password } })
  for (const old of [recovery_codes[0]!, codes[1]!]) {
    const reply = await anonymous.call(login, { body: { email, password: new_password, totp_code: old } })
    expect(outcome(reply)).toEqual(refused('invalid_totp_code'))
  }
  expect(await plaza.db.sql`select from recovery_codes where user_id = ${user.id}`).toEqual([])
})

test('D-107: recovery codes of a second factor by passkey are renewed with the password and one of them', async () => {
  const { user, password, codes } = await secondFactorUser()
  const renew = (proof: object) => user.api.call(renewRecoveryCodes, { body: proof })
  expect(outcome(await renew({ password }))).toEqual(refused('second_factor_missing'))
  expect((await renew({ password, totp_code: codes[0] })).status).toBe(200)
  expect(outcome(await renew({ password, totp_code: codes[1] }))).toEqual(refused('invalid_code'))
})

test('D-108: challenges and signatures are in no table and no log line in clear; old ones are purged', async () => {
  const { user, soft } = await passkeyUser()
  const { options } = await anonymous.result(passkeyLoginOptions)
  const response = authenticator.get(soft, options, { key: other_key })
  await anonymous.call(passkeyLogin, { body: { response } })
  await user.api.result(passkeyProofOptions)
  const rows = await plaza.db.sql<{ row: string }>`select c::text as row from passkey_challenges c`
  const text = JSON.stringify(rows) + plaza.logged()
  for (const secret of [options.challenge, response.response.signature]) expect(text).not.toContain(secret)
  plaza.clock.advance(301)
  await plaza.service.app.jobs.find(({ name }) => name === 'accounts.forget_old_logins')!.run({}, 'test')
  expect(await plaza.db.sql`select 1 from passkey_challenges`).toEqual([])
})

test('D-108: passkeys need a domain name and https, except on localhost; without them, calls are refused', async () => {
  for (const url of ['http://127.0.0.1:3000', 'https://192.0.2.1', 'https://[2001:db8::1]', 'http://plaza.test'])
    expect([url, relyingPartyOf(url)]).toEqual([url, undefined])
  expect(relyingPartyOf('http://localhost:3000')).toEqual({ id: 'localhost', origin: 'http://localhost:3000' })
  const without = new PlazaClient((await plaza.startAnother({ PUBLIC_URL: 'http://127.0.0.1:3000' })).url)
  expect(outcome(await without.call(passkeyLoginOptions))).toEqual(refused('passkeys_unavailable'))
})
