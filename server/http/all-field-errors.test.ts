import { expect, test } from 'vitest'
import { register } from '../../contract/accounts.ts'
import { createCampaign } from '../../contract/admin-campaigns.ts'
import { createDeployment } from '../../contract/deployments.ts'
import { createApp, listMyApps, requestScopes, updateMyApp } from '../../contract/oauth-apps.ts'
import { PlazaClient } from '../../client/client.ts'
import { web_url_error as no_link } from '../oauth/rules.ts'
import { startTestService } from '../test/harness.ts'
import { someHostingApp } from '../test/hosting-world.ts'
import { send } from '../test/refusal-cases.ts'
import { blank, fewer, no_text, outcome, refused, required, unstorable } from '../test/refusals.ts'
import { someApp, someUser, theAdmin } from '../test/world.ts'

const plaza = await startTestService()
const https_only = 'must use https, or http on 127.0.0.1, [::1] or localhost'

/** The refusal that names these fields, in this order. */
const faults = (...fields: [path: string, message: string][]) =>
  refused(
    'validation_failed',
    fields.map(([path, message]) => ({ path, message })),
  )

test('D-04: all errors of a new app are reported at once, by schema and by rule', async () => {
  const good = 'https://app.test/cb'
  // The endpoint has a low rate limit.
  const refusal = async (body: unknown) => {
    const owner = await someUser(plaza)
    const answer = outcome(await send(owner.api, createApp, { body }))
    expect(await owner.api.result(listMyApps)).toEqual([])
    return answer
  }
  expect(await refusal({ app_name: ' ', redirect_uris: [good, 'http://app.test/cb'], logo_url: 'ftp://x' })).toEqual(
    faults(['app_name', blank], ['redirect_uris.1', https_only], ['logo_url', no_link]),
  )
  // With a valid schema, the errors of the rules are reported together too.
  expect(
    await refusal({
      app_name: 'App',
      redirect_uris: ['https://app.test/#a', good, 'nowhere'],
      logo_url: 'ftp://x',
      website_url: 'mailto:x@y',
      requested_scopes: ['profile:read', 'all:of:it'],
    }),
  ).toEqual(
    faults(
      ['redirect_uris.0', 'must have no fragment'],
      ['redirect_uris.2', 'is not an absolute URI'],
      ['logo_url', no_link],
      ['website_url', no_link],
      ['requested_scopes.1', 'is not a scope'],
    ),
  )
  // A field with a wrong type is reported once.
  expect(await refusal({ app_name: 7, redirect_uris: [good, 7, 'x'], website_url: 'x' })).toEqual(
    faults(
      ['app_name', no_text],
      ['redirect_uris.1', no_text],
      ['redirect_uris.2', 'is not an absolute URI'],
      ['website_url', no_link],
    ),
  )
  expect(await refusal({ redirect_uris: 'x', logo_url: 'x' })).toEqual(
    faults(['app_name', required], ['redirect_uris', 'must be array'], ['logo_url', no_link]),
  )
  expect(await refusal([])).toEqual(faults(['', 'must be object']))
  expect(await refusal({ app_name: 'a\0', redirect_uris: [good, '\ud800'] })).toEqual(
    faults(['app_name', unstorable], ['redirect_uris.1', unstorable]),
  )
})

test('D-04: all errors of app changes and scope requests are reported at once', async () => {
  const { id, owner } = await someApp(plaza)
  const params = { id }
  const body = { app_name: '', redirect_uris: ['x'], website_url: 'x' }
  expect(outcome(await send(owner.api, updateMyApp, { params, body }))).toEqual(
    faults(['app_name', blank], ['redirect_uris.0', 'is not an absolute URI'], ['website_url', no_link]),
  )
  const requested_scopes = ['no:scope', 'points:spend', 'neither']
  expect(outcome(await send(owner.api, requestScopes, { params, body: { requested_scopes } }))).toEqual(
    faults(['requested_scopes.0', 'is not a scope'], ['requested_scopes.2', 'is not a scope']),
  )
})

test('D-04: all errors of a registration are reported at once', async () => {
  const body = { username: 'a b', email: 'nowhere', password: 'short', referral_code: 7 }
  const [status, answer] = outcome(await send(new PlazaClient(plaza.url), register, { body }))
  const { fields } = answer as { fields: { path: string; message: string }[] }
  expect(status).toBe(422)
  expect(fields.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'email', message: 'must match format "email"' },
    { path: 'password', message: fewer(8) },
    { path: 'referral_code', message: no_text },
    { path: 'username', message: 'must be 3 to 32 letters, digits, dots, hyphens or underscores' },
  ])
})

test('D-04: all errors of a deployment and a campaign are reported at once', async () => {
  const { api } = await someHostingApp(plaza)
  const deployment = {
    image: 'x/y',
    tier: 'small',
    env_vars: { A: '🎲'.repeat(20_000) },
    custom_domain: 'a b',
    port: 80,
  }
  expect(outcome(await send(api, createDeployment, { body: deployment }))).toMatchObject([
    422,
    {
      fields: [
        { path: 'subdomain', message: required },
        { path: 'env_vars.A' },
        { path: 'custom_domain', message: 'must be a plain domain name' },
      ],
    },
  ])
  const campaign = {
    name: 'C',
    surface_type: 'banner',
    payout_rate: 1,
    starts_at: '2026-12-31T23:59:60Z',
    targeting_metadata: { a: 'x'.repeat(10_001) },
  }
  const admin = await theAdmin(plaza)
  expect(outcome(await send(admin.api, createCampaign, { body: campaign }))).toMatchObject([
    422,
    {
      fields: [
        { path: 'starts_at', message: 'is not a moment' },
        { path: 'targeting_metadata', message: 'must not be longer than 10000 characters of JSON' },
      ],
    },
  ])
})
