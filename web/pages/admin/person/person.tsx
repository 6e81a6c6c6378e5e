import { Badge, Group } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { adminListApps } from '../../../../contract/admin-apps.ts'
import { listAudit } from '../../../../contract/admin-audit.ts'
import { adminListDeployments } from '../../../../contract/admin-deployments.ts'
import { adminListCases } from '../../../../contract/admin-moderation.ts'
import { adminListHolds } from '../../../../contract/admin-payments.ts'
import {
  adminGetUser,
  adminListConnections,
  adminListMovements,
  adminListSessions,
} from '../../../../contract/admin-users.ts'
import type { Declaration } from '../../../../contract/endpoint.ts'
import { isApiError } from '../../../api/errors.ts'
import { useApiQuery } from '../../../api/hooks.ts'
import { LinkButton } from '../../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../../ui/page-parts.tsx'
import { PersonAvatar } from '../../../ui/person.tsx'
import { PageTabs } from '../../../ui/page-tabs.tsx'
import type { SearchAt } from '../../../ui/url-state.ts'
import { momentText } from '../case-texts.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonFacts } from './person-facts.tsx'
import { AuditAbout } from '../audit-list.tsx'
import { PersonCases, PersonDeployments, PersonHolds, PersonMovements } from './person-lists.tsx'
import { PersonApps, PersonConnections, PersonSessions } from './person-access.tsx'
import { roleNames } from '../role-names.ts'
import type { Person } from './types.ts'
import { t } from '../../../texts.ts'

type Tab = NonNullable<SearchAt<'/admin/users/$id'>['tab']>

const tabsOf = (person: Person): Record<Tab, [string, () => ReactNode]> => ({
  overview: [
    t('common.overview'),
    () => (
      <>
        <PersonFacts person={person} />
        <PersonActions person={person} />
      </>
    ),
  ],
  sessions: [t('common.sessions'), () => <PersonSessions person={person} />],
  apps: [t('common.apps'), () => <PersonApps person={person} />],
  connections: [t('admin.person.connections'), () => <PersonConnections person={person} />],
  movements: [t('common.movements'), () => <PersonMovements person={person} />],
  holds: [t('common.holds'), () => <PersonHolds person={person} />],
  deployments: [t('common.deployments'), () => <PersonDeployments person={person} />],
  reports: [t('common.reports'), () => <PersonCases person={person} />],
  audit: [t('common.audit'), () => <AuditAbout target_id={person.id} />],
})

/** The read of each tab; some roles may not make it (D-135). */
const reads: Record<Tab, Declaration> = {
  overview: adminGetUser,
  sessions: adminListSessions,
  apps: adminListApps,
  connections: adminListConnections,
  movements: adminListMovements,
  holds: adminListHolds,
  deployments: adminListDeployments,
  reports: adminListCases,
  audit: listAudit,
}

/** Everything that admins know about a person and can do for them. */
export default function PersonPage() {
  const { id } = useParams({ from: '/admin/users/$id' })
  const query = useApiQuery(adminGetUser, { params: { id } })
  if (!query.data && isApiError(query.error, 'not_found')) return <Nobody />
  return (
    <QueryResult query={query} rows={6}>
      {(person) => <PersonTabs person={person} />}
    </QueryResult>
  )
}

const Nobody = () => (
  <>
    <PageHead title={t('common.person')} />
    <Section>
      <EmptyState icon="users" title={t('admin.person.there-is-no-such-person')}>
        <LinkButton to="/admin/users" size="sm" mt="xs">
          {t('admin.person.search-people')}
        </LinkButton>
      </EmptyState>
    </Section>
  </>
)

function PersonTabs({ person }: { person: Person }) {
  const { tab } = useSearch({ from: '/admin/users/$id' })
  return (
    <>
      <PageHead
        title={
          <Group component="span" gap="sm" wrap="nowrap">
            <PersonAvatar person={person} size={40} />
            <span className="user-content">{person.username}</span>
          </Group>
        }
        about={<Badges person={person} />}
      />
      <PageTabs
        label={t('admin.person.parts-of-the-account')}
        title={person.username}
        tab={tab}
        tabs={tabsOf(person)}
        reads={reads}
        spacing="sm"
      />
    </>
  )
}

const Badges = ({ person }: { person: Person }) => (
  <Group gap={6}>
    <span className="user-content">{person.email}</span>
    {!person.email_verified && <Badge color="gray">{t('common.not-verified')}</Badge>}
    {person.is_admin && <Badge>{roleNames(person.admin_roles)}</Badge>}
    {person.suspended && <Badge color="red">{t('common.suspended')}</Badge>}
    {person.muted_until !== null && (
      <Badge color="orange">{t('admin.person.muted-until', { muted_until: momentText(person.muted_until) })}</Badge>
    )}
    {person.open_cases > 0 && (
      <Badge color="yellow">{t('admin.person.open-cases', { open_cases: person.open_cases })}</Badge>
    )}
  </Group>
)
