import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  patterned_text,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  nullable_uuid,
  one_of,
  text,
  uuid,
} from './schema.ts'
import { deployment_statuses } from './states.ts'

const { image_max } = decisions['D-59'].value
const { keys_max, value_bytes_max } = decisions['D-60'].value
const { slug_max } = decisions['D-63'].value
const { tail_default, tail_max, text_max } = decisions['D-64'].value

const read = { auth: { scope: 'deploy:manage', or_client: true }, limit: { requests: 30, seconds: 60 } } as const
const write = { auth: { scope: 'deploy:manage', or_client: true }, limit: { requests: 10, seconds: 60 } } as const
const id_param = Type.Object({ id: uuid })

/** Fixed by the specification (Deployments, Limits). */
export const default_port = 3000

export const payment_methods = ['service_points', 'bitcoin'] as const
export const deploy_actions = ['create', 'deploy', 'stop', 'restart', 'destroy', 'suspend', 'reactivate'] as const

const subdomain = patterned_text(
  '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
  'be 1 to 32 small letters, digits and inner hyphens',
)

/** `propertyNames` refuses an invalid name, which would otherwise be dropped as an unknown field. */
const env_vars = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  additionalProperties: { type: 'string', maxLength: value_bytes_max },
  maxProperties: keys_max,
})

export const deployment_status = decided('D-56', one_of(deployment_statuses))

export const deployment_fields = {
  id: uuid,
  app_id: uuid,
  deploy_tier_id: uuid,
  container_name: text,
  container_image: text,
  subdomain: text,
  status: deployment_status,
  memory_limit_mb: integer,
  cpu_limit_millicores: integer,
  custom_domain: nullable_text,
  billing_status: decided('D-62', nullable_text),
  health_status: decided('D-56', nullable_text),
  host_server: nullable_text,
  deployed_at: nullable_date_time,
  stopped_at: nullable_date_time,
  last_health_check: nullable_date_time,
  inserted_at: date_time,
}
export const deployment = Type.Object(deployment_fields)

export const deploy_log_entry = Type.Object({
  id: uuid,
  action: one_of(deploy_actions),
  status: decided('D-58', text),
  initiated_by: decided('D-58', nullable_uuid),
  details: decided(
    'D-58',
    Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
  ),
  inserted_at: date_time,
})

export const deploy_tier_fields = {
  id: uuid,
  name: text,
  slug: text,
  payment_method: one_of(payment_methods),
  memory_limit_mb: integer,
  cpu_limit_millicores: integer,
  custom_domain_allowed: boolean,
  monthly_stipend_points: integer,
  ad_reach_multiplier: text,
  monthly_cost_points: nullable_integer,
  monthly_cost_sats: nullable_integer,
}

export const listDeployments = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps',
  tag: 'Deployments',
  summary: 'The app’s deployments that are not destroyed',
  decision: 'D-57',
  response: Type.Object({ deployments: Type.Array(deployment) }),
  fails: ['not_app_owner'],
})

export const createDeployment = endpoint({
  ...write,
  method: 'POST',
  path: '/api/deploy/apps',
  tag: 'Deployments',
  summary: 'Host a container for the app',
  description:
    'Send `subdomain` or `name`, or both with the same value. ' +
    'The answer comes before the container runs: poll the status until it says `running`.',
  decision: 'D-55',
  accepts_any_field_name: true,
  body: Type.Object({
    subdomain: Type.Optional(decided('D-55', subdomain)),
    name: Type.Optional(decided('D-55', subdomain)),
    image: decided('D-59', bounded_text(1, image_max)),
    tier: decided('D-63', bounded_text(1, slug_max)),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, default: default_port })),
    env_vars: Type.Optional(decided('D-60', env_vars)),
    custom_domain: Type.Optional(decided('D-61', bounded_text(1, 253))),
  }),
  status: [201],
  response: deployment,
  fails: [
    'not_app_owner',
    'subdomain_taken',
    'image_not_allowed',
    'insufficient_points',
    'container_engine_unavailable',
  ],
})

export const getDeployment = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps/{id}',
  tag: 'Deployments',
  summary: 'One deployment',
  decision: 'D-57',
  params: id_param,
  response: deployment,
  fails: ['not_app_owner', 'not_found'],
})

export const destroyDeployment = endpoint({
  ...write,
  method: 'DELETE',
  path: '/api/deploy/apps/{id}',
  tag: 'Deployments',
  summary: 'Destroy a deployment and its container for good; repeating it answers alike',
  decision: 'D-57',
  params: id_param,
  response: Type.Object({ id: uuid, message: text }),
  fails: ['not_app_owner', 'not_found'],
})

export const listDeployLog = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps/{id}/logs',
  tag: 'Deployments',
  summary: 'What was done to a deployment, by whom and with what result',
  decision: 'D-58',
  params: id_param,
  response: Type.Object({ logs: Type.Array(deploy_log_entry) }),
  fails: ['not_app_owner', 'not_found'],
})

