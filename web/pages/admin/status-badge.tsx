import { Badge } from '@mantine/core'

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

export const StatusBadge = ({ status }: { status: string }) => (
  <Badge color={tones[status] ?? 'gray'} variant="light">
    {status.replaceAll('_', ' ')}
  </Badge>
)
