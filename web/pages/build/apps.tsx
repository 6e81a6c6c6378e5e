import { Box, Group, Table, Text } from '@mantine/core'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import rowsClasses from '../../ui/responsive-table.module.css'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { AppBadges } from './app-badges.tsx'
import { t } from '../../texts.ts'

export default function Apps() {
  const query = useApiQuery(listMyApps, {})
  return (
    <>
      <PageHead
        title={t('common.my-apps')}
        about={t('build.apps.apps-of-yours-that-sign-people')}
        actions={<LinkButton to="/apps/new">{t('common.register-an-app')}</LinkButton>}
      />
      <QueryResult query={query}>{(apps) => (apps.length === 0 ? <NoApps /> : <AppTable apps={apps} />)}</QueryResult>
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

const AppTable = ({ apps }: { apps: MyApp[] }) => (
  <Section p={0}>
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.my-apps')}>
      <Table
        className={rowsClasses.rows}
        miw={{ base: 0, sm: 640 }}
        verticalSpacing="sm"
        horizontalSpacing="md"
        highlightOnHover
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('common.app')}</Table.Th>
            <Table.Th>{t('common.status')}</Table.Th>
            <Table.Th ta="right">{t('common.users')}</Table.Th>
            <Table.Th>{t('common.scopes')}</Table.Th>
            <Table.Th>{t('common.registered')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {apps.map((app) => (
            <Table.Tr key={app.id}>
              <Table.Td maw={{ sm: 300 }} data-wide>
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
              </Table.Td>
              <Table.Td>
                <AppBadges app={app} />
              </Table.Td>
              <Table.Td ta="right" className="number" data-label="Users">
                {formatNumber(app.total_users)}
              </Table.Td>
              <Table.Td data-wide>
                <Text size="xs" c="dimmed" maw={{ sm: 220 }}>
                  {app.allowed_scopes.join(' · ') || t('common.none')}
                </Text>
              </Table.Td>
              <Table.Td data-label="Registered">
                <RelativeTime at={app.inserted_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  </Section>
)
