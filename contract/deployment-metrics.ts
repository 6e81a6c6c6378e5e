import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { cpu_limit_millicores, memory_limit_mb } from './deployment-fields.ts'
import { read_one } from './deployments.ts'
import { endpoint } from './endpoint.ts'
import { date_time, described, integer, nullable_integer, one_of } from './schema.ts'

const { slot_seconds, day, month } = decisions.deployment_upkeep

export const metric_periods = ['24h', '30d'] as const

export const metrics_period = described(
  'The period',
  Type.Unsafe<(typeof metric_periods)[number]>({ type: 'string', enum: [...metric_periods], default: '24h' }),
)
const at = described('The start of this data point’s interval', date_time)
const nullable_number = Type.Unsafe<number | null>({ type: ['number', 'null'] })

export const usage_point = Type.Object({
  at,
  memory_bytes: described('Average memory in use, without the file cache', integer),
  memory_bytes_max: described('Maximum measured memory', integer),
  millicores: described(
    'Average processor time, in thousandths of a core; null without two measurements',
    nullable_integer,
  ),
  millicores_max: described('Maximum measured processor time', nullable_integer),
  received_bytes: described('Bytes received over the network; null without two measurements', nullable_integer),
  sent_bytes: described('Bytes sent over the network; null without two measurements', nullable_integer),
})

export const requests_point = Type.Object({
  at,
  total: described('Answered requests', integer),
  status_2xx: described('Responses with 200 to 299, and ignored upgrades', integer),
  status_3xx: described('Responses with 300 to 399', integer),
  status_4xx: described('Responses with 400 to 499', integer),
  status_5xx: described('Responses with 500 and above, including the router’s if no container responded', integer),
  p50_ms: described('The estimated median time to the start of a response, in milliseconds', nullable_number),
  p95_ms: described(
    'The estimated 95th percentile of the time to the start of a response, in milliseconds',
    nullable_number,
  ),
})

export const replica_usage = Type.Object({
  replica: described('Counts the containers of a deployment, from 1', integer),
  points: described('Oldest first; without intervals in which it did not run', Type.Array(usage_point)),
})

export const deployment_metrics = Type.Object({
  period: described('The requested period', one_of(metric_periods)),
  from: described('The start of the first interval', date_time),
  to: described('The end of the last interval', date_time),
  step_seconds: described('The length of a data point’s interval', integer),
  memory_limit_mb,
  cpu_limit_millicores,
  replicas: described('By container; empty if nothing was measured', Type.Array(replica_usage)),
  requests: described('Oldest first; without intervals that had no requests', Type.Array(requests_point)),
})

export const getDeploymentMetrics = endpoint('GET /api/deploy/apps/{id}/metrics', {
  ...read_one,
  summary: 'The memory, processor time and network that a deployment used, and its requests',
  description:
    `Measured every ${slot_seconds} seconds. \`24h\` has at most ${day.points_max} points of ${day.step_seconds / 60} minutes, the last one ` +
    `incomplete; \`30d\` has at most ${month.points_max} complete points of ${month.step_seconds / 3600} hours. While one container ` +
    'replaces another, the serving one is measured. On a Swarm only containers on the node that the platform is connected to ' +
    'can be measured; requests are always counted. WebSockets are not counted.',
  origin: 'extension',
  decision: 'D-104',
  query: Type.Object({ period: Type.Optional(metrics_period) }),
  response: deployment_metrics,
})
