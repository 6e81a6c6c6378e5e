import type { Static } from 'typebox'
import type { admin_campaign } from '../../contract/admin-campaigns.ts'
import type { served_campaign } from '../../contract/ads.ts'
import { allValues, firstRow, json, theRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { RowLocks } from '../platform/batching/row-locks.ts'
import type { AdEventType, CampaignSettings, SurfaceType } from './rules.ts'

type CampaignRow = Static<typeof admin_campaign>

export type ServedCampaign = Static<typeof served_campaign>

/** One request for a campaign; `chance` is a uniform random number from 0 (included) to 1 (excluded). */
export interface Draw {
  surface_type: SurfaceType
  chance: number
  /** The ids of excluded campaigns; draws with the same ids are made together. */
  without?: string[]
}

/** The campaigns that a person has seen at least `repeats` times since this time. */
export const listSeenOften = (
  db: Sql,
  { user_id, since, repeats }: { user_id: string; since: Date; repeats: number },
) =>
  allValues(db.sql<{ campaign_id: string }>`
    select campaign_id from ad_events
     where user_id = ${user_id} and inserted_at > ${since} and event_type = 'impression'
     group by campaign_id having count(*) >= ${repeats}
     order by campaign_id`)

/**
 * A campaign for each draw, undefined if none is eligible: by cumulative weights, in id order. `chance` times the sum
 * of the weights falls into the interval of the chosen campaign.
 */
export async function drawCampaigns(db: Sql, now: Date, draws: Draw[], without: readonly string[] = []) {
  const rows = await db.sql<ServedCampaign | { id: null }>`
    with eligible as (
      select surface_type, id, sum(weight) over (partition by surface_type order by id)::float8 as reach
        from campaigns
       where active
         and surface_type = any(${draws.map(({ surface_type }) => surface_type)}::text[])
         and (starts_at is null or starts_at <= ${now})
         and (ends_at is null or ends_at > ${now})
         and (max_impressions is null or impressions < max_impressions)
         and id <> all(${without}::uuid[])
    ), lines as (
      select surface_type, array_agg(id order by id) as ids, array_agg(reach order by id) as reaches, max(reach) as length
        from eligible
       group by surface_type
    )
    select c.id, c.name, c.payout_rate::float8 as payout_rate, c.surface_type, c.bitcoin_tier, c.targeting_metadata
      from unnest(${draws.map(({ surface_type }) => surface_type)}::text[], ${draws.map(({ chance }) => chance)}::float8[])
           with ordinality d(surface_type, chance, at)
      left join lines l on l.surface_type = d.surface_type
      left join campaigns c on c.id = l.ids[width_bucket(d.chance * l.length, l.reaches) + 1]
     order by d.at`
  return rows.map((row) => (row.id === null ? undefined : row))
}

export interface NewAdEvent {
  id: string
  campaign_id: string
  event_type: AdEventType
  surface_type: string
  user_id: string
  app_id: string
}

/** Records events in order, in one transaction of one round trip; see `record_ad_events` in functions.sql. */
export const recordEvents = (db: Sql, now: Date, late_seconds: number, events: NewAdEvent[]) =>
  allValues(db.sql<{ rate: number | null }>`
    select rate::float8
      from record_ad_events(
        ${now},
        ${late_seconds},
        ${events.map((event) => event.id)},
        ${events.map((event) => event.campaign_id)},
        ${events.map((event) => event.event_type)},
        ${events.map((event) => event.surface_type)},
        ${events.map((event) => event.user_id)},
        ${events.map((event) => event.app_id)}
      )`)

/** The rows of campaigns that `record_ad_events` locks. */
export const campaignLocks = (db: Sql): RowLocks => ({
  async findLocked(ids) {
    return allValues(db.sql<{ id: string }>`
      with free as materialized (
        select id from campaigns where id = any(${ids}::uuid[]) for no key update skip locked
      )
      select c.id from campaigns c left join free on free.id = c.id where c.id = any(${ids}::uuid[]) and free.id is null`)
  },
  waitFor: (id) => db.sql`select from campaigns where id = ${id} for no key update`,
})

export const insertCampaign = (tx: Tx, id: string, settings: CampaignSettings, now: Date) =>
  theRow(tx.sql<CampaignRow>`
    insert into campaigns (id, name, surface_type, payout_rate, weight, active, starts_at, ends_at, max_impressions,
                           bitcoin_tier, targeting_metadata, inserted_at, updated_at)
    values (${id}, ${settings.name}, ${settings.surface_type}, ${settings.payout_rate}, ${settings.weight},
            ${settings.active}, ${settings.starts_at}, ${settings.ends_at}, ${settings.max_impressions},
            ${settings.bitcoin_tier}, ${jsonOrNull(settings.targeting_metadata)}, ${now}, ${now})
    returning *, payout_rate::float8 as payout_rate`)

/** Reads a campaign and locks its row until the transaction ends. */
export const lockCampaign = (tx: Tx, id: string) =>
  firstRow(tx.sql<CampaignRow>`
    select *, payout_rate::float8 as payout_rate from campaigns where id = ${id} for no key update`)

export const replaceSettings = (tx: Tx, id: string, settings: CampaignSettings, now: Date) =>
  theRow(tx.sql<CampaignRow>`
    update campaigns
       set name = ${settings.name}, surface_type = ${settings.surface_type}, payout_rate = ${settings.payout_rate},
           weight = ${settings.weight}, active = ${settings.active}, starts_at = ${settings.starts_at},
           ends_at = ${settings.ends_at}, max_impressions = ${settings.max_impressions},
           bitcoin_tier = ${settings.bitcoin_tier}, targeting_metadata = ${jsonOrNull(settings.targeting_metadata)},
           updated_at = ${now}
     where id = ${id}
    returning *, payout_rate::float8 as payout_rate`)

const jsonOrNull = (value: Record<string, unknown> | null) => (value === null ? null : json(value))

export const listCampaignsNewestFirst = (
  db: Sql,
  { before_id, rows_max }: { before_id: string | null; rows_max: number },
) =>
  db.sql<CampaignRow>`
    select *, payout_rate::float8 as payout_rate
      from campaigns
     where ${before_id}::uuid is null or id < ${before_id}
     order by id desc
     limit ${rows_max}`
