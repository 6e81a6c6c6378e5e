import type { Static } from 'typebox'
import type { admin_campaign, updateCampaign } from '../../contract/admin-campaigns.ts'
import type { ad_event_types, surface_types } from '../../contract/ads.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type { FieldFault } from '../../contract/field-errors.ts'
import { fieldErrors, fieldsOf, type FieldError } from '../platform/failure.ts'

export type SurfaceType = (typeof surface_types)[number]
export type AdEventType = (typeof ad_event_types)[number]

/** The fields of a campaign that an admin sets. */
export type CampaignSettings = Omit<
  Static<typeof admin_campaign>,
  'id' | 'impressions' | 'clicks' | 'inserted_at' | 'updated_at'
>

/** Settings as a client sends them: times are text, and absent fields do not change. */
export type SentSettings = BodyOf<typeof updateCampaign>

const targeting_length_max = 10_000
const targeting_levels_max = 32

/** The time range of a campaign; null means no limit. */
type Duration = Pick<CampaignSettings, 'starts_at' | 'ends_at'>
const unbounded: Duration = { starts_at: null, ends_at: null }

/**
 * Errors in the settings of a campaign; dates that the body omits come from `before`. Accepts a body of any shape;
 * skips values of other types.
 */
export function settingsErrors(body: unknown, before: Duration = unbounded): FieldError[] {
  const { targeting_metadata = null, ...sent } = fieldsOf(body)
  const starts_at = parseTime(sent.starts_at, before.starts_at)
  const ends_at = parseTime(sent.ends_at, before.ends_at)
  const targeting = targetingError(targeting_metadata)
  const is_backwards = starts_at instanceof Date && ends_at instanceof Date && ends_at <= starts_at
  return [
    ...fieldErrors('starts_at', starts_at === 'invalid' && 'moment'),
    ...fieldErrors('ends_at', ends_at === 'invalid' && 'moment'),
    ...fieldErrors('ends_at', is_backwards && 'after_start'),
    ...fieldErrors('targeting_metadata', targeting),
  ]
}

/** The settings after a change, which replaces the sent fields; or all field errors. */
export function settingsAfter(before: CampaignSettings, sent: SentSettings): CampaignSettings | FieldError[] {
  const errors = settingsErrors(sent, before)
  const starts_at = parseTime(sent.starts_at, before.starts_at)
  const ends_at = parseTime(sent.ends_at, before.ends_at)
  if (starts_at === 'invalid' || ends_at === 'invalid' || errors.length > 0) return errors
  const { bitcoin_tier, max_impressions, targeting_metadata } = sent
  return {
    name: sent.name ?? before.name,
    surface_type: sent.surface_type ?? before.surface_type,
    payout_rate: sent.payout_rate ?? before.payout_rate,
    weight: sent.weight ?? before.weight,
    active: sent.active ?? before.active,
    starts_at,
    ends_at,
    max_impressions: max_impressions === undefined ? before.max_impressions : max_impressions,
    bitcoin_tier: bitcoin_tier === undefined ? before.bitcoin_tier : bitcoin_tier,
    targeting_metadata: targeting_metadata === undefined ? before.targeting_metadata : targeting_metadata,
  }
}

/** A leap second has the form of a timestamp, but `Date` cannot represent it. */
function parseTime(sent: unknown, before: Date | null) {
  if (sent === null) return null
  if (typeof sent !== 'string') return before
  const time = new Date(sent)
  return Number.isNaN(time.getTime()) ? 'invalid' : time
}

/** The depth is checked first: `JSON.stringify` fails for values that are nested too deeply. */
function targetingError(targeting: unknown): FieldFault | undefined {
  if (isDeeperThan(targeting, targeting_levels_max)) return ['nested_max', { max: targeting_levels_max }]
  if (containsInfinity(targeting)) return 'number_too_large'
  return JSON.stringify(targeting).length > targeting_length_max
    ? ['json_max', { max: targeting_length_max }]
    : undefined
}

/** `1e400` is parsed as infinity, which JSON cannot represent: it would be stored as null. */
const containsInfinity = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(containsInfinity)
    : typeof value === 'number' && !Number.isFinite(value)

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1)))
