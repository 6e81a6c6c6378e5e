import type { deploy_actions } from '../../../contract/deployment-fields.ts'
import type { getDeployment, listDeployLog, listDeployTiers } from '../../../contract/deployments.ts'
import { deployment_may, mayDeployment, type DeploymentOperation } from '../../../contract/states.ts'
import type { AnswerOf } from '../../api/call.ts'
import { settings } from '../../settings.ts'
import { formatNumber, formatPoints } from '../../ui/format.tsx'

export type Deployment = AnswerOf<typeof getDeployment>
export type LogEntry = AnswerOf<typeof listDeployLog>['logs'][number]
export type Tier = AnswerOf<typeof listDeployTiers>['tiers'][number]
type ObservedState = Pick<Deployment, 'status' | 'health_status'>

/** Whether the state is transitional, so that it is polled often. */
export const isChanging = (state: (ObservedState & { is_being_removed?: boolean }) | undefined) =>
  state === undefined ||
  state.is_being_removed === true ||
  state.status === 'pending' ||
  state.status === 'deploying' ||
  state.health_status === 'restarting' ||
  state.health_status === 'starting'

export interface Explanation {
  tone: 'good' | 'waiting' | 'bad' | 'quiet'
  label: string
  /** The meaning and the next step. */
  text: string
}

const statuses: Record<Deployment['status'], Explanation> = {
  pending: { tone: 'waiting', label: 'Pending', text: 'It is accepted and is waiting for a container host.' },
  deploying: {
    tone: 'waiting',
    label: 'Deploying',
    text: 'Its image is fetched, or the container starts. It serves as soon as its port answers.',
  },
  running: { tone: 'good', label: 'Running', text: 'The container runs and its port answers.' },
  stopped: { tone: 'quiet', label: 'Stopped', text: 'The container is stopped. A restart brings it back.' },
  destroyed: { tone: 'quiet', label: 'Destroyed', text: 'It is gone for good.' },
}

/** By health status and failure cause (D-56). */
const healths: Record<string, Explanation> = {
  healthy: { tone: 'good', label: 'healthy', text: 'The container runs and its port answers.' },
  unhealthy: {
    tone: 'bad',
    label: 'unhealthy',
    text: 'The container runs, but its port does not answer. Look at its output; a restart may help for a while.',
  },
  starting: { tone: 'waiting', label: 'starting', text: 'The container starts; its port has not answered yet.' },
  restarting: {
    tone: 'waiting',
    label: 'restarting',
    text: 'The container ended by itself and is started again. Five times within five minutes end it for good.',
  },
  unknown: {
    tone: 'bad',
    label: 'host not reachable',
    text: 'Its container host cannot be reached, so this is the last known state. You need not do anything: it is checked again when the host is back.',
  },
  crash_loop: {
    tone: 'bad',
    label: 'crash loop',
    text: 'The program ended again and again, or could not be started at all. Find the reason in the action log and its last output, repair the image, then restart.',
  },
  oom_killed: {
    tone: 'bad',
    label: 'out of memory',
    text: 'The program was killed for using more memory than its tier has. Let it use less, or change it to a larger tier.',
  },
  image_not_found: {
    tone: 'bad',
    label: 'image not found',
    text: 'The registry has no such image or tag. Push it and restart, or change the image.',
  },
  registry_auth_failed: {
    tone: 'bad',
    label: 'registry refused',
    text: 'The registry did not let Plaza have the image. Make it public, or put it where Plaza may fetch it.',
  },
  start_timeout: {
    tone: 'bad',
    label: 'did not answer in time',
    text: 'Its port did not answer: a program must listen on 0.0.0.0 and on the port in the variable PORT. If it was not even started, the action log says why.',
  },
}

const billings: Record<string, Explanation> = {
  awaiting_payment: {
    tone: 'waiting',
    label: 'Awaiting payment',
    text: 'It starts as soon as an admin has entered that it was paid.',
  },
  suspended: {
    tone: 'bad',
    label: 'Suspended',
    text: 'You had too few points for the next 30 days. It comes back by itself once you have enough.',
  },
}

const being_removed: Explanation = {
  tone: 'waiting',
  label: 'Being removed',
  text: 'It was destroyed, and its container is being removed. It serves nobody any more.',
}

