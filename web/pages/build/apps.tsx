import { Box, Group, NativeSelect, Text } from '@mantine/core'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { DataTable, numberColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import type { MyApp } from './access.ts'
import { AppBadges } from './app-badges.tsx'
import { WaitingInvitations } from './waiting-invitations.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { t } from '../../texts.ts'

export default function Apps() {
  const query = useApiQuery(listMyApps, {})
  const [{ team = 'all' }, change] = useUrlState('/apps')
  const teams = new Map((query.data ?? []).map(({ team_id, team_name }) => [team_id ?? 'own', team_name]))
  const shown = teams.has(team) ? team : 'all'
  return (
    <>
      <PageHead
        title={t('common.my-apps')}
        about={t('build.apps.apps-of-yours-that-sign-people')}
        actions={<LinkButton to="/apps/new">{t('common.register-an-app')}</LinkButton>}
      />
      <WaitingInvitations />
      {teams.size > (teams.has('own') ? 1 : 0) && (
        <NativeSelect
          mb="md"
          maw={320}
          label={t('build.apps.shown-apps')}
          value={shown}
          onChange={({ currentTarget: { value } }) => change({ team: value === 'all' ? undefined : value })}
          data={[
            { value: 'all', label: t('build.apps.everybody') },
            ...[...teams].map(([value, name]) => ({ value, label: name ?? t('build.apps.yourself') })),
          ]}
        />
      )}
      <QueryResult query={query} empty={<NoApps />}>
        {(apps) => (
          <Section p={0}>
            <DataTable
              label={t('common.my-apps')}
              rows={apps.filter(({ team_id }) => shown === 'all' || (team_id ?? 'own') === shown)}
              columns={columns()}
              miw={640}
              highlightOnHover
            />
          </Section>
        )}
      </QueryResult>
    </>
  )
}

const NoApps = () => (
  <Section>
    <EmptyState icon="app" title={t('build.apps.you-have-no-app-yet')}>
      <Text inherit mb="md">
        {t('build.apps.register-one-and-you-get-a')}
      </Text>
      <LinkButton to="/apps/new" size="sm">
        {t('common.register-your-first-app')}
      </LinkButton>
    </EmptyState>
  </Section>
)

const columns = (): Column<MyApp>[] => [
  { head: t('common.app'), td: { maxWidth: 300 }, on_phone: 'line', cell: (app) => <Name app={app} /> },
  { head: t('common.status'), cell: (app) => <AppBadges app={app} /> },
  numberColumn(t('common.users'), ({ total_users }) => total_users),
  {
    head: t('common.scopes'),
    on_phone: 'line',
    cell: ({ allowed_scopes }) => (
      <Text size="xs" c="dimmed" maw={{ sm: 220 }}>
        {allowed_scopes.join(' · ') || t('common.none')}
      </Text>
    ),
  },
  timeColumn(t('common.registered'), ({ inserted_at }) => inserted_at),
]

const Name = ({ app }: { app: MyApp }) => (
  <Group gap="sm" wrap="nowrap">
    <AppLogo app={app.id} name={app.app_name} logo_url={app.logo_url} is_private={!app.is_approved} />
    <Box miw={0}>
      <Link to="/apps/$id" params={{ id: app.id }} fw={600} className="user-content">
        {app.app_name}
      </Link>
      <Text size="xs" c="dimmed" truncate className="user-content">
        {app.app_description || app.client_id}
      </Text>
    </Box>
  </Group>
)
