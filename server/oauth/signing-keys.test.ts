import { expect, test } from 'vitest'
import { decisions } from '../../contract/decisions.ts'
import { race, startTestService, test_secret } from '../test/harness.ts'
import { kidsOf, signerOf } from '../test/openid.ts'
import { long_sign_ins } from '../test/settings.ts'
import { openSigningKeys, replaceSigningKey, signingKeySealing } from './signing-keys.service.ts'

const { rotation_days, announced_seconds, id_token_seconds } = decisions.openid
const day = 86_400

/** Has no key before the first test; each test continues with the keys of the previous one. */
const plaza = await startTestService(long_sign_ins)
const deps = { db: plaza.db, clock: plaza.clock.now, keys: signingKeySealing([test_secret]) }
const rotate = () => plaza.service.app.jobs.find(({ name }) => name === 'oauth.rotate_signing_keys')!.run({}, 'test')

test('D-103: processes that start together make one key', async () => {
  const processes = Array.from({ length: 8 }, () => openSigningKeys(deps))
  const kids = await race(plaza, 8, async (at) => (await processes[at]!.current()).kid)
  expect(new Set(kids).size).toBe(1)
  expect(await plaza.db.sql`select id from signing_keys`).toEqual([{ id: kids[0] }])
})

test('D-103: a key is announced before it signs, and stays until its last token has expired', async () => {
  const first = await signerOf(plaza)
  await rotate()
  plaza.clock.advance((rotation_days - 1) * day)
  await rotate()
  expect(await kidsOf(plaza)).toEqual([first])

  plaza.clock.advance(day)
  await rotate()
  await rotate()
  plaza.clock.advance(10)
  const [, second] = await kidsOf(plaza)
  expect(await kidsOf(plaza)).toEqual([first, second])
  expect(await signerOf(plaza)).toBe(first)

  plaza.clock.advance(announced_seconds)
  expect(await signerOf(plaza)).toBe(second)
  expect(await kidsOf(plaza)).toEqual([first, second])
  plaza.clock.advance(id_token_seconds)
  expect(await kidsOf(plaza)).toEqual([first, second])
  plaza.clock.advance(600)
  await rotate()
  expect(await kidsOf(plaza)).toEqual([second])
  expect(await plaza.db.sql`select id from signing_keys`).toEqual([{ id: second }])
})

test('D-103: a compromised key is withdrawn immediately, and the next one signs', async () => {
  const first = await signerOf(plaza)
  const { kid } = await replaceSigningKey(deps, 'compromised')
  plaza.clock.advance(10)
  expect(await kidsOf(plaza)).toEqual([kid])
  expect(await signerOf(plaza)).toBe(kid)
  expect(kid).not.toBe(first)
})

test('D-103: the private key is stored sealed', async () => {
  await signerOf(plaza)
  const [row] = await plaza.db.sql<{ sealed: Buffer; public_jwk: object }>`select sealed, public_jwk from signing_keys`
  expect(row?.sealed.toString('latin1')).not.toContain('PRIVATE KEY')
  expect(Object.keys(row?.public_jwk ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
})

test('D-103: where the secret of all keys is lost, a new key signs, and tokens of the old one are still verified', async () => {
  const first = await signerOf(plaza)
  const other = await plaza.startAnother({
    SECRET_KEYS: 'another secret that is long enough for the rule',
    MISSING_KEYS: 'allow',
  })
  const second = await signerOf(other)
  expect(second).not.toBe(first)
  expect(await kidsOf(other)).toEqual([first, second])
})
