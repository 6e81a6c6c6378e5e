import { expect, test } from 'vitest'
import { adminListDeployTiers, createDeployTier } from '../../contract/admin-deployments.ts'
import { listDeployTiers } from '../../contract/deployments.ts'
import { digestTables } from '../test/table-digests.ts'
import { startTestService } from '../test/harness.ts'
import { minimal_tier, someHostingApp } from '../test/hosting-world.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { auditOf, jsonCaller, theAdmin } from '../test/world.ts'
import { hosting_settings } from '../test/settings.ts'

const plaza = await startTestService(hosting_settings)
const admin = await theAdmin(plaza)
const app = await someHostingApp(plaza)
const some_text = expect.any(String) as string
const nowhere = '01890000-0000-7000-8000-000000000000'

const all = {
  name: 'Large',
  slug: 'large-1',
  payment_method: 'bitcoin',
  memory_limit_mb: 4096,
  cpu_limit_millicores: 4000,
  custom_domain_allowed: true,
  replicas_max: 3,
  monthly_stipend_points: 7,
  ad_reach_multiplier: '2.125',
  monthly_cost_points: null,
  monthly_cost_sats: 9_007_199_254_740_991,
} as const

const send = jsonCaller(plaza, admin.token)

test('D-63 POST deploy-tiers: 201 with the tier, which is offered immediately; it is audited', async () => {
  const now = plaza.clock.now().toISOString()
  const fresh = { id: some_text, retired: false, inserted_at: now, updated_at: now }
  const defaults = {
    custom_domain_allowed: false,
    replicas_max: 1,
    monthly_stipend_points: 0,
    ad_reach_multiplier: '1.0',
    monthly_cost_points: null,
    monthly_cost_sats: null,
  }
  const small = await send('POST', '/api/admin/tiers', { ...minimal_tier, retired: true, id: nowhere })
  expect(small).toEqual([201, { ...minimal_tier, ...defaults, ...fresh }])
  const large = await admin.api.call(createDeployTier, { body: all })
  expect(outcome(large)).toEqual([201, { ...all, ...fresh }])
  const { id } = large.body as { id: string }
  expect(await auditOf(admin, id)).toEqual([{ action: 'deploy_tier.create', actor_id: admin.id, details: all }])
  const { tiers } = await app.api.result(listDeployTiers)
  const { retired: _, inserted_at: _at, updated_at: _then, ...shown } = (large.body ?? {}) as Record<string, unknown>
  expect(tiers).toContainEqual(shown)
})

test('D-63 PUT deploy-tiers: updates the sent fields, null removes a price, retired ends the offer', async () => {
  const created = await admin.api.result(createDeployTier, { body: { ...all, slug: 'change-me' } })
  plaza.clock.advance(5)
  const updated_at = plaza.clock.now().toISOString()
  const change = (body: Record<string, unknown>) => send('PUT', `/api/admin/tiers/${created.id}`, body)
  expect(await change({})).toEqual([200, { ...created, updated_at }])
  const changed = { ...created, updated_at, name: 'Other', monthly_cost_sats: null, retired: true }
  expect(await change({ name: 'Other', monthly_cost_sats: null, retired: true, id: nowhere, junk: 1 })).toEqual([
    200,
    changed,
  ])
  expect((await auditOf(admin, created.id))[0]).toEqual({
    action: 'deploy_tier.update',
    actor_id: admin.id,
    details: { name: 'Other', monthly_cost_sats: null, retired: true },
  })
  const { tiers } = await app.api.result(listDeployTiers)
  expect(tiers.map(({ id }) => id)).not.toContain(created.id)
  const { data } = await admin.api.result(adminListDeployTiers, { query: { limit: 100 } })
  expect(data).toContainEqual(changed)
})

const bad_slug = 'must be small letters, digits and inner hyphens'
const bad_multiplier = 'must be a number such as 1.0 or 2.5'

test('D-63 a malformed slug or multiplier of a tier is 422, a taken slug 409; nothing changes', async () => {
  const { id } = await admin.api.result(createDeployTier, { body: { ...minimal_tier, slug: 'steady' } })
  const before = await digestTables(plaza)
  const bad: [Record<string, unknown>, path: string, ...messages: string[]][] = [
    ...['', 'A', 'a b', '-a', 'a-', 'a\n'].map((slug): [Record<string, unknown>, string, string] => [
      { slug },
      'slug',
      bad_slug,
    ]),
    ...['-1', '1e3', '1\n', '01', '1.'].map((value): [Record<string, unknown>, string, string] => [
      { ad_reach_multiplier: value },
      'ad_reach_multiplier',
      bad_multiplier,
    ]),
  ]
  for (const [part, path, ...messages] of bad) {
    const refusal = invalid(path, ...messages)
    expect([part, ...(await send('POST', '/api/admin/tiers', { ...minimal_tier, slug: 'new', ...part }))]).toEqual([
      part,
      ...refusal,
    ])
    expect([part, ...(await send('PUT', `/api/admin/tiers/${id}`, part))]).toEqual([part, ...refusal])
  }
  expect(await send('POST', '/api/admin/tiers', { ...minimal_tier, slug: 'starter' })).toEqual(refused('slug_taken'))
  expect(await send('PUT', `/api/admin/tiers/${id}`, { slug: 'starter' })).toEqual(refused('slug_taken'))
  expect(await digestTables(plaza)).toEqual(before)
})