/** The label and explanation of a deployment's state. */
export function explain(
  deployment: ObservedState & Partial<Pick<Deployment, 'billing_status' | 'is_being_removed'>>,
): Explanation {
  const { status, health_status, billing_status, is_being_removed = false } = deployment
  if (is_being_removed && status !== 'destroyed') return being_removed
  const base = statuses[status]
  const billing = billings[billing_status ?? '']
  if (billing && (status === 'pending' || status === 'stopped')) return billing
  if (health_status === null || health_status === 'healthy') return base
  const known = healths[health_status]
  if (!known) return { ...base, label: `${base.label}: ${health_status}` }
  return { ...known, label: `${base.label}: ${known.label}` }
}

export const colors: Record<Explanation['tone'], string> = {
  good: 'plaza',
  waiting: 'yellow',
  bad: 'red',
  quiet: 'gray',
}

const not_allowed: Record<DeploymentOperation, Partial<Record<Deployment['status'], string>>> = {
  change: { destroyed: 'Change: it is destroyed.' },
  restart: {
    pending: 'Restart: it has not run yet. Wait until it runs or stops.',
    deploying: 'Restart: it is being started already. Wait until it runs or stops.',
    destroyed: 'Restart: it is destroyed.',
  },
  stop: { stopped: 'Stop: it is stopped already.', destroyed: 'Stop: it is destroyed.' },
  destroy: {},
}

const being_removed_reasons: Record<Exclude<DeploymentOperation, 'destroy'>, string> = {
  change: 'Change: it is being removed.',
  restart: 'Restart: it is being removed.',
  stop: 'Stop: it is being removed.',
}

/** Why an operation is not allowed now; undefined when it is (contract/states.ts). */
export function disabledReason(
  operation: DeploymentOperation,
  { status, billing_status, is_being_removed }: Deployment,
): string | undefined {
  if (is_being_removed && operation !== 'destroy') return being_removed_reasons[operation]
  if (!mayDeployment(operation, status))
    return (
      not_allowed[operation][status] ??
      `Only in these states: ${deployment_may[operation].join(', ')}. It is ${statuses[status].label.toLowerCase()}.`
    )
  if (operation === 'restart' && billing_status === 'suspended')
    return 'Restart: it is suspended until you have enough points.'
  return undefined
}

export const actions: Record<(typeof deploy_actions)[number], string> = {
  create: 'Create',
  deploy: 'Deploy',
  stop: 'Stop',
  restart: 'Restart',
  destroy: 'Destroy',
  suspend: 'Suspend',
  reactivate: 'Reactivate',
}

export const results: Record<string, { color: string; label: string }> = {
  pending: { color: 'yellow', label: 'in progress' },
  succeeded: { color: 'plaza', label: 'done' },
  failed: { color: 'red', label: 'failed' },
  superseded: { color: 'gray', label: 'superseded' },
}

export const cores = (millicores: number) =>
  millicores === 1000 ? '1 core' : `${(millicores / 1000).toLocaleString('en')} cores`

export const memory = (megabytes: number) =>
  megabytes >= 1024 && megabytes % 512 === 0 ? `${megabytes / 1024} GB` : `${formatNumber(megabytes)} MB`

/** The price of 30 days in the tier's currency. */
export function price({
  payment_method,
  monthly_cost_points,
  monthly_cost_sats,
}: Pick<Tier, 'payment_method' | 'monthly_cost_points' | 'monthly_cost_sats'>) {
  if (payment_method === 'bitcoin')
    return monthly_cost_sats === null ? 'no price' : `${formatNumber(monthly_cost_sats)} sats`
  return monthly_cost_points ? formatPoints(monthly_cost_points) : 'free'
}

export const no_charge = 'This Plaza charges nothing for hosting.'

/** The host name of a deployment. */
export const nameOf = (subdomain: string) => `${subdomain}.${settings.apps.domain}`

/** The URL of a deployment’s hostname; undefined where the proxy endpoint is unknown. */
export function addressOf(name: string): string | undefined {
  const { proxy_endpoint } = settings.apps
  return proxy_endpoint
    ? `${proxy_endpoint.scheme}://${name}${proxy_endpoint.port === '' ? '' : `:${proxy_endpoint.port}`}`
    : undefined
}
