import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { id } from './fields.ts'
import { date_time, decided, described, nullable_text, one_of, text, uuid } from './schema.ts'

const { surface_type_max } = decisions.ad_events

/** Operators' pages show ads in the user's browser, so any origin may call. */
const ads = { tag: 'Ads', auth: { scope: 'profile:read' }, cors: 'any_origin' } as const

/** Fixed by the specification (External user endpoints). */
export const surface_types = ['banner', 'video', 'interstitial', 'native', 'rewarded'] as const
export const ad_event_types = ['impression', 'click'] as const
export const surface_type_default = 'banner'

/** The target group of a campaign; admins define its content. */
export const targeting_metadata = described(
  'The target group of the campaign, in fields that admins define; null if undefined',
  decided(
    'D-79',
    Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
  ),
)
export const bitcoin_tier = described(
  'The admins’ name for the campaign’s bitcoin tier; null if there is none',
  decided('D-79', nullable_text),
)
export const surface_type = described('Where an ad is shown', one_of(surface_types))
export const payout_rate = described('The value of an event, a decimal number whose unit admins define', Type.Number())
const ad_event_type = described('Whether it was seen or clicked', one_of(ad_event_types))

export const served_campaign = Type.Object({
  id,
  name: described('The name of the campaign', text),
  payout_rate,
  surface_type: described('The surface to show it on: the `surface_type` of the request', text),
  bitcoin_tier,
  targeting_metadata,
})

export const ad_event = Type.Object({
  id,
  campaign_id: described('The id of the campaign', uuid),
  event_type: ad_event_type,
  payout_rate_snapshot: described('The `payout_rate` of the campaign at that time', Type.Number()),
  surface_type: described('Where the ad was shown', text),
  inserted_at: described('When it was recorded', date_time),
})

export const serveAd = endpoint('GET /api/external/ads/serve', {
  ...ads,
  changes: true,
  summary: 'A campaign to show on a surface',
  description:
    'Chosen at random by weight from the running campaigns. Report impressions and clicks with `POST /api/external/ads/event`.',
  decision: 'D-79',
  query: Type.Object({ surface_type }),
  response: Type.Object({ campaign: described('The campaign to show', served_campaign) }),
  fails: ['no_campaign'],
})

export const recordAdEvent = endpoint('POST /api/external/ads/event', {
  ...ads,
  summary: 'Record that an ad was seen or clicked',
  description: 'Does not pay points. 404 if the campaign does not run, or its impressions are used up.',
  decision: 'D-79',
  body: Type.Object({
    campaign_id: described('The `id` of the campaign that was served', uuid),
    event_type: ad_event_type,
    surface_type: Type.Optional(
      described(
        'Where the ad was shown',
        decided('D-79', Type.String({ minLength: 1, maxLength: surface_type_max, default: surface_type_default })),
      ),
    ),
  }),
  status: [201],
  response: Type.Object({ event: described('The recorded event', ad_event) }),
  fails: ['not_found'],
})
