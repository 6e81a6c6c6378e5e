import { expect, test } from 'vitest'
import { proxyEndpoint, escapeAttribute } from './settings.rules.ts'

const local = {
  public_url: 'http://localhost:3000',
  apps_domain: 'apps.localhost',
  is_behind_proxy: false,
  router: { host: 'localhost', port: 3080 },
}

test('with an HTTPS public URL apps have the same scheme and port', () => {
  expect(proxyEndpoint({ ...local, public_url: 'https://plaza.test', is_behind_proxy: true })).toEqual({
    scheme: 'https',
    port: '',
  })
  expect(proxyEndpoint({ ...local, public_url: 'https://plaza.test:8443' })).toEqual({ scheme: 'https', port: '8443' })
})

test('without an edge apps are at the router’s port', () => {
  expect(proxyEndpoint(local)).toEqual({ scheme: 'http', port: '3080' })
  expect(proxyEndpoint({ ...local, router: { host: '0.0.0.0', port: 80 }, apps_domain: 'apps.test' })).toEqual({
    scheme: 'http',
    port: '',
  })
})

test('where the public address is unknown, the endpoint is null', () => {
  expect(proxyEndpoint({ ...local, router: undefined })).toBeNull()
  expect(proxyEndpoint({ ...local, router: { host: 'localhost', port: 0 } })).toBeNull()
  expect(proxyEndpoint({ ...local, is_behind_proxy: true })).toBeNull()
  expect(proxyEndpoint({ ...local, apps_domain: 'apps.test' })).toBeNull()
})

test('settings cannot break out of their attribute', () => {
  const settings = {
    apps: { domain: '"><script>&', proxy_endpoint: null },
    is_billing_on: false,
    is_mail_sent: true,
    has_passkeys: false,
    is_sandbox: false,
    do_rewards_wait: true,
    admin_second_factor: 'advised' as const,
  }
  expect(escapeAttribute(settings)).not.toMatch(/["<>]/)
  expect(escapeAttribute(settings)).toContain('&quot;&gt;&lt;script&gt;&amp;')
})
