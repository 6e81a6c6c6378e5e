import { Type } from 'typebox'
import { done } from './account-fields.ts'
import { decisions } from './decisions.ts'
import * as deployment_fields from './deployment-fields.ts'
import { endpoint } from './endpoint.ts'
import { deployment_id } from './fields.ts'
import {
  boolean,
  bounded_text,
  decided,
  described,
  moment,
  nullable_text,
  one_of,
  page_cursor,
  page_of,
  text,
  uuid,
} from './schema.ts'

const { wait_seconds } = decisions.deployment_operations
const { release_wait_seconds_max } = decisions.release_outcomes
const { tail_default, tail_max, query_max, kept_after_destroy_days } = decisions.container_output
const { kept_lines_max, kept_bytes_max, kept_days } = decisions.container_output

const of_app = {
  tag: 'Deployments',
  auth: { scope: 'deploy:manage', or_client: true },
  secret_permission: 'deploy',
} as const
const read = { ...of_app, team_role: 'viewer', limit: { requests: 30, seconds: 60 } } as const
const write = { ...of_app, team_role: 'developer', limit: { requests: 10, seconds: 60 } } as const
const of_one = { params: Type.Object({ id: deployment_id }), fails: ['not_app_owner', 'not_found'] } as const
export const read_one = { ...read, ...of_one } as const
const write_one = { ...write, ...of_one } as const
const image_refusals = ['image_not_allowed', 'image_malformed'] as const
const image_refusal_fields = {
  image_not_allowed: deployment_fields.allowed_places,
  image_malformed: deployment_fields.allowed_places,
}
const release_wait = Type.Object({
  wait: Type.Optional(
    described(
      `Maximum seconds to wait for the outcome; ${wait_seconds} by default`,
      decided('D-126', Type.Integer({ minimum: 1, maximum: release_wait_seconds_max })),
    ),
  ),
})

export const listDeployments = endpoint('GET /api/deploy/apps', {
  ...read,
  summary: 'The app’s deployments that are not destroyed',
  description: 'Those of the app that the token or the client belongs to. A token must belong to the app’s owner.',
  decision: 'D-57',
  response: Type.Object({
    deployments: described('All of them, newest first', Type.Array(deployment_fields.deployment)),
  }),
  fails: ['not_app_owner'],
})

export const createDeployment = endpoint('POST /api/deploy/apps', {
  ...write,
  summary: 'Host a container for the app',
  description:
    'Send `subdomain` or `name`, or both with the same value. The response is sent before the container runs: poll the status until ' +
    'it is `running`.',
  decision: 'D-55',
  accepts_any_field_name: true,
  body_bytes_max: decisions.environment.body_bytes_max,
  body: Type.Object({
    subdomain: Type.Optional(deployment_fields.new_subdomain),
    name: Type.Optional(deployment_fields.new_name),
    image: deployment_fields.image,
    tier: deployment_fields.tier,
    port: Type.Optional(deployment_fields.port),
    env_vars: Type.Optional(deployment_fields.env_vars),
    custom_domain: Type.Optional(deployment_fields.new_domain),
    replicas: Type.Optional(deployment_fields.new_replicas),
    health_path: Type.Optional(deployment_fields.new_health_path),
  }),
  status: [201],
  response: deployment_fields.deployment,
  fails: ['not_app_owner', 'subdomain_taken', ...image_refusals, 'insufficient_points', 'container_engine_unavailable'],
  failure_fields: image_refusal_fields,
})

export const getDeployment = endpoint('GET /api/deploy/apps/{id}', {
  ...read_one,
  summary: 'One deployment',
  description: 'A destroyed deployment or one of another app gets 404.',
  decision: 'D-57',
  response: deployment_fields.deployment,
})

export const destroyDeployment = endpoint('DELETE /api/deploy/apps/{id}', {
  ...write_one,
  summary: 'Permanently destroy a deployment and its container; repeatable',
  description:
    'Its name stays reserved for the owner for 30 days. The response says so while it is being removed. The container’s disk is ' +
    `deleted with it. Its output can no longer be read, and is deleted after ${kept_after_destroy_days} days.`,
  decision: 'D-57',
  response: Type.Object({ id: deployment_id, message: done }),
})

export const listDeployLog = endpoint('GET /api/deploy/apps/{id}/logs', {
  ...read_one,
  summary: 'The operations on a deployment, with their initiators and results',
  description: 'At most the 1,000 newest entries. The program’s own lines are in its output.',
  decision: 'D-58',
  response: Type.Object({
    logs: described('The entries, newest first', Type.Array(deployment_fields.deploy_log_entry)),
  }),
})

