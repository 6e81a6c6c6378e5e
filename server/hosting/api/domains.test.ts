import { expect, test } from 'vitest'
import { decisions } from '../../../contract/decisions.ts'
import {
  createDeployment,
  destroyDeployment,
  getDeployment,
  getDeploymentDomain,
  verifyDeploymentDomain,
} from '../../../contract/deployments.ts'
import { race, startTestService } from '../../test/harness.ts'
import { startTestDns } from '../../test/dns-server.ts'
import { failRowUpdates } from '../../test/failing-row.ts'
import { any_image, freshName, someContainerHost, someHostingApp, withoutWaiting } from '../../test/hosting-world.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { deriveKey } from '../../platform/secrets.ts'
import { proofs_purpose } from './domains.service.ts'
import { provesOwnership, parseDomain, recordValue } from './domain.rules.ts'
import { hosting_settings, long_lifetimes } from '../../test/settings.ts'

const dns = await startTestDns()
const plaza = await startTestService({
  ...hosting_settings,
  ...long_lifetimes,
  DNS_SERVERS: dns.address,
  APPS_DOMAIN: 'apps.plaza-hosting.example',
  PUBLIC_URL: 'https://plaza-hosting.example',
})
await someContainerHost(plaza)
type HostingApp = Awaited<ReturnType<typeof someHostingApp>>
const { unproved_minutes, proved_minutes } = decisions.custom_domains

const create = (app: HostingApp, custom_domain: string, tier = 'standard') => {
  plaza.clock.advance(7)
  return app.api.call(createDeployment, { body: { subdomain: freshName(), image: any_image, tier, custom_domain } })
}
async function claim(app: HostingApp, domain: string) {
  const reply = await create(app, domain)
  return (reply.body as { id: string }).id
}
const domainOf = (app: HostingApp, id: string) => app.api.result(getDeploymentDomain, { params: { id } })
const verify = async (app: HostingApp, id: string) => {
  plaza.clock.advance(7)
  return outcome(await app.api.call(verifyDeploymentDomain, { params: { id } }))
}
const runCheck = () => plaza.service.app.jobs.find(({ name }) => name === 'deployments.check_claims')!.run({}, 'test')
const rowOf = async (id: string) =>
  (
    await plaza.db.sql<{ custom_domain: string | null; domain_verified_at: Date | null }>`
      select custom_domain, domain_verified_at from deployments where id = ${id}`
  )[0]
let made = 0
const freshDomain = () => `shop-${++made}.customers.example.com`

const names = { apps_domain: 'apps.plaza.example', public_host: 'plaza.example.org' }
const read = (text: string) => parseDomain(text, names)

