import { Badge, Group } from '@mantine/core'
import type { MyApp } from './access.ts'
import { t } from '../../texts.ts'

const badges = () => ({
  pending: { text: t('common.pending-review'), color: 'yellow' },
  approved: { text: t('common.approved'), color: 'plaza' },
  rejected: { text: t('common.rejected'), color: 'red' },
})

/** The review status of an app. */
export const AppBadges = ({ app }: { app: Pick<MyApp, 'review' | 'listed'> }) => (
  <Group component="span" gap={6}>
    <Badge component="span" color={badges()[app.review.status].color}>
      {badges()[app.review.status].text}
    </Badge>
    {app.listed && (
      <Badge component="span" color="gray">
        {t('build.app-badges.in-the-directory')}
      </Badge>
    )}
  </Group>
)
