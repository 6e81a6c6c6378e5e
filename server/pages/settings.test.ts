import { expect, test } from 'vitest'
import { doorOf, inAttribute } from './settings.rules.ts'

const local = {
  public_url: 'http://localhost:3000',
  apps_domain: 'apps.localhost',
  is_behind_proxy: false,
  router: { host: 'localhost', port: 3080 },
}

test('the edge that serves the platform over TLS serves apps at the same port', () => {
  expect(doorOf({ ...local, public_url: 'https://plaza.test', is_behind_proxy: true })).toEqual({
    scheme: 'https',
    port: '',
  })
  expect(doorOf({ ...local, public_url: 'https://plaza.test:8443' })).toEqual({ scheme: 'https', port: '8443' })
})

test('without an edge apps are at the router’s port', () => {
  expect(doorOf(local)).toEqual({ scheme: 'http', port: '3080' })
  expect(doorOf({ ...local, router: { host: '0.0.0.0', port: 80 }, apps_domain: 'apps.test' })).toEqual({
    scheme: 'http',
    port: '',
  })
})

test('where nobody can know the address from outside, none is told', () => {
  expect(doorOf({ ...local, router: undefined })).toBeNull()
  expect(doorOf({ ...local, router: { host: 'localhost', port: 0 } })).toBeNull()
  expect(doorOf({ ...local, is_behind_proxy: true })).toBeNull()
  expect(doorOf({ ...local, apps_domain: 'apps.test' })).toBeNull()
})

test('settings cannot leave the attribute that they stand in', () => {
  const settings = { apps: { domain: '"><script>&', proxy_endpoint: null }, is_billing_on: false, is_mail_sent: true }
  expect(inAttribute(settings)).not.toMatch(/["<>]/)
  expect(inAttribute(settings)).toContain('&quot;&gt;&lt;script&gt;&amp;')
})
