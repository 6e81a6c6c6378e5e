import { Text } from '@mantine/core'
import { adminListApps } from '../../../contract/admin-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'

/** The number of apps that wait for an admin's decision. */
export default function AdminQueue() {
  const pending = useApiQuery(adminListApps, { query: { status: 'pending' } })
  const pending_count = pending.data?.data.length ?? 0
  const more = Boolean(pending.data?.next_cursor)
  return (
    <Section
      title={t('common.pending-review')}
      actions={
        <LinkButton to="/admin/review" size="xs" variant={pending_count > 0 ? 'filled' : 'default'}>
          {t('common.review')}
        </LinkButton>
      }
    >
      <Text>
        {pending.data === undefined
          ? t('public.overview.loading')
          : pending_count === 0
            ? t('public.overview.no-app-is-pending-review')
            : t('public.overview.pending-count-pending-your-decision', { pending_count, more })}
      </Text>
    </Section>
  )
}