test('D-61 a domain is parsed to lower case and ASCII', () => {
  for (const [text, domain] of [
    ['shop.example.com', 'shop.example.com'],
    ['SHOP.Example.COM', 'shop.example.com'],
    ['example.co.uk', 'example.co.uk'],
    ['a-b.x1.example.com', 'a-b.x1.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['shop。example。com', 'shop.example.com'],
    ['me.github.io', 'me.github.io'],
    ['xapps.plaza.example', 'xapps.plaza.example'],
    ['plaza.example', 'plaza.example'],
  ])
    expect([text, read(text!)]).toEqual([text, { domain }])
})

test('D-61 domains that nobody can own and the platform’s own domains are refused', () => {
  const bad = [
    // Not a registrable name
    '',
    'localhost',
    'co.uk',
    'github.io',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '１２７.0.0.1',
    // More than a name, or not a name
    'shop.example.com.',
    'a..example.com',
    '*.example.com',
    'shop.example.com:443',
    '_x.example.com',
    'https://shop.example.com',
    'shop.example.com/',
    'user@example.com',
    'a b.example.com',
    'shop.example.com\n',
    '%65xample.com',
    'a\\b.example.com',
    'a?b.example.com',
    'a#b.example.com',
    '-a.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}example.com`,
    'xn--a.example.com',
    // The platform's
    'apps.plaza.example',
    'X.APPS.PLAZA.EXAMPLE',
    'a.b.plaza.example.org',
    'x。apps。plaza。example',
  ]
  for (const text of bad) expect([text, 'error' in read(text)]).toEqual([text, true])
})

test('D-61 a proof is for one app and one domain; values of older keys are accepted', () => {
  const [newer, older] = [deriveKey('newer', proofs_purpose), deriveKey('older', proofs_purpose)]
  const value = recordValue(older, 'app', 'shop.example.com')
  const proves = (keys: Buffer[], app: string, domain: string, records: string[]) =>
    provesOwnership(keys, app, domain, records)
  expect(proves([newer, older], 'app', 'shop.example.com', ['v=spf1 -all', value])).toBe(true)
  expect(proves([newer, older], 'app', 'shop.example.com', [` ${value} `])).toBe(true)
  expect(proves([newer], 'app', 'shop.example.com', [value])).toBe(false)
  expect(proves([older], 'app2', 'shop.example.com', [value])).toBe(false)
  expect(proves([older], 'app', 'example.com', [value])).toBe(false)
  expect(proves([older], 'app', 'shop.example.com', [])).toBe(false)
  expect(proves([older], 'app', 'shop.example.com', [`${value}x`, value.slice(1), ''])).toBe(false)
})

test('D-61 a tier without custom domains, and an invalid domain: 422, and nothing is stored', async () => {
  const app = await someHostingApp(plaza)
  const count = async () => (await plaza.db.sql`select id from deployments`).length
  const before = await count()
  expect(outcome(await create(app, 'shop.example.com', 'starter'))).toEqual(
    refused('validation_failed', [{ path: 'custom_domain', message: 'is not part of this tier' }]),
  )
  const refusals = [
    ['*.example.com', 'must be a plain domain name'],
    ['x.apps.plaza-hosting.example', 'belongs to the platform'],
    ['plaza-hosting.example', 'belongs to the platform'],
    ['co.uk', 'is a public suffix, below which anybody can have a domain'],
  ] as const
  for (const [domain, message] of refusals)
    expect([domain, ...outcome(await create(app, domain))]).toEqual([
      domain,
      ...refused('validation_failed', [{ path: 'custom_domain', message }]),
    ])
  expect(await count()).toBe(before)
})

test('D-61 the owner reads the record, publishes it, and the domain is verified', async () => {
  const app = await someHostingApp(plaza)
  const domain = freshDomain()
  const id = await claim(app, domain.toUpperCase())
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject({ custom_domain: domain })
  const state = await domainOf(app, id)
  expect(state).toEqual({
    domain,
    record_name: `_plaza.${domain}`,
    record_value: expect.stringMatching(/^plaza-domain=[A-Za-z0-9_-]{43}$/) as string,
    verified_at: null,
  })
  expect(await verify(app, id)).toEqual([200, { ...state, found: [] }])
  dns.records.set(`_plaza.${domain}`, ['v=spf1 -all', 'plaza-domain=wrong'])
  expect(await verify(app, id)).toEqual([200, { ...state, found: ['v=spf1 -all', 'plaza-domain=wrong'] }])
  expect(dns.queried.filter((name) => name.toLowerCase() === `_plaza.${domain}`)).toHaveLength(2)
  dns.records.set(`_plaza.${domain}`, ['v=spf1 -all', state.record_value])
  const now = new Date(plaza.clock.now().getTime() + 7_000).toISOString()
  const found = ['v=spf1 -all', state.record_value]
  expect(await verify(app, id)).toEqual([200, { ...state, verified_at: now, found }])
  expect(await verify(app, id)).toEqual([200, { ...state, verified_at: now, found }])
  expect(await domainOf(app, id)).toEqual({ ...state, verified_at: now })
})

test('D-126: a check of a domain returns the DNS records, at most 20 and shortened; null without a response', async () => {
  const app = await someHostingApp(plaza)
  const domain = freshDomain()
  const id = await claim(app, domain)
  const texts = Array.from({ length: 25 }, (_, at) => `${at} `)
  dns.records.set(`_plaza.${domain}`, ['x'.repeat(600), ...texts])
  const [, shown] = await verify(app, id)
  expect(shown).toMatchObject({ verified_at: null, found: ['x'.repeat(500), ...texts.slice(0, 19)] })
  dns.silent = true
  expect(await verify(app, id)).toMatchObject([200, { verified_at: null, found: null }])
  dns.silent = false
})

test('a deployment without a custom domain has no record: 404', async () => {
  const app = await someHostingApp(plaza)
  const { id } = await app.api.result(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'starter' },
  })
  expect(outcome(await app.api.call(getDeploymentDomain, { params: { id } }))).toEqual(refused('not_found'))
  expect(await verify(app, id)).toEqual(refused('not_found'))
})

