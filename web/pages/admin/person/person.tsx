import { Badge, Box, Group, Tabs } from '@mantine/core'
import { useParams, useRouter, useSearch } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import { adminGetUser } from '../../../../contract/admin-users.ts'
import { isApiError } from '../../../api/errors.ts'
import { useApiQuery } from '../../../api/hooks.ts'
import { LinkButton } from '../../../ui/link.tsx'
import { EmptyState, LoadingSkeleton, PageHead, QueryResult, Section } from '../../../ui/page-parts.tsx'
import { useTabTitle } from '../../../ui/tab-title.ts'
import { momentText } from '../case-texts.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonFacts } from './person-facts.tsx'
import { PersonAudit, PersonCases, PersonDeployments, PersonHolds, PersonMovements } from './person-lists.tsx'
import { PersonApps, PersonConnections, PersonSessions } from './person-access.tsx'
import type { Person } from './types.ts'
import { t } from '../../../texts.ts'

export type Tab =
  | 'overview'
  | 'sessions'
  | 'apps'
  | 'connections'
  | 'movements'
  | 'holds'
  | 'deployments'
  | 'reports'
  | 'audit'

const tabs = (): { value: Tab; label: string; content: (person: Person) => ReactNode }[] => [
  {
    value: 'overview',
    label: t('common.overview'),
    content: (person) => (
      <>
        <PersonFacts person={person} />
        <PersonActions person={person} />
      </>
    ),
  },
  { value: 'sessions', label: t('common.sessions'), content: (person) => <PersonSessions person={person} /> },
  { value: 'apps', label: t('common.apps'), content: (person) => <PersonApps person={person} /> },
  {
    value: 'connections',
    label: t('admin.person.connections'),
    content: (person) => <PersonConnections person={person} />,
  },
  { value: 'movements', label: t('common.movements'), content: (person) => <PersonMovements person={person} /> },
  { value: 'holds', label: t('common.holds'), content: (person) => <PersonHolds person={person} /> },
  { value: 'deployments', label: t('common.deployments'), content: (person) => <PersonDeployments person={person} /> },
  { value: 'reports', label: t('common.reports'), content: (person) => <PersonCases person={person} /> },
  { value: 'audit', label: t('common.audit'), content: (person) => <PersonAudit person={person} /> },
]

/** All that admins know of a person and can do for them. */
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
  useTabTitle(person.username)
  const router = useRouter()
  const { tab = 'overview' } = useSearch({ from: '/admin/users/$id' })
  const show = (value: Tab | undefined) =>
    void router.navigate({
      to: '/admin/users/$id',
      params: { id: person.id },
      search: value === 'overview' || value === undefined ? {} : { tab: value },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHead title={<span className="user-content">{person.username}</span>} about={<Badges person={person} />} />
      <Tabs
        value={tab}
        onChange={(value) => show(tabs().find((one) => one.value === value)?.value)}
        keepMounted={false}
      >
        <Box className="scroll-x" mb="lg">
          <Tabs.List aria-label={t('admin.person.parts-of-the-account')} style={{ flexWrap: 'nowrap' }}>
            {tabs().map(({ value, label }) => (
              <Tabs.Tab key={value} value={value} px={{ base: 8, sm: 'sm' }}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Box>
        {tabs().map(({ value, content }) => (
          <Tabs.Panel key={value} value={value}>
            <Suspense fallback={<LoadingSkeleton rows={5} />}>{content(person)}</Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

const Badges = ({ person }: { person: Person }) => (
  <Group gap={6}>
    <span className="user-content">{person.email}</span>
    {!person.email_verified && <Badge color="gray">{t('common.not-verified')}</Badge>}
    {person.is_admin && <Badge>{t('common.admin')}</Badge>}
    {person.suspended && <Badge color="red">{t('common.suspended')}</Badge>}
    {person.muted_until !== null && (
      <Badge color="orange">{t('admin.person.muted-until', { muted_until: momentText(person.muted_until) })}</Badge>
    )}
    {person.open_cases > 0 && (
      <Badge color="yellow">{t('admin.person.open-cases', { open_cases: person.open_cases })}</Badge>
    )}
  </Group>
)
