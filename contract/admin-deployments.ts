import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import {
  ad_reach_multiplier as reach_meaning,
  allowed_places,
  custom_domain_allowed,
  deploy_log_entry,
  deploy_releases,
  deploy_tier_fields,
  deployment_fields,
  deployment_status,
  output_line,
  payment_method,
  replicas_limit,
  state_fields,
} from './deployment-fields.ts'
import { deployment_metrics, metrics_period } from './deployment-metrics.ts'
import { output_lines, output_search, tail } from './deployments.ts'
import { engine_kinds } from './kinds/engines.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { app_id, app_name, deployment_id, inserted_at, updated_at } from './fields.ts'
import {
  boolean,
  date_time,
  bounded_text,
  decided,
  described,
  display_name,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  one_of,
  page_of,
  page_query,
  partial,
  patterned_text,
  text,
  uuid,
  read_text,
} from './schema.ts'

const { amount_max } = decisions.amounts
const { slug_max } = decisions.deploy_tiers
const ours = { ...of_admins, admin_roles: ['hosting'], decision: 'D-63' } as const
const tier_param = Type.Object({ id: described('The id of the deploy tier', uuid) })
const one = { ...ours, decision: 'D-110', params: Type.Object({ id: deployment_id }), fails: ['not_found'] } as const
const reason = described('The reason, shown to the owner in the deploy log', read_text(1, 1000))

// Tiers

const price = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: amount_max })
const monthly_cost_points = described('The price for 30 days, in points; null for none', price)
const monthly_cost_sats = described('The price for 30 days, in satoshis; null for none', price)
const name = described('Its name, for people', display_name(100))
const slug = described(
  'Its unique name in requests, which apps send as `tier`',
  patterned_text('^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$', 'slug', {
    maxLength: slug_max,
  }),
)
/** 6 MB is the engine's minimum for a container; 0.01 processors is our minimum. */
const memory_limit_mb = described(
  'The memory limit of a container, in MB',
  Type.Integer({ minimum: 6, maximum: 1_048_576 }),
)
const cpu_limit_millicores = described(
  'The processor limit, in thousandths of a core',
  Type.Integer({ minimum: 10, maximum: 1_024_000 }),
)
const monthly_stipend_points = described(
  'Points credited to the owner for 30 days',
  Type.Integer({ minimum: 0, maximum: amount_max }),
)
const ad_reach_multiplier = described(
  reach_meaning,
  patterned_text('^(?:0|[1-9][0-9]{0,5})(?:\\.[0-9]{1,6})?$', 'multiplier'),
)
const replicas_max = described(
  'The maximum number of replicas of a deployment',
  decided('D-105', Type.Integer({ minimum: 1, maximum: replicas_limit })),
)
const retired = described('Whether it is no longer offered; existing deployments keep it', boolean)

const required_of_tier = { name, slug, payment_method, memory_limit_mb, cpu_limit_millicores }

export const admin_deploy_tier = Type.Object({
  ...deploy_tier_fields,
  retired,
  inserted_at,
  updated_at,
})

export const adminListDeployTiers = endpoint('GET /api/admin/tiers', {
  ...ours,
  summary: 'Deploy tiers, newest first, including retired ones',
  description: 'The catalogue that apps choose from is `GET /api/deploy/tiers`.',
  query: page_query({}),
  response: page_of(admin_deploy_tier),
})

export const createDeployTier = endpoint('POST /api/admin/tiers', {
  ...ours,
  summary: 'Add a deploy tier to the catalogue',
  description: 'It is offered immediately. Prices apply with `BILLING=on`.',
  body: Type.Object({
    ...required_of_tier,
    custom_domain_allowed: Type.Optional({ ...custom_domain_allowed, default: false }),
    replicas_max: Type.Optional({ ...replicas_max, default: 1 }),
    monthly_stipend_points: Type.Optional({ ...monthly_stipend_points, default: 0 }),
    ad_reach_multiplier: Type.Optional({ ...ad_reach_multiplier, default: '1.0' }),
    monthly_cost_points: Type.Optional(monthly_cost_points),
    monthly_cost_sats: Type.Optional(monthly_cost_sats),
  }),
  status: [201],
  response: admin_deploy_tier,
  fails: ['slug_taken'],
})

