import { expect, test } from 'vitest'
import { register } from '../../contract/accounts.ts'
import { adminListCampaigns, createCampaign, updateCampaign } from '../../contract/admin-campaigns.ts'
import { createDeployment, listDeployments } from '../../contract/deployments.ts'
import { createApp, listMyApps, requestScopes, updateMyApp } from '../../contract/oauth-apps.ts'
import { getOperatorApp, updateOperatorApp } from '../../contract/operators.ts'
import { PlazaClient } from '../../contract/client.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { sharedService } from '../test/harness.ts'
import { someHostingApp } from '../test/hosting-world.ts'
import { blank, fewer, no_text, outcome, refused, required, send, unstorable } from '../test/refusals.ts'
import { someApp, someTokens, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const https_only = 'must use https, or http on 127.0.0.1, [::1] or localhost'

/** The error response that names these fields, in this order. */
const faults = (...fields: [path: string, message: string][]) =>
  refused(
    'validation_failed',
    fields.map(([path, message]) => ({ path, message })),
  )

const byPath = (answer: unknown) =>
  (answer as { fields: { path: string; message: string }[] }).fields.toSorted((a, b) => (a.path < b.path ? -1 : 1))

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
    faults(['app_name', blank], ['redirect_uris.1', https_only], ['logo_url', field_errors.web_url]),
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
      ['logo_url', field_errors.web_url],
      ['website_url', field_errors.web_url],
      ['requested_scopes.1', 'is not a scope'],
    ),
  )
  // A field with a wrong type is reported once.
  expect(await refusal({ app_name: 7, redirect_uris: [good, 7, 'x'], website_url: 'x' })).toEqual(
    faults(
      ['app_name', no_text],
      ['redirect_uris.1', no_text],
      ['redirect_uris.2', 'is not an absolute URI'],
      ['website_url', field_errors.web_url],
    ),
  )
  expect(await refusal({ redirect_uris: 'x', logo_url: 'x' })).toEqual(
    faults(['app_name', required], ['redirect_uris', 'must be array'], ['logo_url', field_errors.web_url]),
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
    faults(['app_name', blank], ['redirect_uris.0', 'is not an absolute URI'], ['website_url', field_errors.web_url]),
  )
  const requested_scopes = ['no:scope', 'points:spend', 'neither']
  expect(outcome(await send(owner.api, requestScopes, { params, body: { requested_scopes } }))).toEqual(
    faults(['requested_scopes.0', 'is not a scope'], ['requested_scopes.2', 'is not a scope']),
  )
})

test('D-04: all errors of an operator’s change of the app are reported at once, and ignored fields are not among them', async () => {
  const app = await someApp(plaza, { scopes: ['app:balance:read'] })
  const { api } = await someTokens(plaza, app, app.owner, ['app:balance:read'])
  const before = await api.result(getOperatorApp)
  const body = { app_name: ' ', redirect_uris: ['x', 7], website_url: 'x', app_description: 7, logo_url: 'x' }
  const [status, answer] = outcome(await send(api, updateOperatorApp, { body }))
  expect(status).toBe(422)
  expect(byPath(answer)).toEqual([
    { path: 'app_description', message: 'must be string or null' },
    { path: 'app_name', message: blank },
    { path: 'redirect_uris.0', message: 'is not an absolute URI' },
    { path: 'redirect_uris.1', message: no_text },
    { path: 'website_url', message: field_errors.web_url },
  ])
  expect(await api.result(getOperatorApp)).toEqual(before)
})

test('D-04: all errors of a registration are reported at once', async () => {
  const body = { username: 'a b', email: 'nowhere', password: 'short', referral_code: 7 }
  const [status, answer] = outcome(await send(new PlazaClient(plaza.url), register, { body }))
  expect(status).toBe(422)
  expect(byPath(answer)).toEqual([
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
  // With errors of the schema, those of the rules are reported too.
  const misshapen = {
    name: 'a',
    subdomain: 'b',
    tier: 7,
    env_vars: { ...deployment.env_vars, B: 7 },
    custom_domain: 'a b',
  }
  const [status, answer] = outcome(await send(api, createDeployment, { body: misshapen }))
  expect([status, ...byPath(answer)]).toEqual([
    422,
    { path: 'custom_domain', message: 'must be a plain domain name' },
    { path: 'env_vars.A', message: 'must not be longer than 32768 bytes' },
    { path: 'env_vars.B', message: no_text },
    { path: 'image', message: required },
    { path: 'name', message: 'must be the same as subdomain' },
    { path: 'tier', message: no_text },
  ])
  expect((await api.result(listDeployments)).deployments).toEqual([])

  const admin = await theAdmin(plaza)
  const campaigns = async () => (await admin.api.result(adminListCampaigns)).data
  const before = await campaigns()
  const campaign = {
    name: 'C',
    surface_type: 'banner',
    payout_rate: 1,
    starts_at: '2026-12-31T23:59:60Z',
    targeting_metadata: { a: 'x'.repeat(10_001) },
  }
  expect(outcome(await send(admin.api, createCampaign, { body: campaign }))).toMatchObject([
    422,
    {
      fields: [
        { path: 'starts_at', message: 'is not a moment' },
        { path: 'targeting_metadata', message: 'must not be longer than 10000 characters of JSON' },
      ],
    },
  ])
  const bad = { ...campaign, payout_rate: 'x', ends_at: 7 }
  const by_schema_and_rule = [
    422,
    { path: 'ends_at', message: 'must be string or null' },
    { path: 'payout_rate', message: 'must be number' },
    { path: 'starts_at', message: 'is not a moment' },
    { path: 'targeting_metadata', message: 'must not be longer than 10000 characters of JSON' },
  ]
  const refusal = async (endpoint: typeof createCampaign | typeof updateCampaign, request: object) => {
    const [status, answer] = outcome(await send(admin.api, endpoint, request))
    return [status, ...byPath(answer)]
  }
  expect(await refusal(createCampaign, { body: bad })).toEqual(by_schema_and_rule)
  const params = { id: '019a0000-0000-7000-8000-000000000000' }
  expect(await refusal(updateCampaign, { params, body: bad })).toEqual(by_schema_and_rule)
  const dates = { starts_at: '2026-12-01T00:00:00Z', ends_at: '2026-11-01T00:00:00Z' }
  expect(await refusal(createCampaign, { body: { ...dates, surface_type: 'banner' } })).toEqual([
    422,
    { path: 'ends_at', message: 'must be after starts_at' },
    { path: 'name', message: required },
    { path: 'payout_rate', message: required },
  ])
  expect(await campaigns()).toEqual(before)
})
