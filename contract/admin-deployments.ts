import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { deploy_tier_fields, deployment_fields, deployment_status, payment_methods } from './deployments.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  date_time,
  patterned_text,
  integer,
  nullable_date_time,
  nullable_text,
  one_of,
  page_of,
  page_query,
  partial,
  display_text,
  uuid,
} from './schema.ts'

const { amount_max } = decisions['D-45'].value
const { slug_max } = decisions['D-63'].value
const ours = { auth: 'admin', origin: 'extension', tag: 'Administration' } as const
const id_param = Type.Object({ id: uuid })
const reason = bounded_text(1, 1000)

// Tiers

const price = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: amount_max })
const name = display_text(100)
const slug = patterned_text('^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$', 'be small letters, digits and inner hyphens', {
  maxLength: slug_max,
})
const payment_method = one_of(payment_methods)
/** 6 MB is the engine's minimum for a container; 0.01 processors is our minimum. */
const memory_limit_mb = Type.Integer({ minimum: 6, maximum: 1_048_576 })
const cpu_limit_millicores = Type.Integer({ minimum: 10, maximum: 1_024_000 })
const monthly_stipend_points = Type.Integer({ minimum: 0, maximum: amount_max })
const ad_reach_multiplier = patterned_text(
  '^(?:0|[1-9][0-9]{0,5})(?:\\.[0-9]{1,6})?$',
  'be a number such as 1.0 or 2.5',
)

export const admin_deploy_tier = Type.Object({
  ...deploy_tier_fields,
  retired: boolean,
  inserted_at: date_time,
  updated_at: date_time,
})

export const adminListDeployTiers = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/tiers',
  summary: 'Deploy tiers, newest first, retired ones too',
  decision: 'D-63',
  query: page_query({}),
  response: page_of(admin_deploy_tier),
})

export const createDeployTier = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/tiers',
  summary: 'Add a deploy tier to the catalogue',
  decision: 'D-63',
  body: Type.Object({
    name,
    slug,
    payment_method,
    memory_limit_mb,
    cpu_limit_millicores,
    custom_domain_allowed: Type.Optional({ ...boolean, default: false }),
    monthly_stipend_points: Type.Optional({ ...monthly_stipend_points, default: 0 }),
    ad_reach_multiplier: Type.Optional({ ...ad_reach_multiplier, default: '1.0' }),
    monthly_cost_points: Type.Optional(price),
    monthly_cost_sats: Type.Optional(price),
  }),
  status: [201],
  response: admin_deploy_tier,
  fails: ['slug_taken'],
})

export const updateDeployTier = endpoint({
  ...ours,
  method: 'PUT',
  path: '/api/admin/tiers/{id}',
  summary: 'Change or retire a deploy tier',
  description:
    'Limits hold for deployments made from now on, prices from the next cycle of each. A retired tier is offered no more; ' +
    'deployments on it stay.',
  decision: 'D-63',
  params: id_param,
  body: partial({
    name,
    slug,
    payment_method,
    memory_limit_mb,
    cpu_limit_millicores,
    custom_domain_allowed: boolean,
    monthly_stipend_points,
    ad_reach_multiplier,
    monthly_cost_points: price,
    monthly_cost_sats: price,
    retired: boolean,
  }),
  response: admin_deploy_tier,
  fails: ['not_found', 'slug_taken'],
})

// Deployments

export const admin_deployment = Type.Object({
  ...deployment_fields,
  owner_id: uuid,
  desired: one_of(['running', 'stopped', 'destroyed']),
  suspended_by: nullable_text,
  generation: integer,
  last_error: nullable_text,
  domain_verified_at: nullable_date_time,
  paid_until: nullable_date_time,
  destroyed_at: nullable_date_time,
})

export const adminListDeployments = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/deployments',
  summary: 'Deployments of all apps, newest first',
  decision: 'D-81',
  query: page_query({
    status: Type.Optional(deployment_status),
    health_status: Type.Optional(bounded_text(1, 100)),
    owner_id: Type.Optional(uuid),
    app_id: Type.Optional(uuid),
  }),
  response: page_of(admin_deployment),
})

export const suspendDeployment = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/deployments/{id}/suspend',
  summary: 'Stop a deployment until an admin reactivates it; its owner reads the reason in the deploy log',
  decision: 'D-81',
  params: id_param,
  body: Type.Object({ reason }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now'],
})

export const reactivateDeployment = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/deployments/{id}/reactivate',
  summary: 'Lift an admin’s suspension: what the owner wanted before holds again',
  decision: 'D-81',
  params: id_param,
  body: partial({ reason }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now'],
})

export const recordDeploymentPayment = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/deployments/{id}/payment',
  summary: 'Record that a cycle of a deployment on a bitcoin tier was paid',
  description: 'For one that awaits payment, or whose cycle is about to end. Otherwise 409 `not_allowed_now`.',
  decision: 'D-62',
  params: id_param,
  body: partial({ note: bounded_text(1, 1000) }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now'],
})
