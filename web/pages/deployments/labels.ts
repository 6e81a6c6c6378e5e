import type { deploy_actions } from '../../../contract/deployment-fields.ts'
import type { getDeployment, listDeployLog, listDeployTiers } from '../../../contract/deployments.ts'
import { deployment_may, mayDeployment, type DeploymentOperation, type HealthStatus } from '../../../contract/states.ts'
import type { AnswerOf } from '../../api/call.ts'
import { settings } from '../../settings.ts'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { t } from '../../texts.ts'

export type Deployment = AnswerOf<typeof getDeployment>
export type LogEntry = AnswerOf<typeof listDeployLog>['logs'][number]
export type Tier = AnswerOf<typeof listDeployTiers>['tiers'][number]
type ObservedState = Pick<Deployment, 'status' | 'health_status'>

/** Whether the state is transitional, so that it is polled often. */
export const isChanging = (
  state: (ObservedState & { is_being_removed?: boolean; is_stopping?: boolean }) | undefined,
) =>
  state === undefined ||
  state.is_being_removed === true ||
  state.is_stopping === true ||
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

const statuses = (): Record<Deployment['status'], Explanation> => ({
  pending: {
    tone: 'waiting',
    label: t('common.pending'),
    text: t('deployments.labels.it-is-accepted-and-is-waiting'),
  },
  deploying: {
    tone: 'waiting',
    label: t('deployments.labels.deploying'),
    text: t('deployments.labels.its-image-is-fetched-or-the'),
  },
  running: {
    tone: 'good',
    label: t('deployments.labels.running'),
    text: t('deployments.labels.the-container-runs-and-its-port'),
  },
  stopped: {
    tone: 'quiet',
    label: t('common.stopped'),
    text: t('deployments.labels.the-container-is-stopped-a-restart'),
  },
  destroyed: {
    tone: 'quiet',
    label: t('deployments.labels.destroyed'),
    text: t('deployments.labels.it-is-gone-for-good'),
  },
})

/** By health status and failure cause (D-56). */
const healths = (): Record<HealthStatus, Explanation> => ({
  healthy: {
    tone: 'good',
    label: t('common.healthy'),
    text: t('deployments.labels.the-container-runs-and-its-port'),
  },
  unhealthy: {
    tone: 'bad',
    label: t('common.unhealthy'),
    text: t('deployments.labels.the-container-runs-but-its-port'),
  },
  starting: {
    tone: 'waiting',
    label: t('common.starting'),
    text: t('deployments.labels.the-container-starts-its-port-has'),
  },
  restarting: {
    tone: 'waiting',
    label: t('common.restarting'),
    text: t('deployments.labels.the-container-ended-by-itself-and'),
  },
  unknown: {
    tone: 'bad',
    label: t('deployments.labels.host-not-reachable'),
    text: t('deployments.labels.its-container-host-cannot-be-reached'),
  },
  crash_loop: {
    tone: 'bad',
    label: t('common.crash-loop'),
    text: t('deployments.labels.the-program-ended-again-and-again'),
  },
  oom_killed: {
    tone: 'bad',
    label: t('common.out-of-memory'),
    text: t('deployments.labels.the-program-was-killed-for-using'),
  },
  image_not_found: {
    tone: 'bad',
    label: t('common.image-not-found'),
    text: t('deployments.labels.the-registry-has-no-such-image'),
  },
  registry_auth_failed: {
    tone: 'bad',
    label: t('common.registry-refused'),
    text: t('deployments.labels.the-registry-did-not-let-plaza'),
  },
  start_timeout: {
    tone: 'bad',
    label: t('deployments.labels.did-not-answer-in-time'),
    text: t('deployments.labels.its-port-did-not-answer-a'),
  },
})

const billings = (): Record<string, Explanation> => ({
  awaiting_payment: {
    tone: 'waiting',
    label: t('deployments.labels.awaiting-payment'),
    text: t('deployments.labels.it-starts-as-soon-as-an'),
  },
  suspended: {
    tone: 'bad',
    label: t('common.suspended-2'),
    text: t('deployments.labels.you-had-too-few-points-for'),
  },
})

const being_removed = (): Explanation => ({
  tone: 'waiting',
  label: t('deployments.labels.being-removed'),
  text: t('deployments.labels.it-was-destroyed-and-its-container'),
})

const stopping = (): Explanation => ({
  tone: 'waiting',
  label: t('deployments.labels.stopping'),
  text: t('deployments.labels.it-was-stopped-and-its-container'),
})

