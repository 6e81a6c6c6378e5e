import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { adminListDeployments } from '../../../../contract/admin-deployments.ts'
import { adminListCases } from '../../../../contract/admin-moderation.ts'
import { adminListHolds } from '../../../../contract/admin-payments.ts'
import { adminListMovements } from '../../../../contract/admin-users.ts'
import type { AnswerOf } from '../../../api/call.ts'
import { usePagedQuery } from '../../../api/hooks.ts'
import { transfer_labels } from '../../../kinds.tsx'
import { numberColumn, textColumn, timeColumn, type Column } from '../../../ui/data-table.tsx'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { Link, LinkButton } from '../../../ui/link.tsx'
import { EmptyState } from '../../../ui/page-parts.tsx'
import { reason_names } from '../../../ui/report-reasons.ts'
import { AppLink } from '../app-link.tsx'
import { decisionText, personName, reportCount, type Case } from '../case-texts.ts'
import { ListCard, TableCard } from '../list-card.tsx'
import { StatusBadge } from '../status-badge.tsx'
import type { Person } from './types.ts'
import { t } from '../../../texts.ts'

/** The movements of the person's points, each with a link to its page in the payments. */
export function PersonMovements({ person: { id } }: { person: Person }) {
  const list = usePagedQuery(adminListMovements, { params: { id } })
  return (
    <TableCard
      list={list}
      label={t('common.movements')}
      columns={movement_columns()}
      keyOf={({ id: transfer_id, direction }) => transfer_id + direction}
      empty={<EmptyState icon="coins" title={t('admin.person-lists.no-points-ever-moved')} />}
    />
  )
}

const movement_columns = (): Column<AnswerOf<typeof adminListMovements>['data'][number]>[] => [
  {
    head: t('common.what'),
    cell: ({ id, kind, app_name, reference, description }) => (
      <>
        <Link to="/admin/payments" search={{ id }} size="sm">
          {t(transfer_labels[kind])}
        </Link>
        <Text size="xs" c="dimmed" className="user-content">
          {[app_name, reference, description].filter(Boolean).join(' · ')}
        </Text>
      </>
    ),
  },
  {
    head: t('common.points'),
    ta: 'right',
    className: 'number',
    cell: ({ direction, amount }) => (direction === 'in' ? '+' : '−') + formatNumber(amount),
  },
  numberColumn(t('admin.person-lists.after'), ({ points_after }) => points_after),
  timeColumn(t('common.when'), ({ inserted_at }) => inserted_at),
]

export function PersonHolds({ person: { id } }: { person: Person }) {
  const list = usePagedQuery(adminListHolds, { query: { user_id: id } })
  return (
    <TableCard
      list={list}
      label={t('common.holds')}
      columns={hold_columns()}
      empty={<EmptyState icon="coins" title={t('admin.person-lists.no-app-ever-held-points')} />}
    />
  )
}

const hold_columns = (): Column<AnswerOf<typeof adminListHolds>['data'][number]>[] => [
  { head: t('common.app'), cell: ({ app_id, app_name }) => <AppLink id={app_id} name={app_name} /> },
  textColumn(t('common.reference'), ({ reference }) => reference),
  numberColumn(t('common.points'), ({ amount }) => amount),
  { head: t('common.status'), cell: (hold) => <StatusBadge status={hold.release_reason ?? hold.status} /> },
  timeColumn(t('common.made'), ({ inserted_at }) => inserted_at),
]

export function PersonDeployments({ person: { id } }: { person: Person }) {
  const list = usePagedQuery(adminListDeployments, { query: { owner_id: id } })
  return (
    <ListCard list={list} lines={3} empty={<EmptyState icon="box" title={t('admin.person-lists.nothing-deployed')} />}>
      <Stack gap="sm" p="md" role="list" aria-label={t('common.deployments')}>
        {list.rows.map(({ id: deployment_id, subdomain, container_image, status, inserted_at }) => (
          <Group key={deployment_id} role="listitem" justify="space-between" gap="xs">
            <div>
              <Link to="/admin/deployments" search={{ owner_id: id }} size="sm" className="user-content">
                {subdomain}
              </Link>
              <Text size="xs" c="dimmed" className="user-content">
                {container_image}, <RelativeTime at={inserted_at} />
              </Text>
            </div>
            <StatusBadge status={status} />
          </Group>
        ))}
      </Stack>
    </ListCard>
  )
}

/** The reports about the person, and the reports by the person. */
export const PersonCases = ({ person: { id } }: { person: Person }) => (
  <Stack>
    <CaseList
      title={t('admin.person-lists.about-them')}
      query={{ user_id: id }}
      empty={t('admin.person-lists.nobody-has-reported-them')}
    />
    <CaseList
      title={t('admin.person-lists.by-them')}
      query={{ reporter_id: id }}
      empty={t('admin.person-lists.they-have-reported-nothing')}
    />
  </Stack>
)

interface CaseListProps {
  title: string
  query: { user_id: string } | { reporter_id: string }
  empty: string
}

function CaseList({ title, query, empty }: CaseListProps) {
  const list = usePagedQuery(adminListCases, { query })
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{title}</Title>
        {list.rows.length > 0 && (
          <LinkButton to="/admin/reports" search={query} size="xs" variant="default">
            {t('admin.person-lists.open-in-the-queue')}
          </LinkButton>
        )}
      </Group>
      <ListCard list={list} lines={2} empty={<EmptyState icon="flag" title={empty} />}>
        <Stack gap="sm" p="md" role="list" aria-label={title}>
          {list.rows.map((found) => (
            <CaseRow key={found.id} found={found} with_name={'reporter_id' in query} />
          ))}
        </Stack>
      </ListCard>
    </section>
  )
}

const CaseRow = ({ found, with_name }: { found: Case; with_name: boolean }) => (
  <Group role="listitem" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
    <div>
      <Text size="sm" className="user-content" lineClamp={2}>
        {with_name && <strong>{personName(found)}: </strong>}
        {found.text ?? t('common.the-person')}
      </Text>
      <Text size="xs" c="dimmed">
        {found.reasons.map((reason) => reason_names()[reason]).join(', ')} · <RelativeTime at={found.inserted_at} />
      </Text>
      {found.reason !== null && (
        <Text size="xs" c="dimmed" className="user-content">
          {found.reason}
        </Text>
      )}
    </div>
    <Badge variant="light" color={found.status === 'open' ? 'yellow' : 'gray'} flex="none">
      {found.status === 'open' ? reportCount(found.reports) : decisionText(found.actions)}
    </Badge>
  </Group>
)
