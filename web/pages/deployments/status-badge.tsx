import { Badge } from '@mantine/core'
import { colors, explain, type Deployment } from './labels.ts'

export const StatusBadge = ({
  deployment,
}: {
  deployment: Pick<Deployment, 'status' | 'health_status'> & Partial<Pick<Deployment, 'billing_status'>>
}) => {
  const { tone, label } = explain(deployment)
  return (
    <Badge component="span" color={colors[tone]}>
      {label}
    </Badge>
  )
}
