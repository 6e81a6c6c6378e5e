import { Badge, Group } from '@mantine/core'
import type { MyApp } from './access.ts'

/** Where an app stands with the admins. */
export const AppBadges = ({ app }: { app: Pick<MyApp, 'is_approved' | 'listed'> }) => (
  <Group component="span" gap={6}>
    {app.is_approved ? (
      <Badge component="span">Approved</Badge>
    ) : (
      <Badge component="span" color="yellow">
        Not approved
      </Badge>
    )}
    {app.listed && (
      <Badge component="span" color="gray">
        In the directory
      </Badge>
    )}
  </Group>
)
