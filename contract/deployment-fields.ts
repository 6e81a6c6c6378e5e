import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { app_id, id, inserted_at } from './fields.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  nullable_uuid,
  one_of,
  patterned_text,
  text,
  uuid,
} from './schema.ts'
import { deployment_statuses } from './states.ts'

const { image_max } = decisions.images
const { kept_max } = decisions.deployment_upkeep
const { keys_max, value_bytes_max } = decisions.environment
const { slug_max } = decisions.deploy_tiers
const { text_max } = decisions.container_output
const { cycle_days } = decisions.hosting_charges

/** Fixed by the specification (Deployments, Limits). */
export const default_port = 3000

export const payment_methods = ['service_points', 'bitcoin'] as const
export const deploy_actions = ['create', 'deploy', 'stop', 'restart', 'destroy', 'suspend', 'reactivate'] as const
export const release_statuses = ['pending', 'current', 'replaced', 'failed', 'superseded'] as const
export const release_changes = [
  'image',
  'tier',
  'port',
  'custom_domain',
  'env_vars',
  'replicas',
  'health_path',
] as const
export const hosting_needs = ['registries', 'container_hosts', 'container_engine', 'tiers'] as const

// Requests of an app

const subdomain_rule = patterned_text('^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$', 'subdomain')
export const new_subdomain = described(
  'The public name of the deployment: 1 to 32 lower-case letters, digits and inner hyphens',
  decided('D-55', subdomain_rule),
)
export const new_name = described('The same as `subdomain`; send one of them', decided('D-55', subdomain_rule))
export const image = described(
  'The image with its registry, and a tag or digest; `GET /api/deploy/availability` lists the registries',
  decided('D-59', bounded_text(1, image_max)),
)
export const tier = described(
  'The `slug` of a deploy tier, which sets limits and price',
  decided('D-63', bounded_text(1, slug_max)),
)
export const port = described(
  'The port on which the container answers HTTP; it gets the number as `PORT`',
  Type.Integer({ minimum: 1, maximum: 65_535, default: default_port }),
)
/** `propertyNames` refuses an invalid name; without it, the name would be dropped as an unknown field. */
export const env_vars = described(
  `The environment: at most ${keys_max} variables; stored encrypted and never returned`,
  decided(
    'D-60',
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
      additionalProperties: { type: 'string', maxLength: value_bytes_max },
      maxProperties: keys_max,
    }),
  ),
)
/** Names have the same rules as in `env_vars`. */
export const env_unset = described(
  'Names of variables to remove; unknown ones are ignored',
  decided('D-60', Type.Array(patterned_text('^[A-Za-z_][A-Za-z0-9_]*$', 'variable_name'), { maxItems: keys_max })),
)
const health_path_pattern = '^/[!-~]*$'
const health_path_text =
  'A path that answers 2xx or 3xx to GET within 2 seconds while the container is healthy, such as `/healthz`'
export const new_health_path = described(
  `${health_path_text}; without one, an open port is enough`,
  decided('D-56', patterned_text(health_path_pattern, 'health_path', { maxLength: 255 })),
)
export const changed_health_path = described(
  `${health_path_text}; null for none`,
  decided(
    'D-56',
    Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: health_path_pattern, maxLength: 255 }),
  ),
)
const shown_health_path = described('The path of the health check; null for none', nullable_text)
export const changed_port = described(
  'The port on which the container answers HTTP',
  Type.Integer({ minimum: 1, maximum: 65_535 }),
)
export const changed_domain = described(
  'Your own domain, or null for none',
  decided('D-61', Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength: 253 })),
)
export const new_domain = described(
  'Your own domain, if the tier allows one; it is routed once a TXT record proves it',
  decided('D-61', bounded_text(1, 253)),
)

/** The maximum that a tier can allow. */
export const replicas_limit = 100
export const new_replicas = described(
  'How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each',
  decided('D-126', Type.Integer({ minimum: 1, maximum: replicas_limit, default: 1 })),
)
export const replicas = described(
  'How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each',
  decided('D-105', Type.Integer({ minimum: 1, maximum: replicas_limit })),
)

