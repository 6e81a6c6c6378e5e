import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import * as app_fields from './app-fields.ts'
import { app_id } from './fields.ts'
import { decided, described, integer, partial, rows_of } from './schema.ts'

const { window_days, window_days_max } = decisions.operator_analytics

const operator = { tag: 'Operators', auth: { scope: 'app:balance:read' } } as const

export const analytics = Type.Object({
  total_users: app_fields.total_users,
  total_spends: described('The number of spends within the window', integer),
  total_awards: described('The number of awards within the window', integer),
  window_days: described('The length of the window in days', integer),
})

export const getAnalytics = endpoint('GET /api/operator/analytics', {
  ...operator,
  summary: 'The number of the app’s users, and its spends and awards of the last days',
  description: 'Counts events and people, not points.',
  decision: 'D-49',
  query: Type.Object({
    window_days: Type.Optional(
      described(
        'The number of last days in which spends and awards are counted',
        decided('D-49', Type.Integer({ minimum: 1, maximum: window_days_max, default: window_days })),
      ),
    ),
  }),
  response: Type.Object({
    analytics: described('The figures of the app of the token', analytics),
  }),
})

export const getAnalyticsOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/analytics', {
  auth: 'user',
  origin: 'extension',
  tag: 'Operators',
  team_role: 'viewer',
  summary: 'The number of users of an app of yours, and its spends and awards of the last days',
  description: 'The same figures as at `/api/operator/analytics`.',
  decision: 'D-49',
  params: Type.Object({ id: app_id }),
  query: getAnalytics.query,
  response: Type.Object({ analytics: described('The figures of the app', analytics) }),
  fails: ['not_found'],
})

export const getOperatorApp = endpoint('GET /api/operator/app', {
  ...operator,
  team_role: 'admin',
  summary: 'The app of the token, as its owner sees it',
  description: 'The token must be that of the app’s owner.',
  decision: 'D-33',
  response: Type.Object({ app: described('The app of the token', app_fields.full_app) }),
  fails: ['not_app_owner'],
})

export const updateOperatorApp = endpoint('PUT /api/operator/app', {
  ...operator,
  team_role: 'admin',
  summary: 'Change the app of the token',
  description: 'The token must be that of the app’s owner. Absent fields do not change.',
  decision: 'D-33',
  body: partial({
    app_description: app_fields.changed_description,
    app_name: app_fields.app_name,
    redirect_uris: app_fields.redirect_uris,
    website_url: app_fields.changed_website_url,
  }),
  response: Type.Object({ app: described('The changed app', app_fields.changed_app) }),
  fails: ['not_app_owner'],
})

/** Fixed by the specification (Limits), except the last page: it keeps the offset an exact integer. */
export const page_default = 1
export const page_size_default = 20
const page = described(
  'The number of the page, from 1',
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: page_default }),
)
const page_size = described(
  'Maximum apps of a page',
  Type.Integer({ minimum: 1, maximum: 100, default: page_size_default }),
)

export const listPublicOperators = endpoint('GET /api/public/operators', {
  revalidates: true,
  tag: 'Operators',
  summary: 'The directory: approved apps that an admin has listed',
  description: 'Newest first. Apps of suspended owners are excluded.',
  auth: 'none',
  cors: 'any_origin',
  query: partial({ page, page_size }),
  response: Type.Object({
    data: rows_of(app_fields.listed_app),
    page: described('The number of this page', integer),
    page_size: described('Maximum apps of a page', integer),
    total: described('The number of apps on all pages', integer),
  }),
})