/** The label and explanation of a deployment's state. */
export function explain(
  deployment: ObservedState & Partial<Pick<Deployment, 'billing_status' | 'is_being_removed' | 'is_stopping'>>,
): Explanation {
  const { status, health_status, billing_status, is_being_removed = false, is_stopping = false } = deployment
  if (is_being_removed && status !== 'destroyed') return being_removed()
  if (is_stopping) return stopping()
  const base = statuses()[status]
  const billing = billings()[billing_status ?? '']
  if (billing && (status === 'pending' || status === 'stopped')) return billing
  if (health_status === null || health_status === 'healthy') return base
  const known = (healths() as Partial<Record<string, Explanation>>)[health_status]
  if (!known) return { ...base, label: `${base.label}: ${health_status}` }
  return { ...known, label: `${base.label}: ${known.label}` }
}

export const colors: Record<Explanation['tone'], string> = {
  good: 'plaza',
  waiting: 'yellow',
  bad: 'red',
  quiet: 'gray',
}

const not_allowed = (): Record<DeploymentOperation, Partial<Record<Deployment['status'], string>>> => ({
  change: { destroyed: t('deployments.labels.change-it-is-destroyed') },
  restart: {
    pending: t('deployments.labels.restart-it-has-not-run-yet'),
    deploying: t('deployments.labels.restart-it-is-being-started-already'),
    destroyed: t('deployments.labels.restart-it-is-destroyed'),
  },
  stop: {
    stopped: t('deployments.labels.stop-it-is-stopped-already'),
    destroyed: t('deployments.labels.stop-it-is-destroyed'),
  },
  destroy: {},
})

const being_removed_reasons = (): Record<Exclude<DeploymentOperation, 'destroy'>, string> => ({
  change: t('deployments.labels.change-it-is-being-removed'),
  restart: t('deployments.labels.restart-it-is-being-removed'),
  stop: t('deployments.labels.stop-it-is-being-removed'),
})

/** Why an operation is not allowed now; undefined when it is (contract/states.ts). */
export function disabledReason(
  operation: DeploymentOperation,
  { status, billing_status, is_being_removed }: Deployment,
): string | undefined {
  if (is_being_removed && operation !== 'destroy') return being_removed_reasons()[operation]
  if (!mayDeployment(operation, status))
    return (
      not_allowed()[operation][status] ??
      t('deployments.labels.only-in-these-states-it-is', {
        deployment_may: deployment_may[operation].join(', '),
        label: statuses()[status].label.toLowerCase(),
      })
    )
  if (operation === 'restart' && billing_status === 'suspended')
    return t('deployments.labels.restart-it-is-suspended-until-you')
  return undefined
}

export const actions = (): Record<(typeof deploy_actions)[number], string> => ({
  create: t('deployments.labels.create'),
  deploy: t('common.deploy'),
  stop: t('common.stop'),
  restart: t('common.restart'),
  destroy: t('common.destroy'),
  suspend: t('common.suspend-2'),
  reactivate: t('common.reactivate'),
})

export const results = (): Record<string, { color: string; label: string }> => ({
  pending: { color: 'yellow', label: t('deployments.labels.in-progress') },
  succeeded: { color: 'plaza', label: t('deployments.labels.done') },
  failed: { color: 'red', label: t('deployments.labels.failed') },
  superseded: { color: 'gray', label: t('deployments.labels.superseded') },
})

export const cores = (millicores: number) => t('deployments.labels.cores', { cores: millicores / 1000 })

export const memory = (megabytes: number) =>
  megabytes >= 1024 && megabytes % 512 === 0
    ? t('deployments.labels.gb', { megabytes: formatNumber(megabytes / 1024) })
    : t('deployments.labels.mb', { megabytes: formatNumber(megabytes) })

/** The price of 30 days in the tier's currency. */
export function price({
  payment_method,
  monthly_cost_points,
  monthly_cost_sats,
}: Pick<Tier, 'payment_method' | 'monthly_cost_points' | 'monthly_cost_sats'>) {
  if (payment_method === 'bitcoin')
    return monthly_cost_sats === null
      ? t('deployments.labels.no-price')
      : t('deployments.labels.sats', { monthly_cost_sats: formatNumber(monthly_cost_sats) })
  return monthly_cost_points ? formatPoints(monthly_cost_points) : t('common.free')
}

export const no_charge = () => t('deployments.labels.this-plaza-charges-nothing-for-hosting')

/** The host name of a deployment. */
export const nameOf = (subdomain: string) => `${subdomain}.${settings.apps.domain}`

/** The URL of a deployment’s hostname; undefined where the proxy endpoint is unknown. */
export function addressOf(name: string): string | undefined {
  const { proxy_endpoint } = settings.apps
  return proxy_endpoint
    ? `${proxy_endpoint.scheme}://${name}${proxy_endpoint.port === '' ? '' : `:${proxy_endpoint.port}`}`
    : undefined
}