export const updateDeployTier = endpoint('PUT /api/admin/tiers/{id}', {
  ...ours,
  summary: 'Change or retire a deploy tier',
  description:
    'Limits apply to new deployments, prices from the next cycle of each deployment. A retired tier is no longer offered; ' +
    'deployments on it stay.',
  params: tier_param,
  body: partial({
    ...required_of_tier,
    custom_domain_allowed,
    replicas_max,
    monthly_stipend_points,
    ad_reach_multiplier,
    monthly_cost_points,
    monthly_cost_sats,
    retired,
  }),
  response: admin_deploy_tier,
  fails: ['not_found', 'slug_taken'],
})

// Deployments

export const admin_deployment = Type.Object({
  ...deployment_fields,
  owner_id: described('The id of the person who made it', uuid),
  desired: described('The state that its owner wants', one_of(['running', 'stopped', 'destroyed'])),
  suspended_by: described(
    '`admin`, `billing`, or `owner` while the owner is suspended; null while it is not',
    nullable_text,
  ),
  generation: described('The version of the desired state; each version has its own containers', integer),
  last_error: described('The last error on the way to that state; null if there was none', nullable_text),
  domain_verified_at: described('When the proof of its domain was found; null until then', nullable_date_time),
  paid_until: described('The end of the paid period; null if hosting is not charged', nullable_date_time),
  destroyed_at: described('When it was destroyed; null while it exists', nullable_date_time),
})

export const adminListDeployments = endpoint('GET /api/admin/deployments', {
  ...ours,
  summary: 'Deployments of all apps, newest first',
  description: 'Includes destroyed ones.',
  decision: 'D-81',
  query: page_query({
    status: Type.Optional(deployment_status),
    health_status: Type.Optional(described('Such as `unhealthy` or `crash_loop`', bounded_text(1, 100))),
    owner_id: Type.Optional(described('The id of the person who made it', uuid)),
    app_id: Type.Optional(app_id),
    q: Type.Optional(described('The prefix of the subdomain, ignoring case, or an id', bounded_text(1, 63))),
  }),
  response: page_of(admin_deployment),
})

export const admin_deployment_detail = Type.Object({
  ...admin_deployment.properties,
  app_name,
  owner_username: described('The name of the person who made it', text),
})

export const adminGetDeployment = endpoint('GET /api/admin/deployments/{id}', {
  ...one,
  summary: 'Any deployment, even a destroyed one',
  description: 'Contains the names of its app and its owner. An unknown deployment gets 404.',
  response: admin_deployment_detail,
})

export const adminListDeployLog = endpoint('GET /api/admin/deployments/{id}/logs', {
  ...one,
  summary: 'Every operation on a deployment, with its result',
  description: 'At most the 1,000 newest entries. Entries of admins contain no name; the audit log has it.',
  response: Type.Object({ logs: described('The entries, newest first', Type.Array(deploy_log_entry)) }),
})

export const adminListDeploymentReleases = endpoint('GET /api/admin/deployments/{id}/releases', {
  ...one,
  summary: 'The releases of any deployment, and their outcomes',
  description: 'As its owner sees them: the names of the environment variables, not their values.',
  response: Type.Object({ releases: deploy_releases }),
})