test('D-61 unverified claims do not block others; one claim at a time is verified and keeps the domain while its record exists', async () => {
  const [squatter, owner] = [await someHostingApp(plaza), await someHostingApp(plaza)]
  const domain = freshDomain()
  const [theirs, own] = [await claim(squatter, domain), await claim(owner, domain)]
  const { record_value } = await domainOf(owner, own)
  expect(record_value).not.toBe((await domainOf(squatter, theirs)).record_value)
  dns.records.set(`_plaza.${domain}`, [record_value])
  expect(await verify(squatter, theirs)).toMatchObject([200, { verified_at: null }])
  const [, proved] = await verify(owner, own)
  expect(proved).toMatchObject({ verified_at: expect.any(String) as string })
  // Both records exist: the holder keeps the domain.
  dns.records.set(`_plaza.${domain}`, [record_value, (await domainOf(squatter, theirs)).record_value])
  expect(await verify(squatter, theirs)).toEqual(refused('domain_taken'))
  expect((await rowOf(own))?.domain_verified_at).not.toBeNull()
  // The domain changed hands: the new record takes it over.
  dns.records.set(`_plaza.${domain}`, [(await domainOf(squatter, theirs)).record_value])
  expect(await verify(squatter, theirs)).toMatchObject([200, { verified_at: expect.any(String) as string }])
  expect((await rowOf(own))?.domain_verified_at).toBeNull()
})

test('D-61 of two deployments of one app that verify one domain concurrently, exactly one gets it', async () => {
  const app = await someHostingApp(plaza)
  const domain = freshDomain()
  const ids = [await claim(app, domain), await claim(app, domain)]
  dns.records.set(`_plaza.${domain}`, [(await domainOf(app, ids[0]!)).record_value])
  plaza.clock.advance(60)
  const replies = await race(plaza, 8, (at) => app.api.call(verifyDeploymentDomain, { params: { id: ids[at % 2]! } }))
  const rows = await Promise.all(ids.map(rowOf))
  expect(rows.filter((row) => row?.domain_verified_at).length).toBe(1)
  for (const reply of replies) if (reply.status !== 200) expect(outcome(reply)).toEqual(refused('domain_taken'))
})

test('D-61 records are checked again: a removed one ends the verification, a DNS timeout changes nothing', async () => {
  const app = await someHostingApp(plaza)
  const domain = freshDomain()
  const id = await claim(app, domain)
  const { record_value } = await domainOf(app, id)
  await runCheck()
  expect(await rowOf(id)).toEqual({ custom_domain: domain, domain_verified_at: null })
  dns.records.set(`_plaza.${domain}`, [record_value])
  await runCheck()
  expect((await rowOf(id))?.domain_verified_at).toBeNull()
  plaza.clock.advance(unproved_minutes * 60 + 1)
  await runCheck()
  const proved = await rowOf(id)
  expect(proved?.domain_verified_at).not.toBeNull()
  dns.silent = true
  plaza.clock.advance(proved_minutes * 60 + 1)
  await runCheck()
  expect(await rowOf(id)).toEqual(proved)
  dns.silent = false
  dns.records.delete(`_plaza.${domain}`)
  plaza.clock.advance(proved_minutes * 60 - 10)
  await runCheck()
  expect(await rowOf(id)).toEqual(proved)
  plaza.clock.advance(20)
  await runCheck()
  expect((await rowOf(id))?.domain_verified_at).toBeNull()
})

test('D-61 destroying a deployment releases its domain immediately', async () => {
  const [app, next] = [await someHostingApp(plaza), await someHostingApp(plaza)]
  const domain = freshDomain()
  const [id, theirs] = [await claim(app, domain), await claim(next, domain)]
  const values = [(await domainOf(app, id)).record_value, (await domainOf(next, theirs)).record_value]
  dns.records.set(`_plaza.${domain}`, values)
  await verify(app, id)
  expect(await verify(next, theirs)).toEqual(refused('domain_taken'))
  await withoutWaiting(plaza, id, () => app.api.result(destroyDeployment, { params: { id } }))
  expect(await rowOf(id)).toEqual({ custom_domain: null, domain_verified_at: null })
  expect(await verify(next, theirs)).toMatchObject([200, { verified_at: expect.any(String) as string }])
})

test('D-61 a claim whose check fails does not stop the others, and is checked again after the interval', async () => {
  const app = await someHostingApp(plaza, { points: 1_000_000 })
  const claims: { id: string; domain: string }[] = []
  for (let number = 0; number < 12; number++) {
    const domain = freshDomain()
    claims.push({ id: await claim(app, domain), domain })
  }
  for (const { id, domain } of claims) dns.records.set(`_plaza.${domain}`, [(await domainOf(app, id)).record_value])
  // Claims that were never checked come first.
  await plaza.db.sql`update deployments set domain_checked_at = 'epoch' where id = ${claims.at(-1)?.id}`
  for (const { id } of claims.slice(0, 11)) await failRowUpdates(plaza, 'deployments', id, 'domain_verified_at')
  plaza.clock.advance(unproved_minutes * 60 + 1)
  await expect(runCheck()).rejects.toThrow('this row fails')
  const verified = await Promise.all(claims.map(async ({ id }) => (await rowOf(id))?.domain_verified_at !== null))
  expect(verified).toEqual([...Array<boolean>(11).fill(false), true])
  await expect(runCheck()).resolves.toBeUndefined()
})
