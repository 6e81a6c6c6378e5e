import { Type } from 'typebox'
import { surface_types, targeting_metadata } from './ads.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  date_time,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  one_of,
  page_of,
  page_query,
  partial,
  text,
  uuid,
  not_blank,
  display_text,
} from './schema.ts'

const { amount_max } = decisions['D-45'].value
const ours = { auth: 'admin', origin: 'extension', decision: 'D-81', tag: 'Administration' } as const

/** The fields of a campaign that an admin sets; the service sets the counters. Null means no bound. */
const name = display_text(200)
const surface_type = one_of(surface_types)
const payout_rate = Type.Number({ minimum: 0, maximum: 1_000_000_000 })
const weight = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const moment = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const max_impressions = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: amount_max })
const bitcoin_tier = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: 100,
  pattern: not_blank,
})
const optional_settings = {
  starts_at: moment,
  ends_at: moment,
  max_impressions,
  bitcoin_tier,
  targeting_metadata,
}

export const admin_campaign = Type.Object({
  id: uuid,
  name: text,
  surface_type,
  payout_rate: Type.Number(),
  weight: integer,
  active: boolean,
  starts_at: nullable_date_time,
  ends_at: nullable_date_time,
  max_impressions: nullable_integer,
  impressions: integer,
  clicks: integer,
  bitcoin_tier: nullable_text,
  targeting_metadata,
  inserted_at: date_time,
  updated_at: date_time,
})

export const adminListCampaigns = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/campaigns',
  summary: 'Campaigns with their counts, newest first',
  query: page_query({}),
  response: page_of(admin_campaign),
})

export const createCampaign = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/campaigns',
  summary: 'Create a campaign',
  description: 'Without dates and max_impressions it runs unbounded, as long as it is active.',
  body: Type.Object({
    name,
    surface_type,
    payout_rate,
    weight: Type.Optional({ ...weight, default: 1 }),
    active: Type.Optional({ ...boolean, default: true }),
    ...partial(optional_settings).properties,
  }),
  status: [201],
  response: admin_campaign,
})

export const updateCampaign = endpoint({
  ...ours,
  method: 'PUT',
  path: '/api/admin/campaigns/{id}',
  summary: 'Change a campaign: what is sent is set, what is left out stays, null takes a bound away',
  params: Type.Object({ id: uuid }),
  body: partial({ name, surface_type, payout_rate, weight, active: boolean, ...optional_settings }),
  response: admin_campaign,
  fails: ['not_found'],
})