export const adminRollBackDeployment = endpoint('POST /api/admin/deployments/{id}/rollback', {
  ...one,
  summary: 'Roll any deployment back to an earlier release; its owner sees the reason in the deploy log',
  description:
    'The same as the owner’s rollback, at the owner’s cost; without `release_id` to the last earlier release that served. A ' +
    'destroyed deployment and an unknown release get 404; if no earlier release served, the response is 409.',
  body: Type.Object({
    release_id: Type.Optional(described('The release to return to; by default the last one before that served', uuid)),
    reason,
  }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now', 'no_release_before', 'suspended', 'image_not_allowed', 'insufficient_points'],
  failure_fields: { ...state_fields, image_not_allowed: allowed_places },
})

export const adminGetDeploymentMetrics = endpoint('GET /api/admin/deployments/{id}/metrics', {
  ...one,
  summary: 'The resources that a deployment used, and its requests',
  description: 'As its owner sees it under `/api/deploy/apps/{id}/metrics`.',
  query: Type.Object({ period: Type.Optional(metrics_period) }),
  response: deployment_metrics,
})

const audited_output =
  'The audit log records your access. The output of a destroyed deployment can be read until it is deleted.'

export const adminGetDeploymentOutput = endpoint('GET /api/admin/deployments/{id}/output', {
  ...one,
  summary: 'The last output lines of any deployment’s containers, oldest first',
  description: audited_output,
  query: Type.Object({ tail: Type.Optional(tail) }),
  response: output_lines,
})

export const adminSearchDeploymentOutput = endpoint('GET /api/admin/deployments/{id}/output/search', {
  ...one,
  summary: 'Search in the output of any deployment, newest line first',
  description: `As its owner does it. ${audited_output} Further pages belong to the same access as the first one.`,
  query: output_search,
  response: page_of(output_line),
})

export const adminFollowDeploymentOutput = endpoint('GET /api/admin/deployments/{id}/output/stream', {
  ...one,
  summary: 'The last output lines of any deployment’s containers, and then each new one',
  description: `Server-sent events, as its owner gets them. ${audited_output}`,
  query: Type.Object({ tail: Type.Optional(tail) }),
  response: text,
  events: { line: output_line, ended: Type.Object({}) },
  fails: ['not_found', 'rate_limited'],
})

// Container hosts

export const isolation_states = ['isolated', 'reachable', 'unchecked', 'trusted'] as const
export const protected_things = ['app', 'host', 'engine', 'metadata', 'registry', 'database'] as const

export const host_finding = Type.Object({
  what: described('The target that was reached', one_of(protected_things)),
  address: described('Its address; `gateway` for the machine that the container ran on', text),
  port: described('Its port', integer),
  answer: described(
    'Whether it accepted the connection; a refusal only means that nothing listens there',
    one_of(['connected', 'refused']),
  ),
})

export const host_isolation = Type.Object({
  node: described('The node of a Swarm; null if the host is one machine', nullable_text),
  state: described(
    'Whether containers there can reach forbidden targets; `unchecked` if the check failed, `trusted` if the settings disable it',
    one_of(isolation_states),
  ),
  found: described('The targets that they reach', Type.Array(host_finding)),
  reason: described('Why the check failed; null if it succeeded', nullable_text),
  checked_at: described('The time of the check', date_time),
})

export const container_host = Type.Object({
  name: described('Its name in the settings', text),
  kind: described(`The kind of its engine: ${engine_kinds.join(', ')}`, text),
  reachable: described('Whether a worker can reach it', boolean),
  fault: described('Why it cannot be reached; null while it can', nullable_text),
  version: described('The version that its engine reports; null until the engine was reached', nullable_text),
  memory_mb: described('Its memory, of all machines; null before it was reached', nullable_integer),
  millicores: described('Its processors, in thousandths of a core; null before it was reached', nullable_integer),
  machines: described('How many machines it has; null before it was reached', nullable_integer),
  deployments: described('The number of deployments placed there, not counting replicas', integer),
  seen_at: described('When a worker last reached it', date_time),
  advice: described('Recommended changes for its operator', Type.Array(text)),
  limits: described('Functions that an engine of this kind lacks', Type.Array(text)),
  isolation: described('By machine; empty before the first check', Type.Array(host_isolation)),
})

export const listContainerHosts = endpoint('GET /api/admin/container-hosts', {
  ...ours,
  summary: 'Container hosts, as last observed by workers, and whether they isolate apps',
  description: 'Hosts in the settings of a worker within the last day, by name; at most 500.',
  decision: 'D-113',
  response: Type.Object({ hosts: described('The hosts, by name', Type.Array(container_host)) }),
})

export const suspendDeployment = endpoint('POST /api/admin/deployments/{id}/suspend', {
  ...one,
  summary: 'Stop a deployment until an admin reactivates it; its owner sees the reason in the deploy log',
  description: 'This time is not charged. A deployment already suspended by an admin gets 409, a destroyed one 404.',
  decision: 'D-81',
  body: Type.Object({ reason }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now'],
})

export const reactivateDeployment = endpoint('POST /api/admin/deployments/{id}/reactivate', {
  ...one,
  summary: 'Lift an admin’s suspension: the state that the owner wanted applies again',
  description: 'A deployment that no admin has suspended gets 409.',
  decision: 'D-81',
  body: partial({ reason }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now'],
})

export const recordDeploymentPayment = endpoint('POST /api/admin/deployments/{id}/payment', {
  ...one,
  summary: 'Record that a cycle of a deployment on a bitcoin tier was paid',
  description: 'For a deployment that awaits payment, or whose cycle is about to end. Otherwise 409 `not_allowed_now`.',
  decision: 'D-62',
  body: partial({ note: described('How it was paid, for the deploy log', read_text(1, 1000)) }),
  response: admin_deployment,
  fails: ['not_found', 'not_allowed_now'],
})
