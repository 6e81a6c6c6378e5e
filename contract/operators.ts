import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { app_fields, app_name, changed_description, changed_url, redirect_uris } from './oauth-apps.ts'
import { date_time, decided, integer, nullable_text, partial, text, uuid } from './schema.ts'

const { window_days, window_days_max } = decisions['D-49'].value

const operator = { tag: 'Operators', auth: { scope: 'app:balance:read' } } as const

export const getAnalytics = endpoint({
  ...operator,
  method: 'GET',
  path: '/api/operator/analytics',
  summary: 'How many users the app has, and its spends and awards of the last days',
  decision: 'D-49',
  query: Type.Object({
    window_days: Type.Optional(
      decided('D-49', Type.Integer({ minimum: 1, maximum: window_days_max, default: window_days })),
    ),
  }),
  response: Type.Object({
    analytics: Type.Object({
      total_users: integer,
      total_spends: integer,
      total_awards: integer,
      window_days: integer,
    }),
  }),
})

export const getOperatorApp = endpoint({
  ...operator,
  method: 'GET',
  path: '/api/operator/app',
  summary: 'The app of the token, as its owner sees it',
  decision: 'D-33',
  response: Type.Object({ app: Type.Object({ ...app_fields, total_users: integer }) }),
  fails: ['not_app_owner'],
})

export const updateOperatorApp = endpoint({
  ...operator,
  method: 'PUT',
  path: '/api/operator/app',
  summary: 'Change the app of the token',
  decision: 'D-33',
  body: partial({ app_description: changed_description, app_name, redirect_uris, website_url: changed_url }),
  response: Type.Object({ app: Type.Object(app_fields) }),
  fails: ['not_app_owner'],
})

/** Fixed by the specification (Limits), except the last page, which keeps the offset an exact integer. */
export const page_default = 1
export const page_size_default = 20
const page = Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: page_default })
const page_size = Type.Integer({ minimum: 1, maximum: 100, default: page_size_default })

export const listPublicOperators = endpoint({
  method: 'GET',
  path: '/api/public/operators',
  tag: 'Operators',
  summary: 'The directory: approved apps that an admin has listed',
  auth: 'none',
  cors: 'any_origin',
  query: partial({ page, page_size }),
  response: Type.Object({
    data: Type.Array(
      Type.Object({
        id: uuid,
        app_name: text,
        app_description: nullable_text,
        logo_url: nullable_text,
        website_url: nullable_text,
        inserted_at: date_time,
      }),
    ),
    page: integer,
    page_size: integer,
    total: integer,
  }),
})
