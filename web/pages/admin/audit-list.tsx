import { Group, Stack, Text } from '@mantine/core'
import { listAudit } from '../../../contract/admin-audit.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { RelativeTime } from '../../ui/format.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { AuditSentence, remarkOf, type AuditEntry } from './audit-sentence.tsx'
import { ListCard } from './list-card.tsx'
import { t } from '../../texts.ts'

/** The entries of the audit log about one target. */
export function AuditAbout({ target_id }: { target_id: string }) {
  const list = usePagedQuery(listAudit, { query: { target_id } })
  return (
    <ListCard
      list={list}
      lines={4}
      empty={<EmptyState icon="scroll" title={t('admin.person-lists.no-admin-has-changed-anything')} />}
    >
      <AuditList entries={list.rows} target_id={target_id} />
    </ListCard>
  )
}

const AuditList = ({ entries, target_id }: { entries: readonly AuditEntry[]; target_id: string }) => (
  <>
    <Stack gap="sm" p="md" role="list" aria-label={t('common.audit')}>
      {entries.map((entry) => (
        <div key={entry.id} role="listitem">
          <Text size="sm">
            <AuditSentence entry={entry} />, <RelativeTime at={entry.inserted_at} />
          </Text>
          <Text size="sm" c="dimmed" className="user-content">
            {remarkOf(entry)}
          </Text>
        </div>
      ))}
    </Stack>
    <Group p="md" pt={0}>
      <LinkButton to="/admin/audit" search={{ target_id }} size="xs" variant="default">
        {t('admin.person-lists.open-in-the-audit-log')}
      </LinkButton>
    </Group>
  </>
)
