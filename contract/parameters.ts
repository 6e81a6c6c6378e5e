import type { TSchema } from 'typebox'
import { webhook_headers } from './app-events.ts'
import { series_query, username_filter } from './app-payments.ts'
import { metrics_period } from './deployment-metrics.ts'
import { tail } from './deployments.ts'
import * as ids from './fields.ts'
import { module_number } from './learning.ts'
import { authorize_query } from './oauth-fields.ts'
import { hold_status } from './payment-fields.ts'
import { direction, from, idempotency_key, reference, to, transfer_kind } from './point-fields.ts'
import { page_cursor, page_limit } from './schema.ts'

const path = (name: string, schema: TSchema) => ({ in: 'path' as const, name, schema })
const query = (name: string, schema: TSchema) => ({ in: 'query' as const, name, schema })
const header = (name: string, schema: TSchema) => ({ in: 'header' as const, name, schema })
const authorization = authorize_query.properties

/** Parameters shared by several operations, by their names in the OpenAPI document (D-114). */
export const parameters = {
  // Ids in paths
  AppId: path('id', ids.app_id),
  ConnectedAppId: path('app_id', ids.app_id),
  ChannelId: path('channel_id', ids.channel_id),
  DeliveryId: path('delivery_id', ids.delivery_id),
  DeploymentId: path('id', ids.deployment_id),
  FriendshipId: path('id', ids.friendship_id),
  HoldId: path('id', ids.hold_id),
  HoldIdOfApp: path('hold_id', ids.hold_id),
  MovementId: path('id', ids.movement_id),
  ModuleNumber: path('module_number', module_number),
  PasskeyId: path('id', ids.passkey_id),
  ScopeRequestId: path('id', ids.scope_request_id),
  WebhookOfApp: path('webhook_id', ids.webhook_id),

  // Lists
  Limit: query('limit', page_limit),
  Cursor: query('cursor', page_cursor),
  From: query('from', from),
  To: query('to', to),
  Kind: query('kind', transfer_kind),
  Direction: query('direction', direction),
  Reference: query('reference', reference),
  HoldStatus: query('status', hold_status),
  OfUser: query('user_id', ids.user_id),
  OfUsername: query('username', username_filter),
  OfApp: query('app_id', ids.app_id),
  SeriesUnit: query('unit', series_query.properties.unit),
  FirstDay: query('from', series_query.properties.from),
  DayAfter: query('to', series_query.properties.to),
  Tail: query('tail', tail),
  MetricsPeriod: query('period', metrics_period),

  // Authorization requests
  ClientId: query('client_id', authorization.client_id),
  ResponseType: query('response_type', authorization.response_type),
  CodeChallenge: query('code_challenge', authorization.code_challenge),
  CodeChallengeMethod: query('code_challenge_method', authorization.code_challenge_method),
  RedirectUri: query('redirect_uri', authorization.redirect_uri),
  State: query('state', authorization.state),
  Scope: query('scope', authorization.scope),
  Nonce: query('nonce', authorization.nonce),
  Prompt: query('prompt', authorization.prompt),
  MaxAge: query('max_age', authorization.max_age),

  // Headers
  IdempotencyKey: header('Idempotency-Key', idempotency_key),
  WebhookId: header('Webhook-Id', webhook_headers.properties['webhook-id']),
  WebhookTimestamp: header('Webhook-Timestamp', webhook_headers.properties['webhook-timestamp']),
  WebhookSignature: header('Webhook-Signature', webhook_headers.properties['webhook-signature']),
}
