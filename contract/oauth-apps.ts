import { Type, type TSchema } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  integer,
  nullable_date_time,
  nullable_text,
  one_of,
  partial,
  text,
  uuid,
  display_text,
} from './schema.ts'

export const app_fields = {
  id: uuid,
  client_id: text,
  app_name: text,
  app_description: nullable_text,
  logo_url: nullable_text,
  website_url: nullable_text,
  redirect_uris: Type.Array(text),
  allowed_scopes: Type.Array(text),
  is_approved: boolean,
  listed: decided('D-34', boolean),
  require_pkce: decided('D-24', boolean),
  inserted_at: date_time,
  updated_at: date_time,
}

export const app_statuses = ['pending', 'approved', 'rejected'] as const

/** The state of an app's review, for its owner and the admins. */
export const app_review = decided(
  'D-81',
  Type.Object({
    status: one_of(app_statuses),
    /** The reason of the last decision. It stays while a resubmitted app is pending. */
    reason: nullable_text,
    decided_at: nullable_date_time,
    resubmitted_at: nullable_date_time,
  }),
)
const owned_app_fields = { ...app_fields, review: app_review }
export const app_name = decided('D-90', display_text(100))
const app_description = bounded_text(0, 2000)
const url = decided('D-90', bounded_text(0, 2048))

/** Null clears the field, as an empty text does, so that the body of a GET can be sent back. */
const clearable = (schema: TSchema) => Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] })
export const changed_description = clearable(app_description)
export const changed_url = clearable(url)

export const redirect_uris = decided(
  'D-28',
  Type.Array(bounded_text(1, 2048), { minItems: 1, maxItems: decisions['D-28'].value.redirect_uris_max }),
)
const requested_scopes = Type.Array(bounded_text(1, 100), { minItems: 1, maxItems: 20 })

export const operator_app = Type.Object(owned_app_fields)
const id_param = Type.Object({ id: uuid })

export const createApp = endpoint({
  method: 'POST',
  path: '/api/oauth/apps',
  tag: 'OAuth apps',
  summary: 'Register an app; its secret is shown this once',
  auth: 'user',
  limit: { requests: 3, seconds: 3600 },
  body: Type.Object({
    app_name,
    redirect_uris,
    app_description: Type.Optional(app_description),
    logo_url: Type.Optional(url),
    website_url: Type.Optional(url),
    requested_scopes: Type.Optional(decided('D-31', requested_scopes)),
    require_pkce: Type.Optional(decided('D-24', boolean)),
  }),
  status: [201],
  response: Type.Object({ app: Type.Object({ ...owned_app_fields, client_secret: text }) }),
  fails: ['email_not_verified'],
})

export const getPublicApp = endpoint({
  method: 'GET',
  path: '/api/oauth/apps/{client_id}',
  tag: 'OAuth apps',
  summary: 'What anybody may know of an app',
  auth: 'none',
  cors: 'any_origin',
  params: Type.Object({ client_id: bounded_text(1, 200) }),
  response: Type.Object({ name: text, client_id: text, description: Type.Optional(text) }),
  fails: ['not_found'],
})

export const listMyApps = endpoint({
  method: 'GET',
  path: '/api/oauth/my-apps',
  tag: 'OAuth apps',
  summary: 'The apps that you own',
  auth: 'user',
  response: Type.Array(Type.Object({ ...owned_app_fields, total_users: integer })),
})

export const updateMyApp = endpoint({
  method: 'PUT',
  path: '/api/oauth/my-apps/{id}',
  tag: 'OAuth apps',
  summary: 'Change an app of yours',
  auth: 'user',
  decision: 'D-31',
  params: id_param,
  body: partial({
    allowed_scopes: Type.Array(bounded_text(1, 100), { maxItems: 20 }),
    app_description: changed_description,
    app_name,
    logo_url: changed_url,
    redirect_uris,
    website_url: changed_url,
    require_pkce: decided('D-24', boolean),
  }),
  response: operator_app,
  fails: ['not_found', 'scope_not_allowed'],
})

export const submitMyApp = endpoint({
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/submit',
  tag: 'OAuth apps',
  summary: 'Submit a rejected app of yours for review again',
  auth: 'user',
  origin: 'extension',
  decision: 'D-81',
  limit: { requests: 5, seconds: 3600 },
  params: id_param,
  response: operator_app,
  fails: ['not_found', 'app_not_rejected'],
})

export const scope_request = Type.Object({
  id: uuid,
  status: decided('D-32', text),
  requested_scopes: Type.Array(text),
  inserted_at: date_time,
})

export const requestScopes = endpoint({
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/scope-request',
  tag: 'OAuth apps',
  summary: 'Ask an admin for more scopes',
  auth: 'user',
  params: id_param,
  body: Type.Object({ requested_scopes }),
  status: [201],
  response: scope_request,
  fails: ['not_found'],
})

export const listScopeRequests = endpoint({
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/scope-requests',
  tag: 'OAuth apps',
  summary: 'Your scope requests for an app, newest first',
  auth: 'user',
  decision: 'D-32',
  params: id_param,
  response: Type.Array(scope_request),
  fails: ['not_found'],
})

const secret_fields = { id: uuid, hint: text, inserted_at: date_time, last_used_at: nullable_date_time }

export const createSecret = endpoint({
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/secrets',
  tag: 'OAuth apps',
  summary: 'Add a client secret; it is shown this once',
  auth: 'user',
  origin: 'extension',
  decision: 'D-39',
  params: id_param,
  status: [201],
  response: Type.Object({ ...secret_fields, client_secret: text }),
  fails: ['not_found', 'too_many_secrets'],
})

export const listSecrets = endpoint({
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/secrets',
  tag: 'OAuth apps',
  summary: 'The client secrets of an app: last characters and last use',
  auth: 'user',
  origin: 'extension',
  decision: 'D-39',
  params: id_param,
  response: Type.Object({ secrets: Type.Array(Type.Object(secret_fields)) }),
  fails: ['not_found'],
})

export const deleteSecret = endpoint({
  method: 'DELETE',
  path: '/api/oauth/my-apps/{id}/secrets/{secret_id}',
  tag: 'OAuth apps',
  summary: 'Delete a client secret; it stops working at once',
  auth: 'user',
  origin: 'extension',
  decision: 'D-39',
  params: Type.Object({ id: uuid, secret_id: uuid }),
  response: message_response,
  fails: ['not_found'],
})
