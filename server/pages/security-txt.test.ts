import { expect, test } from 'vitest'
import { startTestService } from '../test/harness.ts'
import { raw } from '../test/world.ts'

const contacts = ['mailto:security@plaza.test', 'https://plaza.test/report?a=1&b=2']
const plaza = await startTestService({ SECURITY_CONTACT: contacts.join(', ') })
const secure = await plaza.startAnother({ PUBLIC_URL: 'https://plaza.test' })
const silent = await plaza.startAnother({ SECURITY_CONTACT: '' })
const path = '/.well-known/security.txt'

test('security.txt names every contact, an end in less than a year, and its own address', async () => {
  const { status, headers, text } = await raw(secure, 'GET', path)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(headers.get('cache-control')).toBe('public, max-age=86400')
  const expires = /^Expires: (\d{4}-\d\d-\d\dT00:00:00Z)$/m.exec(text)?.[1] ?? 'none'
  expect(text).toBe(
    `Contact: ${contacts[0]}\nContact: ${contacts[1]}\nExpires: ${expires}\nPreferred-Languages: en\n` +
      `Canonical: https://plaza.test${path}\n`,
  )
  const days = (Date.parse(expires) - plaza.clock.now().getTime()) / 86_400_000
  expect(days).toBeGreaterThan(178)
  expect(days).toBeLessThan(366)
})

test('security.txt names no own address where that is not https (RFC 9116 §2.5.2)', async () => {
  expect((await raw(plaza, 'GET', path)).text).toMatch(/^(?!.*Canonical:)[\s\S]*\nPreferred-Languages: en\n$/)
})

test('security.txt never expires while the service runs: a year later it ends a year later', async () => {
  const expiry = async () => Date.parse(/^Expires: (.*)$/m.exec((await raw(plaza, 'GET', path)).text)?.[1] ?? '')
  const first = await expiry()
  plaza.clock.advance(365 * 86_400)
  expect(await expiry()).toBe(first + 365 * 86_400_000)
})

test('security.txt is read only: HEAD is without a body, and there is nothing to POST to', async () => {
  const head = await raw(plaza, 'HEAD', path)
  expect([head.status, head.text]).toEqual([200, ''])
  const posted = await raw(plaza, 'POST', path)
  expect([posted.status, posted.body]).toEqual([404, { errors: { detail: 'Not Found' } }])
})

test('without SECURITY_CONTACT security.txt is 404, for a browser too', async () => {
  for (const accept of ['*/*', 'text/html']) {
    const { status, body } = await raw(silent, 'GET', path, { headers: { accept } })
    expect([status, body]).toEqual([404, { errors: { detail: 'Not Found' } }])
  }
})
