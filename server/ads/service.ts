import { surface_type_default, type recordAdEvent as record_endpoint } from '../../contract/ads.ts'
import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import type { Database, Sql } from '../platform/postgres/database.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { newId } from '../platform/ids.ts'
import type { SurfaceType } from './rules.ts'
import {
  campaignLocks,
  drawCampaigns,
  listSeenOften,
  recordEvents,
  type Draw,
  type NewAdEvent,
  type ServedCampaign,
} from './store.ts'

const { late_seconds } = decisions.ad_events
const hour_seconds = 3_600

export interface AdsDeps {
  db: Sql
  clock: Clock
  /** The number of times that a person may see a campaign in an hour; undefined for no limit. */
  repeats: number | undefined
  draws: AdDraws
  events: AdEvents
  /** A source of random numbers, from 0 (included) to 1 (excluded). */
  random: () => number
}

/** Draws campaigns in batches: requests that arrive during a read share the next one. */
export type AdDraws = Batcher<Draw, ServedCampaign | undefined>

export const openAdDraws = (db: Database, clock: Clock): AdDraws =>
  createBatcher({
    name: 'ad_draws',
    run: (draws) => drawTogether(db, clock(), draws),
    batch_max: 512,
    queue_max: 16_384,
  })

/** Draws in one statement for all requests with the same eligible campaigns, which nearly all have in common. */
async function drawTogether(db: Database, now: Date, draws: Draw[]) {
  const groups = new Map<string, number[]>()
  for (const [at, { without = [] }] of draws.entries()) {
    const key = without.join()
    const group = groups.get(key)
    if (group) group.push(at)
    else groups.set(key, [at])
  }
  const drawn: (ServedCampaign | undefined)[] = draws.map(() => undefined)
  await Promise.all(
    [...groups.values()].map(async (places) => {
      const group = places.map((at) => draws[at]!)
      const found = await drawCampaigns(db, now, group, group[0]?.without)
      places.forEach((at, place) => (drawn[at] = found[place]))
    }),
  )
  return drawn
}

interface Recorded {
  /** The campaign's payout rate at this time; null if the event was refused. */
  rate: number | null
  inserted_at: Date
}

/** Takes single events and records them in batches; `drain()` it before the database is closed. */
export type AdEvents = Batcher<NewAdEvent, Recorded>

export function openAdEvents(db: Database, clock: Clock): AdEvents {
  const connection = db.pipelinedConnection()
  return createBatcher({
    name: 'ad_events',
    run: async (events) => {
      const inserted_at = clock()
      return (await recordEvents(connection, inserted_at, late_seconds, events)).map((rate) => ({ rate, inserted_at }))
    },
    batch_max: 512,
    queue_max: 8_192,
    locks: { keysOf: ({ campaign_id }) => [campaign_id], ...campaignLocks(db.locks) },
  })
}

/**
 * A campaign to show to a person on a surface: a weighted random choice of those that are active, within their dates,
 * have impressions left (D-79), and were not shown to the person too often in the last hour. Fails with `no_campaign`.
 */
export async function serveAd(
  { db, clock, repeats, draws, random }: Omit<AdsDeps, 'events'>,
  { user_id }: Pick<AppCaller, 'user_id'>,
  surface_type: SurfaceType,
) {
  const since = secondsAfter(clock(), -hour_seconds)
  const without = repeats === undefined ? [] : await listSeenOften(db, { user_id, since, repeats })
  return orFail(draws({ surface_type, chance: random(), without }), 'no_campaign', { surface_type })
}

type AdEventReport = BodyOf<typeof record_endpoint>

/**
 * Records an impression or a click, with the campaign's current payout rate; pays nothing (D-79). An impression uses
 * one of the campaign's budget, a click does not. For `late_seconds` after the campaign's end, ads served in time still
 * count. Fails with `not_found`, and writes nothing, if the campaign is unknown, inactive, not started or ended longer
 * ago, or for an impression if the budget is used up; concurrent calls never exceed it.
 */
export async function recordAdEvent({ events }: AdsDeps, { user_id, app_id }: AppCaller, report: AdEventReport) {
  const { campaign_id, event_type, surface_type = surface_type_default } = report
  const event = { id: newId(), campaign_id, event_type, surface_type }
  const { rate, inserted_at } = await events({ ...event, user_id, app_id })
  if (rate === null)
    throw new Failure('not_found', {
      campaign_id,
      why: 'unknown, inactive, outside its dates or its budget is used up',
    })
  return { ...event, payout_rate_snapshot: rate, inserted_at }
}
