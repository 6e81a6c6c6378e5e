import { surface_type_default } from '../../contract/ads.ts'
import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { newId } from '../platform/ids.ts'
import type { AdEventType, SurfaceType } from './rules.ts'
import { campaignLocks, drawCampaigns, recordEvents, type Draw, type NewAdEvent, type ServedCampaign } from './store.ts'

const { late_seconds } = decisions['D-79'].value

export interface AdsDeps {
  draws: AdDraws
  events: AdEvents
  /** Source of random numbers from 0 (included) to 1 (excluded). */
  random: () => number
}

/** Draws campaigns in batches: those requested during a read are drawn together by the next one. */
export type AdDraws = Batcher<Draw, ServedCampaign | undefined>

export const openAdDraws = (db: Database, clock: Clock): AdDraws =>
  createBatcher({
    name: 'ad_draws',
    run: (draws) => drawCampaigns(db, clock(), draws),
    batch_max: 512,
    queue_max: 16_384,
  })

interface Recorded {
  /** The campaign's payout rate at this time; null when the event was refused. */
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
 * A campaign to show on a surface: a weighted random choice of those that are active, within their dates and have
 * impressions left (D-79). Fails with `no_campaign`.
 */
export async function serveAd({ draws, random }: Pick<AdsDeps, 'draws' | 'random'>, surface_type: SurfaceType) {
  const campaign = await draws({ surface_type, chance: random() })
  if (!campaign) throw new Failure('no_campaign', { surface_type })
  return campaign
}

export interface AdEventReport {
  campaign_id: string
  event_type: AdEventType
  surface_type?: string
}

/**
 * Records an impression or a click, with the campaign's current payout rate; pays nothing (D-79). An impression uses one of
 * the campaign's budget, a click none. For `late_seconds` after the campaign's end, ads that were served in time still count.
 * Fails with `not_found`, and writes nothing, when the campaign is unknown, inactive, not started or ended longer ago, or
 * for an impression when the budget is used up; concurrent calls never exceed it.
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