// Deployments

export const deployment_status = described(
  'The observed state of the container, never the requested one',
  decided('D-56', one_of(deployment_statuses)),
)
export const nullable_health_status = described(
  '`healthy`, `unhealthy`, `restarting`, `unknown`, or why it stopped: `crash_loop`, `oom_killed`, …',
  nullable_text,
)
export const container_image = described('The image in its full spelling, with a tag or a digest', text)
export const subdomain_of = described('Its public name', text)
export const last_health_check = described(
  'The time of the last health check; null before the first',
  nullable_date_time,
)
export const memory_limit_mb = described('The memory limit of the container, in MB', integer)
export const cpu_limit_millicores = described('The processor limit, in thousandths of a core', integer)

export const deployment_fields = {
  id,
  app_id,
  deploy_tier_id: described('The id of the deploy tier', uuid),
  container_name: described('Its name in the engine', text),
  container_image,
  subdomain: subdomain_of,
  status: deployment_status,
  memory_limit_mb,
  cpu_limit_millicores,
  custom_domain: described('The custom domain, verified or not; null for none', nullable_text),
  billing_status: described(
    '`active`, `suspended` or `awaiting_payment`; null if hosting is not charged',
    decided('D-62', nullable_text),
  ),
  health_status: decided('D-56', nullable_health_status),
  host_server: described(
    'The machine that it runs on; on a Swarm its name and the node, as `swarm/node`. Null before it runs',
    nullable_text,
  ),
  host_servers: described(
    'The machines that its replicas run on, a serving one first; empty before it runs',
    decided('D-105', Type.Array(text)),
  ),
  deployed_at: described('When the running version began to serve; null before', nullable_date_time),
  stopped_at: described('When it stopped; null while it runs', nullable_date_time),
  last_health_check,
  is_stopping: described(
    'Whether its owner or a suspension is stopping it, and it still runs',
    decided('D-126', boolean),
  ),
  is_being_removed: described('Whether it was destroyed but its container still exists', decided('D-57', boolean)),
  replicas,
  health_path: decided('D-56', shown_health_path),
  ready_replicas: described('The number of replicas that currently receive requests', decided('D-105', integer)),
  inserted_at,
}
export const deployment = Type.Object(deployment_fields)

export const deployment_state = Type.Object({
  id,
  status: deployment_status,
  subdomain: subdomain_of,
  health_status: decided('D-56', nullable_health_status),
  last_health_check,
  is_stopping: deployment_fields.is_stopping,
})

export const deploy_log_entry = Type.Object({
  id,
  action: described('The operation', one_of(deploy_actions)),
  status: described('`pending`, `succeeded`, `failed`, or `superseded` by a later one', decided('D-58', text)),
  initiated_by: described('The id of the person; null for the platform', decided('D-58', nullable_uuid)),
  details: described(
    'A `message`, and facts such as digest or exit code; never values of the environment',
    decided(
      'D-58',
      Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
    ),
  ),
  inserted_at: described('When it began', date_time),
})

/** The fields of a refusal that name the current state. */
export const state_fields = {
  not_allowed_now: {
    status: described('The status that does not allow it', deployment_status),
    is_stopping: deployment_fields.is_stopping,
    is_being_removed: deployment_fields.is_being_removed,
  },
}
/** The places that an app's images may come from, in a refusal of an image. */
export const allowed_places = {
  allowed: described('The allowed prefixes of image names', Type.Array(text)),
}

const names = Type.Array(text)
const release_number = 'Counts the releases of a deployment, from 1'

