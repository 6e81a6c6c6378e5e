import { expect, test } from 'vitest'
import { PlazaClient, type Input } from '../../contract/client.ts'
import { createCampaign, updateCampaign } from '../../contract/admin-campaigns.ts'
import { recordAdEvent, serveAd, surface_types } from '../../contract/ads.ts'
import { decisions } from '../../contract/decisions.ts'
import { newId } from '../platform/ids.ts'
import { isLockTimeout } from '../platform/postgres/errors.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { pointsOf, someTokens, someUser, theAdmin, world } from '../test/world.ts'
import type { SurfaceType } from './rules.ts'
import { openAdDraws, serveAd as serveFrom } from './service.ts'
import { recordEvents } from './store.ts'
import { long_lifetimes } from '../test/settings.ts'

const { late_seconds } = decisions.ad_events

const plaza = await sharedService(long_lifetimes)
const elsewhere = await plaza.startAnother()
const { user, app, tokens } = await world(plaza)
const unlimited = { db: plaza.db, clock: plaza.clock.now, repeats: undefined }
const user_of_draws = { user_id: user.id }
const unknown_id = '01890000-0000-7000-8000-000000000000'

type Settings = NonNullable<Input<typeof updateCampaign>['body']>

/** A new campaign. A test that serves ads uses a separate surface, or switches its campaigns off at the end. */
const campaignOn = async (surface_type: SurfaceType, settings: Settings = {}) =>
  (await theAdmin(plaza)).api.result(createCampaign, {
    body: { name: 'Lamps', payout_rate: 0.25, ...settings, surface_type },
  })
const change = async (id: string, settings: Settings) =>
  (await theAdmin(plaza)).api.result(updateCampaign, { params: { id }, body: settings })
const switchOff = async (...campaigns: { id: string }[]) => {
  for (const { id } of campaigns) await change(id, { active: false })
}
const serve = async (surface_type: SurfaceType) => outcome(await tokens.api.call(serveAd, { query: { surface_type } }))
const servedName = async (surface_type: SurfaceType) => {
  const reply = await tokens.api.call(serveAd, { query: { surface_type } })
  return reply.ok ? reply.body.campaign.name : undefined
}
const see = (campaign_id: string) => tokens.api.call(recordAdEvent, { body: { campaign_id, event_type: 'impression' } })
const eventsOf = (campaign_id: string) =>
  plaza.db.sql<{ event_type: string; user_id: string; app_id: string }>`
    select event_type, user_id, app_id from ad_events where campaign_id = ${campaign_id} order by inserted_at, id`
const countsOf = async (campaign_id: string) => {
  const [row] = await plaza.db.sql<{ impressions: number; clicks: number }>`
    select impressions, clicks from campaigns where id = ${campaign_id}`
  return row
}

test('spec ads/serve: a campaign with exactly the fields of the specification', async () => {
  const settings = {
    bitcoin_tier: 'gold',
    targeting_metadata: { ages: [18, 30], deep: { er: null } },
    payout_rate: 0.1,
  }
  const campaign = await campaignOn('video', { name: 'Kites', ...settings })
  expect(await serve('video')).toEqual([
    200,
    { campaign: { id: campaign.id, name: 'Kites', surface_type: 'video', ...settings } },
  ])
  await switchOff(campaign)
})

test('D-79 ads/serve: 404 no_campaign where no campaign has the surface', async () => {
  const campaign = await campaignOn('video')
  for (const surface of surface_types.filter((name) => name !== 'video'))
    expect([surface, ...(await serve(surface))]).toEqual([surface, ...refused('no_campaign')])
  await switchOff(campaign)
  expect(await serve('video')).toEqual(refused('no_campaign'))
})

