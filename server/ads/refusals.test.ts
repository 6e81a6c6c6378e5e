import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { rejectApp } from '../../contract/admin.ts'
import { createCampaign } from '../../contract/admin-campaigns.ts'
import * as contract from '../../contract/ads.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { startTestService } from '../test/harness.ts'
import * as cases from '../test/refusal-cases.ts'
import { fewer, invalid, no_text, outcome, refused, unstorable } from '../test/refusals.ts'
import { raw, someTokens, theAdmin, world } from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)
const { user, app, tokens } = await world(plaza)
const unknown_id = '01890000-0000-7000-8000-000000000000'

const newCampaign = async (settings: object = {}) =>
  (
    await admin.api.result(createCampaign, {
      body: { name: 'Lamps', payout_rate: 0.25, surface_type: 'banner', ...settings },
    })
  ).id
const campaign_id = await newCampaign()

/** An allowed call of each endpoint, with the app's token. */
const allowed = {
  serveAd: { query: { surface_type: 'banner' } },
  recordAdEvent: { body: { campaign_id, event_type: 'click' } },
} satisfies Record<string, cases.Sent>
type Name = keyof typeof allowed
const names = Object.keys(allowed) as Name[]
const declared: Record<Name, Declaration> = { ...contract }

const call = async (name: Name, change: cases.Sent = {}, api = tokens.api) =>
  outcome(await cases.send(api, declared[name], { ...allowed[name], ...change }))

const writtenOnPurpose = cases.expectNoWrites(plaza, ['campaigns', 'ad_events', 'transfers', 'point_accounts'])

test('the calls of this file are those of all endpoints of the domain', () => {
  const mounted = plaza.service.app.endpoints.filter(({ tag }) => tag === 'Ads')
  expect(new Set(names.map((name) => declared[name]))).toEqual(new Set(mounted))
})

async function credentialsForNoApp() {
  const expired = await someTokens(await plaza.startAnother({ ACCESS_TOKEN_TTL: '1' }), app, user)
  plaza.clock.advance(2)
  const [disconnected, unapproved, suspended] = [await world(plaza), await world(plaza), await world(plaza)]
  await disconnected.user.api.result(disconnectApp, { params: { app_id: disconnected.app.id } })
  await admin.api.result(rejectApp, { params: { id: unapproved.app.id }, body: {} })
  await cases.suspend(plaza, suspended.user)
  const other_scopes = await world(plaza, { scopes: ['points:read', 'points:spend'] })
  return [
    ['no token', 'unauthorized', undefined],
    ['what is no token', 'invalid_token', 'nonsense'],
    ['a person’s JWT', 'invalid_token', user.token],
    ['a refresh token', 'invalid_token', tokens.refresh_token],
    ['a session token', 'invalid_token', tokens.session_token],
    ['an expired token', 'invalid_token', expired.access_token],
    ['a token of a connection that was ended', 'invalid_token', disconnected.tokens.access_token],
    ['a token of an app that is approved no more', 'invalid_token', unapproved.tokens.access_token],
    ['a token for somebody suspended', 'invalid_token', suspended.tokens.access_token],
    ['a token without profile:read', 'insufficient_scope', other_scopes.tokens.access_token],
  ] as const
}

test.each(await credentialsForNoApp())(
  'D-04: with %s every call is 401 %s, and nothing is written',
  async (_, code, token) => {
    const api = new PlazaClient(plaza.url, token)
    for (const name of names) expect([name, await call(name, {}, api)]).toEqual([name, refused(code)])
  },
)

const no_surface = `must be one of ${contract.surface_types.join(', ')}`
const surface_faults: cases.RefusedValues = [
  ...cases.missing,
  ['', no_surface],
  ['Banner', no_surface],
  ['popup', no_surface],
  ['banner\0', unstorable],
]

test('spec ads/serve: surface_type is required and one of five, else 422', async () => {
  for (const [surface_type, ...messages] of surface_faults)
    expect([surface_type, await call('serveAd', { query: { surface_type } })]).toEqual([
      surface_type,
      invalid('surface_type', ...messages),
    ])
  const list = { 'surface_type[]': 'banner' }
  expect(await call('serveAd', { query: list })).toEqual(invalid('surface_type', no_text, no_surface))
})

const { surface_type_max } = decisions.ad_events
const fields: [field: string, cases.RefusedValues][] = [
  ['campaign_id', cases.refused_ids],
  ['event_type', cases.refusedWords(contract.ad_event_types)],
  ['surface_type', [['', fewer(1)], ...cases.refusedTexts(surface_type_max).filter(([value]) => value !== null)]],
]

test.each(fields)('spec ads/event: an invalid `%s` is 422 and named', async (field, faults) => {
  for (const [value, ...messages] of faults) {
    const body = { ...allowed.recordAdEvent.body, [field]: value }
    expect([value, await call('recordAdEvent', { body })]).toEqual([value, invalid(field, ...messages)])
  }
})

test.each([[[]], [null], ['text'], [7]])('D-04: ads/event: the body %j is no object and 422', async (body) => {
  expect(await call('recordAdEvent', { body })).toEqual(invalid('', 'must be object'))
})

test('D-04: ads/event: all errors of a body are named', async () => {
  const both = [
    { path: 'campaign_id', message: 'is required' },
    { path: 'event_type', message: 'is required' },
  ]
  for (const body of [{}, undefined])
    expect(await call('recordAdEvent', { body })).toEqual(refused('validation_failed', both))
})

test.each([
  ['application/json', '{', 400, 'Bad Request'],
  ['application/x-www-form-urlencoded', 'event_type=click', 415, 'Unsupported Media Type'],
  ['application/json', `{"event_type":"${'x'.repeat(2 ** 20)}"}`, 413, 'Payload Too Large'],
])('D-03: ads/event: a body of %s, %.12s, is refused unread: %d', async (type, body, status, detail) => {
  const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': type }
  const reply = await raw(plaza, 'POST', '/api/external/ads/event', { headers, body })
  expect(outcome(reply)).toEqual([status, { errors: { detail } }])
})

test('D-79 ads/serve: 404 no_campaign where no campaign has the surface', async () => {
  expect(await call('serveAd', { query: { surface_type: 'video' } })).toEqual(refused('no_campaign'))
})

const inMinutes = (minutes: number) => new Date(plaza.clock.now().getTime() + minutes * 60_000).toISOString()
const nothing_to_count = [
  ['unknown', unknown_id],
  ['inactive', await newCampaign({ active: false })],
  ['not begun', await newCampaign({ starts_at: inMinutes(1) })],
  ['long over', await newCampaign({ ends_at: inMinutes(-61) })],
] as const

test.each(nothing_to_count)('D-79 ads/event: a campaign that is %s is 404', async (_, id) => {
  for (const event_type of contract.ad_event_types)
    expect(await call('recordAdEvent', { body: { campaign_id: id, event_type } })).toEqual(refused('not_found'))
})

test('D-79 ads/event: an impression of a campaign without budget is 404', async () => {
  const id = await newCampaign({ max_impressions: 1 })
  const seen = { body: { campaign_id: id, event_type: 'impression' } }
  expect((await call('recordAdEvent', seen))[0]).toBe(201)
  await writtenOnPurpose()
  expect(await call('recordAdEvent', seen)).toEqual(refused('not_found'))
})

test('the unchanged calls of this file succeed', async () => {
  expect([(await call('serveAd'))[0], (await call('recordAdEvent'))[0]]).toEqual([200, 201])
  await writtenOnPurpose()
})
