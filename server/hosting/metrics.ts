import { counter, gauge, histogram, type Count } from '../platform/metrics/metrics.ts'

export const deployments = gauge({
  name: 'plaza_deployments',
  help: 'Deployments that are not destroyed, in the whole installation.',
  labels: { status: '`pending`, `deploying`, `running`, `stopped`' },
  across: 'max',
})

const reconcile_seconds = histogram({
  name: 'plaza_reconcile_seconds',
  help: 'How long a worker worked on a deployment until it was as desired, or had to be left for later.',
  labels: { outcome: '`done`, or `failed` where the work ended in an error' },
  bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
})

/** Records the work on one deployment. */
export const reconciled = {
  done: reconcile_seconds.with({ outcome: 'done' }),
  failed: reconcile_seconds.with({ outcome: 'failed' }),
}

export const engine_reachable = gauge({
  name: 'plaza_engine_reachable',
  help: '1 if the container host answered the last call of this worker, otherwise 0.',
  labels: { host: 'the name of the host in CONTAINER_HOSTS' },
  across: 'min',
})

const router_requests = counter({
  name: 'plaza_router_requests_total',
  help: 'Requests of visitors that the router answered.',
  labels: {
    status: 'the class of the status: `1xx` (an upgrade) to `5xx`',
    answered_by: '`container`, or `router` where no container could answer',
  },
})

export type AnsweredBy = 'container' | 'router'

const counts_by_class = { container: [] as Count[], router: [] as Count[] }

/** Counts an answer of the router. Statuses of containers are grouped, because a container may send any. */
export function countRouterAnswer(status: number, answered_by: AnsweredBy) {
  const status_class = Math.min(5, Math.max(1, Math.floor(status / 100)))
  const count = (counts_by_class[answered_by][status_class] ??= router_requests.with({
    status: `${status_class}xx`,
    answered_by,
  }))
  count.add()
}

export const router_in_progress = gauge({
  name: 'plaza_router_in_progress',
  help: 'Requests and WebSockets of visitors in progress.',
  labels: { kind: '`requests` (WebSockets included) or `websockets`' },
  across: 'sum',
})

export const router_routes = gauge({
  name: 'plaza_router_routes',
  help: 'Hostnames that the router knows.',
  across: 'max',
})