test('D-79 dates: served from starts_at on and no more at ends_at, by the service’s own clock', async () => {
  const at = (seconds: number) => new Date(plaza.clock.now().getTime() + seconds * 1000).toISOString()
  await campaignOn('native', { starts_at: at(60), ends_at: at(120) })
  expect(await serve('native')).toEqual(refused('no_campaign'))
  plaza.clock.advance(59)
  expect(await servedName('native')).toBe(undefined)
  plaza.clock.advance(1)
  expect(await servedName('native')).toBe('Lamps')
  plaza.clock.advance(59)
  expect(await servedName('native')).toBe('Lamps')
  plaza.clock.advance(1)
  expect(await serve('native')).toEqual(refused('no_campaign'))
})

test('D-79 weight: an even spread of chances serves each campaign exactly by its weight', async () => {
  const weights = [1, 3, 6]
  const campaigns = []
  for (const weight of weights) campaigns.push(await campaignOn('interstitial', { name: `weight ${weight}`, weight }))
  const draws = openAdDraws(plaza.db, plaza.clock.now)
  const names = await Promise.all(
    Array.from({ length: 1000 }, async (_, at) => {
      const campaign = await serveFrom(
        { ...unlimited, draws, random: () => (at + 0.5) / 1000 },
        user_of_draws,
        'interstitial',
      )
      return campaign.name
    }),
  )
  expect(countBy(names, (name) => name)).toEqual({ 'weight 1': 100, 'weight 3': 300, 'weight 6': 600 })
  const ends = [0, 0.1 - Number.EPSILON, 0.1, 0.4, 1 - Number.EPSILON / 2]
  const at_ends = ends.map(async (chance) =>
    serveFrom({ ...unlimited, draws, random: () => chance }, user_of_draws, 'interstitial'),
  )
  expect((await Promise.all(at_ends)).map(({ name }) => name)).toEqual(
    [1, 1, 3, 6, 6].map((weight) => `weight ${weight}`),
  )
  await switchOff(...campaigns)
})
test('D-79 weight: over HTTP too, the heavier campaign comes more often, and both come', async () => {
  const campaigns = [
    await campaignOn('rewarded', { name: 'light', weight: 1 }),
    await campaignOn('rewarded', { name: 'heavy', weight: 4 }),
  ]
  const names = await race(plaza, 400, () => servedName('rewarded'))
  const { light = 0, heavy = 0 } = countBy(names, (name) => name ?? 'none')
  expect(light + heavy).toBe(400)
  // 80 are expected; the bounds are 8 standard deviations away.
  expect(light).toBeGreaterThan(16)
  expect(light).toBeLessThan(144)
  await switchOff(...campaigns)
})

test('spec ads/event: 201 with the record; the rate is a snapshot that a later change does not touch', async () => {
  const { id } = await campaignOn('banner', { payout_rate: 0.1 })
  const points = await pointsOf(user)
  const first = await tokens.api.call(recordAdEvent, {
    body: { campaign_id: id, event_type: 'impression', surface_type: 'shop window' },
  })
  const event = {
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
    campaign_id: id,
    event_type: 'impression',
    payout_rate_snapshot: 0.1,
    surface_type: 'shop window',
    inserted_at: plaza.clock.now().toISOString(),
  }
  expect(outcome(first)).toEqual([201, { event }])
  await change(id, { payout_rate: 12.345678901234567 })
  const second = await tokens.api.call(recordAdEvent, { body: { campaign_id: id.toUpperCase(), event_type: 'click' } })
  const click = { ...event, event_type: 'click', payout_rate_snapshot: 12.345678901234567, surface_type: 'banner' }
  expect(outcome(second)).toEqual([201, { event: click }])
  const rates = await plaza.db.sql<{ rate: number }>`
    select payout_rate_snapshot::float8 as rate from ad_events where campaign_id = ${id} order by inserted_at, id`
  expect(rates).toEqual([{ rate: 0.1 }, { rate: 12.345678901234567 }])
  const by = { user_id: user.id, app_id: app.id }
  expect(await eventsOf(id)).toEqual([
    { event_type: 'impression', ...by },
    { event_type: 'click', ...by },
  ])
  expect(await countsOf(id)).toEqual({ impressions: 1, clicks: 1 })
  expect(await pointsOf(user), 'D-79: an event pays nothing').toBe(points)
  await switchOff({ id })
})

