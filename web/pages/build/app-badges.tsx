import { Badge, Group } from '@mantine/core'
import type { MyApp } from './access.ts'

const badges = {
  pending: { text: 'Pending review', color: 'yellow' },
  approved: { text: 'Approved', color: 'plaza' },
  rejected: { text: 'Rejected', color: 'red' },
}

/** The review status of an app. */
export const AppBadges = ({ app }: { app: Pick<MyApp, 'review' | 'listed'> }) => (
  <Group component="span" gap={6}>
    <Badge component="span" color={badges[app.review.status].color}>
      {badges[app.review.status].text}
    </Badge>
    {app.listed && (
      <Badge component="span" color="gray">
        In the directory
      </Badge>
    )}
  </Group>
)