const release_status = described(
  'Its outcome: `pending` until it serves, `current` from then on, `replaced` by a later one, `failed`, or `superseded` by a later one before it served',
  one_of(release_statuses),
)
const failure = described(
  'Why it failed: a `message`, the `cause`, the exit code and the last lines of its output; null if it did not',
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
)
export const deploy_release = Type.Object({
  id,
  number: described(release_number, integer),
  status: release_status,
  container_image: described('The image in its full spelling, with a tag or a digest', text),
  image_digest: described('The image by digest, as it served; null before', nullable_text),
  deploy_tier_id: described('The id of the deploy tier', uuid),
  memory_limit_mb,
  cpu_limit_millicores,
  port: described('The port on which the container answers HTTP', integer),
  custom_domain: described('The custom domain; null for none', nullable_text),
  replicas,
  health_path: shown_health_path,
  env_names: described('The names of its environment, sorted; values are never shown', names),
  changed: described('The differences from the previous release', Type.Array(one_of(release_changes))),
  env_changed: described('Names of environment variables that it added, changed or removed, sorted', names),
  rolled_back_to: described('The number of the release that it repeats; null if it repeats none', nullable_integer),
  initiated_by: described('The id of the person; null for the platform', nullable_uuid),
  failure,
  served_at: described('When it began to serve; null before', nullable_date_time),
  inserted_at: described('When it was made', date_time),
})
export const deploy_releases = described(`Newest first; ${kept_max} are kept`, Type.Array(deploy_release))

export const released_deployment = Type.Object({
  ...deployment_fields,
  release: described(
    'The release that the call made, or the existing one if nothing differs',
    decided('D-126', Type.Object({ id, status: release_status, failure })),
  ),
})

export const domain_state = Type.Object({
  domain: described('The custom domain', text),
  record_name: described('The name of the TXT record', text),
  record_value: described('The required value of the TXT record', text),
  verified_at: described('When the record was found; null until then', nullable_date_time),
})

export const checked_domain = Type.Object({
  ...domain_state.properties,
  found: described(
    'The TXT records that DNS returned for this name, at most 20; empty if there are none, null without a response',
    decided('D-126', Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } })),
  ),
})

export const output_notes = ['dropped', 'gap'] as const
export const output_line = Type.Object({
  id: described('The position of the line in the output; also a `cursor` of the search', text),
  stream: described('The stream that the container wrote it to; `stderr` for a note', one_of(['stdout', 'stderr'])),
  at: described('When it was written', date_time),
  replica: described('The number of the replica that wrote it, from 1', decided('D-105', integer)),
  release: described('The number of the release that wrote it; null if unknown', decided('D-104', nullable_integer)),
  text: described('The line without its line end, truncated if too long', Type.String({ maxLength: text_max })),
  note: described(
    'Null for a line of the container. Otherwise a note of the platform: `dropped` if the container wrote more than is kept, `gap` if lines may be missing because its host had deleted them',
    Type.Unsafe<(typeof output_notes)[number] | null>({ type: ['string', 'null'], enum: [...output_notes, null] }),
  ),
  dropped: described('The number of lines dropped, for a note `dropped`; otherwise 0', integer),
})

// Tiers

export const payment_method = described(
  'The means of payment; an admin records payments in bitcoin by hand',
  one_of(payment_methods),
)
export const custom_domain_allowed = described('Whether deployments may have a custom domain', boolean)
export const ad_reach_multiplier = 'How much further ads of the app reach, a decimal number as text'
const per_cycle = `for ${cycle_days} days`

export const deploy_tier_fields = {
  id,
  name: described('Its name, for people', text),
  slug: described('Its name in requests: the `tier` of a new deployment', text),
  payment_method,
  memory_limit_mb,
  cpu_limit_millicores,
  custom_domain_allowed,
  replicas_max: described('The maximum number of replicas of a deployment', decided('D-105', integer)),
  monthly_stipend_points: described(`Points credited to the owner ${per_cycle}`, integer),
  ad_reach_multiplier: described(ad_reach_multiplier, text),
  monthly_cost_points: described(`The price ${per_cycle}, in points; null if it costs none`, nullable_integer),
  monthly_cost_sats: described(`The price ${per_cycle}, in satoshis; null if it costs none`, nullable_integer),
}
export const deploy_tier = Type.Object(deploy_tier_fields)