test('D-79 ads/event: an ad served in time may be reported after the campaign’s end', async () => {
  const ends_at = new Date(plaza.clock.now().getTime() + 1000).toISOString()
  const { id } = await campaignOn('banner', { ends_at })
  plaza.clock.advance(late_seconds)
  expect((await see(id)).status).toBe(201)
  plaza.clock.advance(1)
  for (const event_type of ['impression', 'click'] as const)
    expect(outcome(await tokens.api.call(recordAdEvent, { body: { campaign_id: id, event_type } }))).toEqual(
      refused('not_found'),
    )
  expect(await countsOf(id)).toEqual({ impressions: 1, clicks: 0 })
})

test('D-79 ads/event: a campaign that has not begun is 404, and none of its budget is used', async () => {
  const starts_at = new Date(plaza.clock.now().getTime() + 1000).toISOString()
  const { id } = await campaignOn('banner', { starts_at, max_impressions: 1 })
  expect(outcome(await see(id))).toEqual(refused('not_found'))
  expect([await eventsOf(id), await countsOf(id)]).toEqual([[], { impressions: 0, clicks: 0 }])
  plaza.clock.advance(1)
  expect((await see(id)).status).toBe(201)
})

test('D-79 ads/event: a campaign that does not exist or is not active is 404', async () => {
  const { id } = await campaignOn('banner', { active: false })
  for (const campaign_id of [id, unknown_id])
    for (const event_type of ['impression', 'click'] as const)
      expect(outcome(await tokens.api.call(recordAdEvent, { body: { campaign_id, event_type } }))).toEqual(
        refused('not_found'),
      )
  expect(await countsOf(id)).toEqual({ impressions: 0, clicks: 0 })
})

test('D-79 budget: the last impression is served, the next is 404 and writes nothing; clicks still count', async () => {
  const { id } = await campaignOn('native', { max_impressions: 2 })
  expect([(await see(id)).status, await servedName('native'), (await see(id)).status]).toEqual([201, 'Lamps', 201])
  expect(await serve('native')).toEqual(refused('no_campaign'))
  expect(outcome(await see(id))).toEqual(refused('not_found'))
  const click = await tokens.api.call(recordAdEvent, { body: { campaign_id: id, event_type: 'click' } })
  expect(click.status).toBe(201)
  expect(await countsOf(id)).toEqual({ impressions: 2, clicks: 1 })
  expect((await eventsOf(id)).map(({ event_type }) => event_type)).toEqual(['impression', 'impression', 'click'])
  await change(id, { max_impressions: 3 })
  expect([await servedName('native'), (await see(id)).status, (await see(id)).status]).toEqual(['Lamps', 201, 404])
})

test('D-79 budget: of 200 impressions at once on a budget of 50, with clicks between, exactly 50 count', async () => {
  const { id } = await campaignOn('banner', { max_impressions: 50 })
  const other = await campaignOn('banner')
  const replies = await race(plaza, 300, async (at) => {
    if (at % 3 < 2) return ['impression', (await see(id)).status].join(' ')
    const click = { campaign_id: at % 2 ? id : other.id, event_type: 'click' } as const
    return ['click', (await tokens.api.call(recordAdEvent, { body: click })).status].join(' ')
  })
  expect(countBy(replies, (reply) => reply)).toEqual({ 'impression 201': 50, 'impression 404': 150, 'click 201': 100 })
  expect(await countsOf(id)).toEqual({ impressions: 50, clicks: 50 })
  expect(countBy(await eventsOf(id), ({ event_type }) => event_type)).toEqual({ impression: 50, click: 50 })
  await switchOff({ id }, other)
})

