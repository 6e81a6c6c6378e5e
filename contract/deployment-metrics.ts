import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { cpu_limit_millicores, memory_limit_mb } from './deployment-fields.ts'
import { endpoint } from './endpoint.ts'
import { deployment_id } from './fields.ts'
import { date_time, described, integer, nullable_integer, one_of } from './schema.ts'

const { slot_seconds, day, month } = decisions.deployment_upkeep

export const metric_periods = ['24h', '30d'] as const

export const metrics_period = described(
  'How far back',
  Type.Unsafe<(typeof metric_periods)[number]>({ type: 'string', enum: [...metric_periods], default: '24h' }),
)
const at = described('When the interval of this point begins', date_time)
const nullable_number = Type.Unsafe<number | null>({ type: ['number', 'null'] })

export const usage_point = Type.Object({
  at,
  memory_bytes: described('Memory in use, on average; without the cache of files', integer),
  memory_bytes_max: described('The most memory that was measured', integer),
  millicores: described(
    'Processor time, on average, in thousandths of a core; null if nothing was measured twice',
    nullable_integer,
  ),
  millicores_max: described('The most processor time that was measured', nullable_integer),
  received_bytes: described('Bytes received over the network; null without two measurements', nullable_integer),
  sent_bytes: described('Bytes sent over the network; null without two measurements', nullable_integer),
})

export const requests_point = Type.Object({
  at,
  total: described('Requests that were answered', integer),
  status_2xx: described('Answers of 200 to 299, and upgrades that were ignored', integer),
  status_3xx: described('Answers of 300 to 399', integer),
  status_4xx: described('Answers of 400 to 499', integer),
  status_5xx: described('Answers of 500 and more, those of the router where no container answered among them', integer),
  p50_ms: described('Half of the answers began within so many milliseconds; an estimate', nullable_number),
  p95_ms: described('95 of 100 answers began within so many milliseconds; an estimate', nullable_number),
})

export const replica_usage = Type.Object({
  replica: described('Counts the containers of a deployment, from 1', integer),
  points: described('The oldest first; none for intervals in which it did not run', Type.Array(usage_point)),
})

export const deployment_metrics = Type.Object({
  period: described('The period that was asked for', one_of(metric_periods)),
  from: described('When the first interval begins', date_time),
  to: described('When the last interval ends', date_time),
  step_seconds: described('How long the interval of a point is', integer),
  memory_limit_mb,
  cpu_limit_millicores,
  replicas: described('By container; empty if nothing was measured', Type.Array(replica_usage)),
  requests: described('The oldest first; none for intervals without requests', Type.Array(requests_point)),
})

export const getDeploymentMetrics = endpoint({
  method: 'GET',
  path: '/api/deploy/apps/{id}/metrics',
  team_role: 'viewer',
  tag: 'Deployments',
  summary: 'The memory, processor time and network that a deployment used, and its requests',
  description:
    `Measured every ${slot_seconds} seconds. \`24h\` has points of ${day.step_seconds / 60} minutes, at most ${day.points_max}, the last one ` +
    `still growing; \`30d\` points of ${month.step_seconds / 3600} hours, at most ${month.points_max}, of hours that are over. While one container ` +
    'replaces another, the one that serves is measured. On a Swarm only containers on the node that the platform is connected to ' +
    'can be measured; requests are counted always. WebSockets are not counted.',
  auth: { scope: 'deploy:manage', or_client: true },
  secret_permission: 'deploy',
  limit: { requests: 30, seconds: 60 },
  origin: 'extension',
  decision: 'D-104',
  params: Type.Object({ id: deployment_id }),
  query: Type.Object({ period: Type.Optional(metrics_period) }),
  response: deployment_metrics,
  fails: ['not_app_owner', 'not_found'],
})
