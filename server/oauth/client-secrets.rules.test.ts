import { expect, test } from 'vitest'
import { operations } from '../../contract/operations.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { secret_permission_names as all, type SecretPermission } from '../../contract/kinds/secret-permissions.ts'
import { boundsOf, hasEnded, refusalOf } from './client-secrets.rules.ts'

const now = new Date('2026-01-31T12:00:00.000Z')
const anywhere = { permissions: all, expires_at: null, allowed_addresses: [] }

const takesSecrets = ({ auth, errors }: Declaration) =>
  auth === 'client' || errors === 'oauth' || (typeof auth === 'object' && auth.or_client === true)

test('D-133: every operation that takes a secret declares one permission, and these are the operations of each', () => {
  const declared: Record<string, Declaration> = operations
  const named = (is: (endpoint: Declaration) => boolean) => Object.keys(declared).filter((name) => is(declared[name]!))
  expect(named((endpoint) => takesSecrets(endpoint) !== (endpoint.secret_permission !== undefined))).toEqual([])
  const of = (permission: SecretPermission) => named(({ secret_permission }) => secret_permission === permission).sort()
  expect({
    token: of('token'),
    payments_read: of('payments_read'),
    payments: of('payments'),
    registry: of('registry'),
    webhooks: of('webhooks'),
  }).toEqual({
    token: ['pushAuthorization', 'revoke', 'token'],
    payments_read: [
      'exportAppTransfers',
      'getAppSeries',
      'getAppTransfer',
      'getHold',
      'getOwnBalance',
      'listAppTransfers',
      'listHolds',
    ],
    payments: ['captureHold', 'createRefund', 'voidHold'],
    registry: ['getRegistryToken'],
    webhooks: ['listAppEvents'],
  })
  const outside = (permission: SecretPermission, path: string) =>
    named((endpoint) => endpoint.secret_permission === permission && !endpoint.path.startsWith(path))
  expect([...outside('deploy', '/api/deploy/'), ...outside('payouts', '/api/app/payouts')]).toEqual([])
})

test('D-133: a secret may do what its permissions name; payments and payouts include reading', () => {
  const address = '192.0.2.1'
  const allowedBy = (held: SecretPermission) =>
    all.filter((permission) => !refusalOf({ ...anywhere, permissions: [held] }, { permission, address }))
  expect(Object.fromEntries(all.map((held) => [held, allowedBy(held)]))).toEqual({
    token: ['token'],
    payments_read: ['payments_read'],
    payments: ['payments_read', 'payments'],
    payouts: ['payments_read', 'payouts'],
    deploy: ['deploy'],
    registry: ['registry'],
    webhooks: ['webhooks'],
  })
})

test('D-133: a secret may be used from its networks only, in either spelling of an address', () => {
  const from = (address: string, ...allowed_addresses: string[]) =>
    refusalOf({ ...anywhere, allowed_addresses }, { permission: 'deploy', address })
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7']) {
    for (const networks of [['192.0.2.0/24'], ['2001:db8::/32', '192.0.2.7']])
      expect([address, networks, from(address, ...networks)]).toEqual([address, networks, undefined])
    expect(from(address, '192.0.3.0/24', '2001:db8::/32')).toBe('address')
  }
  expect([from('2001:db8:1::1', '2001:db8::/32'), from('2001:db9::1', '0.0.0.0/0')]).toEqual([undefined, 'address'])
  expect(from('2001:db9::1')).toBeUndefined()
})

test('D-133: a request without bounds is for everything; networks, and an end that has passed, are refused by field', () => {
  expect(boundsOf({}, now)).toEqual({ ...anywhere, name: null })
  expect(boundsOf({ name: 'CI', permissions: ['registry', 'deploy'] }, now)).toMatchObject({
    name: 'CI',
    permissions: ['deploy', 'registry'],
  })
  const wrong = ['x', '1.2.3', '1.2.3.4/33', '::/129', '1.2.3.4/8/8', '1.2.3.4/', 'fe80::1%eth0', 'loopback']
  for (const network of wrong)
    expect(() => boundsOf({ allowed_addresses: ['::1', network] }, now)).toThrow(
      expect.objectContaining({
        answer: {
          fields: [{ path: 'allowed_addresses.1', message: 'must be an address or a network such as 203.0.113.0/24' }],
        },
      }),
    )
  expect(() => boundsOf({ expires_at: now.toISOString() }, now)).toThrow(
    expect.objectContaining({ answer: { fields: [{ path: 'expires_at', message: 'must be a time to come' }] } }),
  )
  const { expires_at } = boundsOf({ expires_at: '2026-01-31T12:00:00.001Z' }, now)
  expect([hasEnded({ expires_at }, now), hasEnded({ expires_at }, expires_at!)]).toEqual([false, true])
  expect(hasEnded(anywhere, now)).toBe(false)
})