export const getDeploymentStatus = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps/{id}/status',
  tag: 'Deployments',
  summary: 'The few fields to poll while a deployment changes',
  decision: 'D-56',
  params: id_param,
  response: Type.Object({
    id: uuid,
    status: deployment_status,
    subdomain: text,
    health_status: decided('D-56', nullable_text),
    last_health_check: nullable_date_time,
  }),
  fails: ['not_app_owner', 'not_found'],
})

export const restartDeployment = endpoint({
  ...write,
  method: 'POST',
  path: '/api/deploy/apps/{id}/restart',
  tag: 'Deployments',
  summary: 'Start the container anew, with the image that its tag names now',
  decision: 'D-57',
  params: id_param,
  response: deployment,
  fails: ['not_app_owner', 'not_found', 'not_allowed_now', 'suspended'],
})

export const stopDeployment = endpoint({
  ...write,
  method: 'POST',
  path: '/api/deploy/apps/{id}/stop',
  tag: 'Deployments',
  summary: 'Stop the container; a restart brings it back',
  decision: 'D-57',
  params: id_param,
  response: deployment,
  fails: ['not_app_owner', 'not_found', 'not_allowed_now'],
})

export const listDeployTiers = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/tiers',
  tag: 'Deployments',
  summary: 'The tiers to choose from: limits and prices',
  decision: 'D-63',
  response: Type.Object({ tiers: Type.Array(Type.Object(deploy_tier_fields)) }),
  fails: ['not_app_owner'],
})

// Extensions

export const hosting_needs = ['registries', 'container_hosts', 'container_engine', 'tiers'] as const

export const getHostingAvailability = endpoint({
  method: 'GET',
  path: '/api/deploy/availability',
  tag: 'Deployments',
  summary: 'Whether containers can be hosted here now, what is missing, and where images may come from',
  description:
    'Called with the JWT of anybody who is signed in, before an app has `deploy:manage`. `missing` names `registries` where no ' +
    'registry is set, `container_hosts` where there is no container host, `container_engine` where none of them can be ' +
    'reached at the moment, and `tiers` where none is offered.',
  auth: 'user',
  origin: 'extension',
  decision: 'D-65',
  response: Type.Object({
    available: boolean,
    missing: Type.Array(one_of(hosting_needs)),
    registries: Type.Object({ private: nullable_text, public: nullable_text, code_host: nullable_text }),
  }),
})

export const domain_state = Type.Object({
  domain: text,
  record_name: text,
  record_value: text,
  verified_at: nullable_date_time,
})

export const getDeploymentDomain = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps/{id}/domain',
  tag: 'Deployments',
  summary: 'The custom domain, and the TXT record that proves it yours',
  description:
    'Publish a TXT record of that name and value and leave it there: it is looked for regularly. A deployment without a ' +
    'custom domain has none of this: 404.',
  origin: 'extension',
  decision: 'D-61',
  params: id_param,
  response: domain_state,
  fails: ['not_app_owner', 'not_found'],
})

export const verifyDeploymentDomain = endpoint({
  ...write,
  method: 'POST',
  path: '/api/deploy/apps/{id}/domain/verify',
  tag: 'Deployments',
  summary: 'Look for the TXT record now; as long as it is not found, verified_at is null',
  origin: 'extension',
  decision: 'D-61',
  params: id_param,
  response: domain_state,
  fails: ['not_app_owner', 'not_found', 'domain_taken'],
})

const tail = Type.Optional(Type.Integer({ minimum: 0, maximum: tail_max, default: tail_default }))
export const output_line = Type.Object({
  stream: one_of(['stdout', 'stderr']),
  at: date_time,
  text: Type.String({ maxLength: text_max }),
})

export const getDeploymentOutput = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps/{id}/output',
  tag: 'Deployments',
  summary: 'The last lines that the container wrote, oldest first',
  description: 'Longer lines are cut. Before anything ran there are no lines.',
  origin: 'extension',
  decision: 'D-64',
  params: id_param,
  query: Type.Object({ tail }),
  response: Type.Object({ lines: Type.Array(output_line) }),
  fails: ['not_app_owner', 'not_found', 'container_engine_unavailable'],
})

export const followDeploymentOutput = endpoint({
  ...read,
  method: 'GET',
  path: '/api/deploy/apps/{id}/output/stream',
  tag: 'Deployments',
  summary: 'The last lines that the container wrote, and then each new one',
  description:
    'Server-sent events: a `line` each, and `ended` when the container wrote its last, was replaced, or may no longer be ' +
    'watched with this token.',
  origin: 'extension',
  decision: 'D-64',
  params: id_param,
  query: Type.Object({ tail }),
  response: text,
  events: { line: output_line, ended: Type.Object({}) },
  fails: ['not_app_owner', 'not_found', 'container_engine_unavailable'],
})