export const getDeploymentStatus = endpoint('GET /api/deploy/apps/{id}/status', {
  ...read_one,
  summary: 'The few fields to poll while a deployment changes',
  description: 'Polling every two seconds stays within the limit. `running` means that the port has answered.',
  decision: 'D-56',
  response: deployment_fields.deployment_state,
})

export const restartDeployment = endpoint('POST /api/deploy/apps/{id}/restart', {
  ...write_one,
  summary: 'Restart the container, with the current image of its tag',
  description:
    'Waits a few seconds for the engine and returns the state at that time: poll the status until it is `running`.',
  decision: 'D-57',
  response: deployment_fields.deployment,
  fails: ['not_app_owner', 'not_found', 'not_allowed_now', 'suspended'],
  failure_fields: deployment_fields.state_fields,
})

export const stopDeployment = endpoint('POST /api/deploy/apps/{id}/stop', {
  ...write_one,
  summary: 'Stop the container; a restart starts it again',
  description:
    'Waits a few seconds for the engine and returns the state at that time. A stopped deployment is still charged.',
  decision: 'D-57',
  response: deployment_fields.deployment,
  fails: ['not_app_owner', 'not_found', 'not_allowed_now'],
  failure_fields: deployment_fields.state_fields,
})

export const listDeployTiers = endpoint('GET /api/deploy/tiers', {
  ...read,
  summary: 'The tiers to choose from: limits and prices',
  description: 'Those currently offered. Prices apply if the installation charges for hosting.',
  decision: 'D-63',
  response: Type.Object({ tiers: described('All offered tiers', Type.Array(deployment_fields.deploy_tier)) }),
  fails: ['not_app_owner'],
})

// Extensions

export const getHostingAvailability = endpoint('GET /api/deploy/availability', {
  tag: 'Deployments',
  summary: 'Availability of hosting, its missing prerequisites, and the allowed image sources',
  description:
    'Anybody who is signed in can call it too, also before an app has `deploy:manage`. `missing` contains `registries` if no ' +
    'registry is set, `container_hosts` if there is no container host, `container_engine` if none of them can be reached, and ' +
    '`tiers` if none is offered.',
  auth: { scope: 'deploy:manage', or_client: true, or_user: true },
  secret_permission: 'deploy',
  origin: 'extension',
  decision: 'D-65',
  response: Type.Object({
    available: described('Whether a deployment can be created now', boolean),
    missing: described(
      'The missing prerequisites; empty if there are none',
      Type.Array(one_of(deployment_fields.hosting_needs)),
    ),
    registries: described(
      'The allowed sources of images',
      Type.Object({
        private: described('The registry of this installation; null if there is none', nullable_text),
        public: described(
          'A public registry, from which only official images are allowed; null if there is none',
          decided('D-113', nullable_text),
        ),
        code_host: described('The registry of a code host; null if there is none', decided('D-113', nullable_text)),
      }),
    ),
  }),
})

export const changeDeployment = endpoint('PATCH /api/deploy/apps/{id}', {
  ...write_one,
  summary: 'Change image, tier, port, domain, environment, replicas or health path of a deployment',
  description:
    'Makes a release of the sent and the unchanged fields. A new container serves only after it has answered, so no request is lost. ' +
    'If it does not start, the deployment does not change, and the release states the reason. The last of several quick changes ' +
    'wins. A stopped deployment stays stopped, and starts with the change later. A change without a difference makes no release: to ' +
    'fetch a tag again, restart. A change of `replicas` alone does not replace running containers. The call waits for the outcome in ' +
    '`release`, which is `pending` if it takes longer. A body without a known field gets 422.',
  accepts_any_field_name: true,
  body_bytes_max: decisions.environment.body_bytes_max,
  origin: 'extension',
  decision: 'D-104',
  body: Type.Object({
    image: Type.Optional(deployment_fields.image),
    tier: Type.Optional(deployment_fields.tier),
    port: Type.Optional(deployment_fields.changed_port),
    env_vars: Type.Optional(
      described(
        'The whole environment; replaces the current one; stored encrypted and never returned',
        deployment_fields.env_vars,
      ),
    ),
    env_set: Type.Optional(described('Variables to add or change; all others stay', deployment_fields.env_vars)),
    env_unset: Type.Optional(deployment_fields.env_unset),
    custom_domain: Type.Optional(deployment_fields.changed_domain),
    replicas: Type.Optional(deployment_fields.replicas),
    health_path: Type.Optional(deployment_fields.changed_health_path),
  }),
  query: release_wait,
  response: deployment_fields.released_deployment,
  fails: [
    'not_app_owner',
    'not_found',
    'not_allowed_now',
    'suspended',
    'nothing_to_change',
    ...image_refusals,
    'insufficient_points',
  ],
  failure_fields: { ...deployment_fields.state_fields, ...image_refusal_fields },
})