test('D-79 budget: two processes together never pass it', async () => {
  const campaigns = [
    await campaignOn('banner', { max_impressions: 50 }),
    await campaignOn('banner', { max_impressions: 70 }),
  ]
  const theirs = await someTokens(elsewhere, app, user)
  const replies = await race(plaza, 400, (at) => {
    const campaign_id = campaigns[(at >> 1) % 2]?.id ?? unknown_id
    const { api } = at % 2 ? tokens : theirs
    return api.call(recordAdEvent, { body: { campaign_id, event_type: 'impression' } })
  })
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 120, 404: 280 })
  for (const [at, { id }] of campaigns.entries()) {
    expect((await countsOf(id))?.impressions).toBe([50, 70][at])
    expect((await eventsOf(id)).length).toBe([50, 70][at])
  }
  const reply = await theirs.api.call(serveAd, { query: { surface_type: 'banner' } })
  expect(reply.ok && campaigns.some(({ id }) => id === reply.body.campaign.id), 'used up everywhere').toBe(false)
  await switchOff(...campaigns)
})

/** Repeats a batch that met a lock, and so did nothing, as the batcher does. */
const untilUnlocked = <Result>(run: () => Promise<Result>): Promise<Result> =>
  run().catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error
    return untilUnlocked(run)
  })

test('D-79 budget: batches that meet in the database pass no budget and never deadlock', async () => {
  const [one, two] = [
    await campaignOn('banner', { max_impressions: 250 }),
    await campaignOn('banner', { max_impressions: 90 }),
  ]
  const event = { event_type: 'impression', surface_type: 'banner', user_id: user.id, app_id: app.id } as const
  const batches = Array.from({ length: 200 }, (_, at) => (at % 3 ? [one, two] : [two, one, one]))
  const connections = [elsewhere.db.pipelinedConnection(), plaza.db.pipelinedConnection()]
  const rates = await Promise.all(
    batches.map(async (batch, at) => {
      const events = batch.map(({ id }) => ({ ...event, id: newId(), campaign_id: id }))
      return untilUnlocked(() => recordEvents(connections[at % 2]!, plaza.clock.now(), late_seconds, events))
    }),
  )
  expect(countBy(rates.flat(), (rate) => rate ?? 'refused')).toEqual({ 0.25: 340, refused: 127 })
  expect([await countsOf(one.id), await countsOf(two.id)].map((counts) => counts?.impressions)).toEqual([250, 90])
  expect([(await eventsOf(one.id)).length, (await eventsOf(two.id)).length]).toEqual([250, 90])
  await switchOff(one, two)
})

test('ad events are append-only: the database itself refuses to change or delete one', async () => {
  await expect(plaza.db.sql`update ad_events set surface_type = 'x'`).rejects.toThrow('append-only')
  await expect(plaza.db.sql`delete from ad_events`).rejects.toThrow('append-only')
})

test('D-79: AD_REPEATS limits how often an hour a person is served a campaign; other people are not affected', async () => {
  const limited = await plaza.startAnother({ AD_REPEATS: '2' })
  const [often, other] = [await campaignOn('native', { name: 'Often' }), await campaignOn('native', { name: 'Other' })]
  const another = await someTokens(plaza, app, await someUser(plaza))
  const served = async (access_token: string) => {
    const api = new PlazaClient(limited.url).withToken(access_token)
    const names = new Set<string>()
    for (let draw = 0; draw < 20; draw++) {
      const reply = await api.call(serveAd, { query: { surface_type: 'native' } })
      names.add(reply.ok ? reply.body.campaign.name : (reply.body as { error: string }).error)
    }
    return [...names].toSorted()
  }
  await see(often.id)
  expect(await served(tokens.access_token)).toEqual(['Often', 'Other'])
  await see(often.id)
  // Clicks are not counted.
  await tokens.api.call(recordAdEvent, { body: { campaign_id: other.id, event_type: 'click' } })
  expect(await served(tokens.access_token)).toEqual(['Other'])
  expect(await served(another.access_token)).toEqual(['Often', 'Other'])
  await see(other.id)
  await see(other.id)
  expect(await served(tokens.access_token)).toEqual(['no_campaign'])
  plaza.clock.advance(3_601)
  expect(await served(tokens.access_token)).toEqual(['Often', 'Other'])
  await switchOff(often, other)
})
