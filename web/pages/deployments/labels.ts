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

/** Whether the state is transitional; it is then polled often. */
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

const state = (tone: Explanation['tone'], label: string, text: string): Explanation => ({ tone, label, text })

const statuses = (): Record<Deployment['status'], Explanation> => ({
  pending: state('waiting', t('common.pending'), t('deployments.labels.it-is-accepted-and-is-waiting')),
  deploying: state('waiting', t('deployments.labels.deploying'), t('deployments.labels.its-image-is-fetched-or-the')),
  running: state('good', t('deployments.labels.running'), t('deployments.labels.the-container-runs-and-its-port')),
  stopped: state('quiet', t('common.stopped'), t('deployments.labels.the-container-is-stopped-a-restart')),
  destroyed: state('quiet', t('deployments.labels.destroyed'), t('deployments.labels.it-is-gone-for-good')),
})

/** By health status and failure cause (D-56). */
const healths = (): Record<HealthStatus, Explanation> => ({
  healthy: state('good', t('common.healthy'), t('deployments.labels.the-container-runs-and-its-port')),
  unhealthy: state('bad', t('common.unhealthy'), t('deployments.labels.the-container-runs-but-its-port')),
  starting: state('waiting', t('common.starting'), t('deployments.labels.the-container-starts-its-port-has')),
  restarting: state('waiting', t('common.restarting'), t('deployments.labels.the-container-ended-by-itself-and')),
  unknown: state(
    'bad',
    t('deployments.labels.host-not-reachable'),
    t('deployments.labels.its-container-host-cannot-be-reached'),
  ),
  crash_loop: state('bad', t('common.crash-loop'), t('deployments.labels.the-program-ended-again-and-again')),
  oom_killed: state('bad', t('common.out-of-memory'), t('deployments.labels.the-program-was-killed-for-using')),
  image_not_found: state('bad', t('common.image-not-found'), t('deployments.labels.the-registry-has-no-such-image')),
  registry_auth_failed: state(
    'bad',
    t('common.registry-refused'),
    t('deployments.labels.the-registry-did-not-let-plaza'),
  ),
  start_timeout: state(
    'bad',
    t('deployments.labels.did-not-answer-in-time'),
    t('deployments.labels.its-port-did-not-answer-a'),
  ),
})

const billings = (): Record<string, Explanation> => ({
  awaiting_payment: state(
    'waiting',
    t('deployments.labels.awaiting-payment'),
    t('deployments.labels.it-starts-as-soon-as-an'),
  ),
  suspended: state('bad', t('common.suspended-2'), t('deployments.labels.you-had-too-few-points-for')),
})

const being_removed = () =>
  state('waiting', t('deployments.labels.being-removed'), t('deployments.labels.it-was-destroyed-and-its-container'))

const stopping = () =>
  state('waiting', t('deployments.labels.stopping'), t('deployments.labels.it-was-stopped-and-its-container'))

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

/** The URL of a deployment’s hostname; undefined if the proxy endpoint is unknown. */
export function addressOf(name: string): string | undefined {
  const { proxy_endpoint } = settings.apps
  return proxy_endpoint
    ? `${proxy_endpoint.scheme}://${name}${proxy_endpoint.port === '' ? '' : `:${proxy_endpoint.port}`}`
    : undefined
}