export const listDeploymentReleases = endpoint('GET /api/deploy/apps/{id}/releases', {
  ...read_one,
  summary: 'The releases of a deployment, and their outcomes',
  description: 'Each create, change and rollback makes a release; a restart uses the same one.',
  origin: 'extension',
  decision: 'D-104',
  response: Type.Object({ releases: deployment_fields.deploy_releases }),
})

export const rollBackDeployment = endpoint('POST /api/deploy/apps/{id}/rollback', {
  ...write_one,
  summary: 'Go back to an earlier release',
  description:
    'Makes a release with the image (by the digest that served then), tier, port, domain, environment and replicas of an earlier ' +
    'one, and rolls it out like a change. Without `release_id` it is the last earlier release that served and differs in more than ' +
    'the number of replicas, which does not change; if there is none, the response is 409.',
  origin: 'extension',
  decision: 'D-104',
  body: Type.Object({
    release_id: Type.Optional(described('The release to return to; by default the last one before that served', uuid)),
  }),
  query: release_wait,
  response: deployment_fields.released_deployment,
  fails: [
    'not_app_owner',
    'not_found',
    'not_allowed_now',
    'no_release_before',
    'suspended',
    'image_not_allowed',
    'insufficient_points',
  ],
  failure_fields: { ...deployment_fields.state_fields, image_not_allowed: image_refusal_fields.image_not_allowed },
})

export const getDeploymentDomain = endpoint('GET /api/deploy/apps/{id}/domain', {
  ...read_one,
  summary: 'The custom domain, and the TXT record that proves your ownership',
  description:
    'Publish a TXT record with that name and value and keep it: it is checked regularly. A deployment without a custom domain gets 404.',
  origin: 'extension',
  decision: 'D-61',
  response: deployment_fields.domain_state,
})

export const verifyDeploymentDomain = endpoint('POST /api/deploy/apps/{id}/domain/verify', {
  ...write_one,
  summary: 'Check the TXT record now; verified_at is null until it is found',
  description:
    'The record is also checked every ten minutes. DNS caches can delay it: `found` is the current answer of DNS.',
  origin: 'extension',
  decision: 'D-61',
  response: deployment_fields.checked_domain,
  fails: ['not_app_owner', 'not_found', 'domain_taken'],
})

export const tail = described(
  'The number of last lines',
  Type.Integer({ minimum: 0, maximum: tail_max, default: tail_default }),
)

export const output_lines = Type.Object({
  lines: described('The lines, oldest first', Type.Array(deployment_fields.output_line)),
})

export const output_search = Type.Object({
  q: Type.Optional(
    described('Lines that contain this text, ignoring case; by default all lines', bounded_text(1, query_max)),
  ),
  from: Type.Optional(described('Lines written at or after this time', moment)),
  to: Type.Optional(described('Lines written before this time', moment)),
  replica: Type.Optional(described('Only lines of this replica', Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))),
  limit: Type.Optional(
    described('Maximum lines of a page', Type.Integer({ minimum: 1, maximum: tail_max, default: tail_default })),
  ),
  cursor: Type.Optional(page_cursor),
})

export const getDeploymentOutput = endpoint('GET /api/deploy/apps/{id}/output', {
  ...read_one,
  summary: 'The containers’ last output lines, oldest first',
  description:
    'Contains the lines of all replicas and of earlier releases and restarts, also while the deployment is stopped or its host is ' +
    `unreachable. New lines appear after a second or two. Long lines are cut. At most ${kept_lines_max.toLocaleString('en')} lines ` +
    `or ${kept_bytes_max / 1_048_576} MB are kept, for at most ${kept_days} days; the oldest are deleted first.`,
  origin: 'extension',
  decision: 'D-64',
  query: Type.Object({ tail: Type.Optional(tail) }),
  response: output_lines,
})

export const searchDeploymentOutput = endpoint('GET /api/deploy/apps/{id}/output/search', {
  ...read_one,
  summary: 'Search the stored output, newest line first',
  description:
    'Without `q` it returns all stored lines in pages, for loading older lines. The `id` of any line can be the `cursor`: the page ' +
    'then begins with the line before it.',
  origin: 'extension',
  decision: 'D-64',
  query: output_search,
  response: page_of(deployment_fields.output_line),
})

export const followDeploymentOutput = endpoint('GET /api/deploy/apps/{id}/output/stream', {
  ...read_one,
  summary: 'The containers’ last output lines, and then each new one',
  description:
    'Server-sent events: a `line` for each line of all replicas, across restarts and releases, and `ended` when the deployment is ' +
    'stopped and its last line was sent, or when this token may no longer read it.',
  origin: 'extension',
  decision: 'D-64',
  query: Type.Object({ tail: Type.Optional(tail) }),
  response: text,
  events: { line: deployment_fields.output_line, ended: Type.Object({}) },
})
