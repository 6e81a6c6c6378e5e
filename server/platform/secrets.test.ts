import { expect, test } from 'vitest'
import { newSecret, openSealed, seal, sealingKeys } from './secrets.ts'

test('a sealed value that differs in one bit, is cut off, or belongs to another row or purpose is refused', () => {
  const secrets = ['a secret of the tests', 'an older one'] as const
  const keys = sealingKeys(secrets, 'tests')
  const sealed = seal(keys, 'DB_PASSWORD=hush', 'row 1')
  expect(openSealed(keys, sealed, 'row 1')).toBe('DB_PASSWORD=hush')
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => openSealed(keys, changed, 'row 1')).toThrow(/unable to authenticate|not configured/)
  }
  for (const length of [0, 4, 16, 31, sealed.length - 1])
    expect(() => openSealed(keys, sealed.subarray(0, length), 'row 1')).toThrow(/not configured|invalid|authenticat/i)
  expect(() => openSealed(keys, sealed, 'row 2')).toThrow(/unable to authenticate/)
  expect(() => openSealed(sealingKeys(secrets, 'another'), sealed, 'row 1')).toThrow(/unable to authenticate/)
  expect(seal(keys, 'DB_PASSWORD=hush', 'row 1').equals(sealed)).toBe(false)
})

test('D-20: secrets have 256 random bits', () => {
  const made = Array.from({ length: 1_000 }, () => newSecret('plz_'))
  expect(new Set(made).size).toBe(1_000)
  expect(made.filter((one) => !/^plz_[\w-]{43}$/.test(one))).toEqual([])
})
