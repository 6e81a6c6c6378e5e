import { Type } from 'typebox'
import * as ads from './ads.ts'
import { decisions } from './decisions.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { id, inserted_at, updated_at } from './fields.ts'
import {
  boolean,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  page_of,
  page_query,
  partial,
  uuid,
  display_name,
  text,
} from './schema.ts'

const { amount_max } = decisions.amounts
const ours = { ...of_admins, admin_roles: ['administrator'], decision: 'D-81' } as const

/** The fields of a campaign that an admin sets; the service sets the counters. Null means no bound. */
const name = described('Its name, shown to apps', display_name(200))
const { surface_type, targeting_metadata } = ads
const payout_rate = described(
  'The value of an event, a decimal number; each event keeps the rate at its time',
  Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
)
const weight_meaning = 'How often it is chosen beside others: one of 2 twice as often as one of 1'
const weight = described(weight_meaning, Type.Integer({ minimum: 1, maximum: 1_000_000 }))
const active = described('Whether the campaign is shown', boolean)
const moment = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const starts_meaning = 'From when it is shown; null for at once'
const ends_meaning = 'Until when it is shown; null for no end'
const impressions_meaning = 'How often it is shown at most; null for no bound'
const max_impressions = described(
  impressions_meaning,
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: amount_max }),
)
const bitcoin_tier = described(
  'The name of its bitcoin tier, shown to apps; null for none',
  Type.Unsafe<string | null>({ ...display_name(100), type: ['string', 'null'] }),
)
const optional_settings = {
  starts_at: described(starts_meaning, moment),
  ends_at: described(ends_meaning, moment),
  max_impressions,
  bitcoin_tier,
  targeting_metadata,
}

export const admin_campaign = Type.Object({
  id,
  name: described('Its name', text),
  surface_type,
  payout_rate: ads.payout_rate,
  weight: described(weight_meaning, integer),
  active,
  starts_at: described(starts_meaning, nullable_date_time),
  ends_at: described(ends_meaning, nullable_date_time),
  max_impressions: described(impressions_meaning, nullable_integer),
  impressions: described('The number of impressions', integer),
  clicks: described('The number of clicks', integer),
  bitcoin_tier: described('Its bitcoin tier; null for none', nullable_text),
  targeting_metadata,
  inserted_at,
  updated_at,
})

export const adminListCampaigns = endpoint('GET /api/admin/campaigns', {
  ...ours,
  summary: 'Campaigns with their counts, newest first',
  description: 'Includes ended ones.',
  query: page_query({}),
  response: page_of(admin_campaign),
})

export const createCampaign = endpoint('POST /api/admin/campaigns', {
  ...ours,
  summary: 'Create a campaign',
  description: 'Without dates and max_impressions it runs as long as it is active.',
  body: Type.Object({
    name,
    surface_type,
    payout_rate,
    weight: Type.Optional({ ...weight, default: 1 }),
    active: Type.Optional({ ...active, default: true }),
    ...partial(optional_settings).properties,
  }),
  status: [201],
  response: admin_campaign,
})

export const updateCampaign = endpoint('PUT /api/admin/campaigns/{id}', {
  ...ours,
  summary: 'Change a campaign: sent fields are set, absent ones do not change, null removes a limit',
  description: 'Counts are kept.',
  params: Type.Object({ id: described('The id of the campaign', uuid) }),
  body: partial({ name, surface_type, payout_rate, weight, active, ...optional_settings }),
  response: admin_campaign,
  fails: ['not_found'],
})
