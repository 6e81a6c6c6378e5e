import { Badge } from '@mantine/core'
import type { app_statuses } from '../../../contract/app-fields.ts'
import type { DeploymentStatus, HealthStatus, HoldStatus, ReleaseReason } from '../../../contract/states.ts'
import { t } from '../../texts.ts'

type Status =
  | DeploymentStatus
  | HealthStatus
  | HoldStatus
  | ReleaseReason
  | (typeof app_statuses)[number]
  | 'denied'
  | 'active'
  | 'awaiting_payment'
  | 'suspended'
  | 'admin'
  | 'billing'
  | 'owner'

const tones: Record<string, string> = {
  pending: 'yellow',
  deploying: 'yellow',
  awaiting_payment: 'yellow',
  approved: 'plaza',
  running: 'plaza',
  active: 'plaza',
  healthy: 'plaza',
  rejected: 'red',
  denied: 'red',
  suspended: 'red',
  unhealthy: 'red',
  crash_loop: 'red',
}

const names = (): Record<Status, string> => ({
  pending: t('admin.status-badge.pending'),
  deploying: t('admin.status-badge.deploying'),
  running: t('admin.status-badge.running'),
  stopped: t('admin.status-badge.stopped'),
  destroyed: t('admin.status-badge.destroyed'),
  awaiting_payment: t('common.awaiting-payment'),
  active: t('admin.status-badge.active'),
  suspended: t('common.suspended'),
  healthy: t('common.healthy'),
  unhealthy: t('common.unhealthy'),
  starting: t('common.starting'),
  restarting: t('common.restarting'),
  unknown: t('admin.status-badge.unknown'),
  crash_loop: t('common.crash-loop'),
  oom_killed: t('common.out-of-memory'),
  image_not_found: t('common.image-not-found'),
  registry_auth_failed: t('common.registry-refused'),
  start_timeout: t('admin.status-badge.no-answer-in-time'),
  approved: t('admin.status-badge.approved'),
  rejected: t('admin.status-badge.rejected'),
  denied: t('admin.status-badge.denied'),
  open: t('admin.status-badge.open'),
  captured: t('admin.status-badge.captured'),
  released: t('admin.status-badge.released'),
  expired: t('common.expired'),
  voided: t('admin.status-badge.voided'),
  admin: t('common.admin'),
  billing: t('admin.status-badge.billing'),
  owner: t('admin.status-badge.owner'),
  disconnected: t('common.disconnected'),
  approval_withdrawn: t('admin.status-badge.approval-withdrawn'),
})

/** A status of the API in words. */
export const statusText = (status: string) =>
  (names() as Partial<Record<string, string>>)[status] ?? status.replaceAll('_', ' ')

export const StatusBadge = ({ status }: { status: string }) => (
  <Badge color={tones[status] ?? 'gray'} variant="light">
    {statusText(status)}
  </Badge>
)
