import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { date_time, decided, nullable_text, one_of, text, uuid } from './schema.ts'

const { surface_type_max } = decisions['D-79'].value

/** Operators' pages show ads in the user's browser, so any origin may call. */
const ads = { tag: 'Ads', auth: { scope: 'profile:read' }, cors: 'any_origin' } as const

/** Fixed by the specification (External user endpoints). */
export const surface_types = ['banner', 'video', 'interstitial', 'native', 'rewarded'] as const
export const ad_event_types = ['impression', 'click'] as const
export const surface_type_default = 'banner'

/** The target group of a campaign; admins define its content. */
export const targeting_metadata = decided(
  'D-79',
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
)
export const bitcoin_tier = decided('D-79', nullable_text)

export const serveAd = endpoint({
  ...ads,
  method: 'GET',
  path: '/api/external/ads/serve',
  changes: true,
  summary: 'A campaign to show on a surface',
  decision: 'D-79',
  query: Type.Object({ surface_type: one_of(surface_types) }),
  response: Type.Object({
    campaign: Type.Object({
      id: uuid,
      name: text,
      payout_rate: Type.Number(),
      surface_type: text,
      bitcoin_tier,
      targeting_metadata,
    }),
  }),
  fails: ['no_campaign'],
})

export const recordAdEvent = endpoint({
  ...ads,
  method: 'POST',
  path: '/api/external/ads/event',
  summary: 'Record that an ad was seen or clicked',
  decision: 'D-79',
  body: Type.Object({
    campaign_id: uuid,
    event_type: one_of(ad_event_types),
    surface_type: Type.Optional(
      decided('D-79', Type.String({ minLength: 1, maxLength: surface_type_max, default: surface_type_default })),
    ),
  }),
  status: [201],
  response: Type.Object({
    event: Type.Object({
      id: uuid,
      campaign_id: uuid,
      event_type: one_of(ad_event_types),
      payout_rate_snapshot: Type.Number(),
      surface_type: text,
      inserted_at: date_time,
    }),
  }),
  fails: ['not_found'],
})
