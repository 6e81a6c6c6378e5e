import { expect, test } from 'vitest'
import { adminListCampaigns, createCampaign, updateCampaign } from '../../contract/admin-campaigns.ts'
import { recordAdEvent } from '../../contract/ads.ts'
import { digestTables } from '../test/table-digests.ts'
import { race, sharedService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused, unstorable } from '../test/refusals.ts'
import { auditOf, raw, theAdmin, world } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)
const least = { name: 'Lamps', surface_type: 'banner', payout_rate: 0.25 } as const
const all = {
  name: 'Kites',
  surface_type: 'native',
  payout_rate: 1.5,
  weight: 7,
  active: false,
  starts_at: '2030-01-01T00:00:00.000Z',
  ends_at: '2030-02-01T00:00:00.000Z',
  max_impressions: 9_007_199_254_740_991,
  bitcoin_tier: 'gold',
  targeting_metadata: { countries: ['nz'], nested: { list: [1, null, 'x'] } },
} as const
const unbounded = {
  starts_at: null,
  ends_at: null,
  max_impressions: null,
  bitcoin_tier: null,
  targeting_metadata: null,
}
const nowhere = '01890000-0000-7000-8000-000000000000'
const some_text = expect.any(String) as string

const send = async (method: string, path: string, body: unknown) =>
  outcome(
    await raw(plaza, method, path, {
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )

test('D-81 POST campaigns: 201 with the campaign; defaults are no limits, active and weight 1', async () => {
  const now = plaza.clock.now().toISOString()
  const reply = await admin.api.call(createCampaign, { body: least })
  const fresh = { id: some_text, impressions: 0, clicks: 0, inserted_at: now, updated_at: now }
  expect(outcome(reply)).toEqual([201, { ...least, ...unbounded, weight: 1, active: true, ...fresh }])
  const full = await admin.api.call(createCampaign, {
    body: { ...all, targeting_metadata: { ...all.targeting_metadata } },
  })
  expect(outcome(full)).toEqual([201, { ...all, ...fresh }])
})

test('D-81 every change is audited with actor, action and only the settings that were sent', async () => {
  const { id } = await admin.api.result(createCampaign, { body: { ...least, weight: 2 } })
  await send('PUT', `/api/admin/campaigns/${id}`, { ends_at: null, active: false, impressions: 99, junk: 'x' })
  const actor_id = admin.id
  expect(await auditOf(admin, id)).toEqual([
    { action: 'campaign.update', actor_id, details: { ends_at: null, active: false } },
    { action: 'campaign.create', actor_id, details: { ...least, weight: 2, active: true } },
  ])
})

test('D-81 PUT campaigns: updates the sent fields only, keeps the counts, and null removes a limit', async () => {
  const { tokens } = await world(plaza)
  const created = await admin.api.result(createCampaign, {
    body: { ...all, active: true, starts_at: plaza.clock.now().toISOString(), targeting_metadata: { a: 1 } },
  })
  await tokens.api.result(recordAdEvent, { body: { campaign_id: created.id, event_type: 'click' } })
  plaza.clock.advance(5)
  const updated_at = plaza.clock.now().toISOString()
  const change = async (body: Record<string, unknown>) => send('PUT', `/api/admin/campaigns/${created.id}`, body)
  const counted = { ...created, clicks: 1, updated_at }
  expect(await change({})).toEqual([200, counted])
  expect(await change({ name: 'Boats', weight: 1 })).toEqual([200, { ...counted, name: 'Boats', weight: 1 }])
  const bounds_gone = { ...counted, name: 'Boats', weight: 1, ...unbounded }
  expect(await change({ ...unbounded })).toEqual([200, bounds_gone])
  // D-07: unknown fields are ignored.
  expect(await change({ id: nowhere, impressions: 5, clicks: 5, inserted_at: all.starts_at })).toEqual([
    200,
    bounds_gone,
  ])
  expect(await change({ starts_at: '2030-01-01T01:00:00+01:00' })).toEqual([
    200,
    { ...bounds_gone, starts_at: '2030-01-01T00:00:00.000Z' },
  ])
})

const nested = (levels: number): Record<string, unknown> =>
  JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as Record<string, unknown>

const too_long = 'must not be longer than 10000 characters of JSON'
const too_deep = 'must not be nested deeper than 32 levels'

test('D-81 settings that break a rule are 422, named in the error, and change nothing', async () => {
  const { id } = await admin.api.result(createCampaign, { body: { ...least, ends_at: '2030-01-01T00:00:00Z' } })
  const bad: [Record<string, unknown>, path: string, ...messages: string[]][] = [
    [{ starts_at: '2016-12-31T23:59:60Z' }, 'starts_at', 'is not a moment'],
    [{ ends_at: '2016-12-31T23:59:60Z' }, 'ends_at', 'is not a moment'],
    [{ starts_at: '2029-06-01T00:00:00Z', ends_at: '2029-06-01T00:00:00Z' }, 'ends_at', 'must be after starts_at'],
    [{ targeting_metadata: { text: 'a\0' } }, 'targeting_metadata.text', unstorable],
    [{ targeting_metadata: { text: 'x'.repeat(10_000) } }, 'targeting_metadata', too_long],
    [{ targeting_metadata: nested(33) }, 'targeting_metadata', too_deep],
    [{ targeting_metadata: nested(2_000) }, '', 'must not be nested deeper than 40 levels'],
  ]
  expect((await send('PUT', `/api/admin/campaigns/${id}`, { targeting_metadata: nested(32) }))[0]).toBe(200)
  const before = await digestTables(plaza)
  for (const [part, path, ...messages] of bad) {
    const refusal = refused(
      'validation_failed',
      messages.map((message) => ({ path, message })),
    )
    expect([part, ...(await send('POST', '/api/admin/campaigns', { ...least, ...part }))]).toEqual([part, ...refusal])
    expect([part, ...(await send('PUT', `/api/admin/campaigns/${id}`, part))]).toEqual([part, ...refusal])
  }
  expect(await send('PUT', `/api/admin/campaigns/${id}`, '{"targeting_metadata":{"a":[1e400]}}')).toEqual(
    refused('validation_failed', [{ path: 'targeting_metadata', message: 'must not hold a number that is too large' }]),
  )
  // The new start is validated against the stored end.
  expect(await send('PUT', `/api/admin/campaigns/${id}`, { starts_at: '2031-01-01T00:00:00Z' })).toEqual(
    refused('validation_failed', [{ path: 'ends_at', message: 'must be after starts_at' }]),
  )
  expect(await digestTables(plaza)).toEqual(before)
})

test('D-81 GET campaigns: newest first, pages without gaps or repeats, an invalid cursor is 422', async () => {
  for (let made = 0; made < 5; made++)
    await admin.api.result(createCampaign, { body: { ...least, name: `no ${made}` } })
  const whole = (await admin.api.result(adminListCampaigns, { query: { limit: 100 } })).data
  expect(whole.slice(0, 5).map(({ name }) => name)).toEqual(['no 4', 'no 3', 'no 2', 'no 1', 'no 0'])
  const paged = await rowsOfPages((next) => admin.api.result(adminListCampaigns, { query: { limit: 2, ...next } }))
  expect(paged).toEqual(whole)
  expect(outcome(await admin.api.call(adminListCampaigns, { query: { cursor: 'nonsense' } }))).toEqual(
    refused('validation_failed', [{ path: 'cursor', message: 'is not a cursor of this list' }]),
  )
})

test('D-81 PUT campaigns: concurrent changes of different settings are all kept, and so are the counts', async () => {
  const { tokens } = await world(plaza)
  const { id } = await admin.api.result(createCampaign, { body: least })
  const changes = [{ name: 'Boats' }, { weight: 5 }, { bitcoin_tier: 'gold' }, { max_impressions: 1000 }]
  await race(plaza, 20, async (at) =>
    at % 2
      ? admin.api.result(updateCampaign, { params: { id }, body: changes[(at >> 1) % 4] ?? {} })
      : tokens.api.result(recordAdEvent, { body: { campaign_id: id, event_type: 'impression' } }),
  )
  const [campaign] = (await admin.api.result(adminListCampaigns, { query: { limit: 1 } })).data
  expect(campaign).toMatchObject({ id, ...Object.assign({}, ...changes), impressions: 10 })
})
