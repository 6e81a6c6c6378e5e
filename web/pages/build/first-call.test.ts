import { expect, test } from 'vitest'
import type { MyApp } from './access.ts'
import { firstCall } from './first-call.ts'

const codeOf = (app: Partial<MyApp>) => {
  const values = {
    client_id: 'abc',
    redirect_uris: ["https://a.test/cb?x=1&y='"],
    allowed_scopes: ['profile:read'],
    ...app,
  }
  return firstCall(values as MyApp, 'https://plaza.test').map(({ code }) => code)
}

test('the first call has the values of the app, encoded for a shell', () => {
  const [ask = '', exchange = '', call] = codeOf({})
  expect(ask).toContain('?client_id=abc&redirect_uri=https%3A%2F%2Fa.test%2Fcb%3Fx%3D1%26y%3D%27&scope=profile%3Aread&')
  expect(exchange).toContain('--user "abc:$client_secret"')
  expect(exchange).toContain("'redirect_uri=https%3A%2F%2Fa.test%2Fcb%3Fx%3D1%26y%3D%27'")
  expect(call).toContain('/api/external/user')
})

test('the first call is one that the scopes of the app allow, and spends nothing if it may read', () => {
  for (const [allowed_scopes, path] of [
    [['points:read'], 'points"'],
    [['profile:read', 'points:read', 'points:spend'], 'points"'],
    [['profile:read', 'points:spend'], 'user"'],
    [['points:spend'], 'points/spend"'],
  ] as const)
    expect(codeOf({ allowed_scopes: [...allowed_scopes] })[2]).toContain(`/api/external/${path}`)
})
