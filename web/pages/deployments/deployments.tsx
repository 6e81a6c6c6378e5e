import { Code, Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { createDeployment, listDeployments } from '../../../contract/deployments.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { DataTable, timeColumn, type Column } from '../../ui/data-table.tsx'
import { AccessNote } from '../build/access-gate.tsx'
import { asApp, type MyApp } from '../build/access.ts'
import { may } from '../build/may.tsx'
import { AvailabilityNote, isNotSetUp, useAvailability } from './availability.tsx'
import { Hosting } from './hosting.tsx'
import { Address, StatusBadge } from './parts.tsx'
import { cores, isChanging, memory, nameOf, type Deployment } from './labels.ts'
import { t } from '../../texts.ts'

export default function Deployments() {
  const { app } = useSearch({ from: '/deployments' })
  const { data: availability } = useAvailability()
  const apps = useApiQuery(listMyApps, {}).data ?? []
  const may_deploy = apps.some((one) => (app === undefined || one.id === app) && may(one, createDeployment))
  const is_off = availability !== undefined && isNotSetUp(availability)
  return (
    <>
      <PageHead
        title={t('common.deployments')}
        about={t('deployments.deployments.containers-that-plaza-runs-for-your')}
        actions={
          !is_off &&
          may_deploy && (
            <LinkButton to="/deployments/new" {...(app !== undefined && { search: { app } })}>
              {t('common.deploy-a-container')}
            </LinkButton>
          )
        }
      />
      <AvailabilityNote availability={availability} />
      <Hosting what={t('deployments.deployments.manage-its-deployments')} has_app_choice is_off={is_off}>
        {(of) => <List app={of} is_off={is_off} />}
      </Hosting>
    </>
  )
}

function List({ app, is_off }: { app: MyApp; is_off: boolean }) {
  const query = useApiQuery(
    listDeployments,
    {},
    {
      as: asApp(app.id),
      refetchInterval: ({ state }) => (state.data?.deployments.some((each) => isChanging(each)) ? 4_000 : 20_000),
    },
  )
  return (
    <Stack>
      <AccessNote app_id={app.id} />
      <QueryResult query={query}>
        {({ deployments }) =>
          deployments.length === 0 ? (
            !is_off && <None app={app} />
          ) : (
            <Section p={0}>
              <DataTable
                label={t('common.deployments')}
                rows={deployments}
                columns={columnsOf(app.id)}
                miw={780}
                highlightOnHover
              />
            </Section>
          )
        }
      </QueryResult>
    </Stack>
  )
}

const None = ({ app }: { app: MyApp }) => (
  <Section>
    <EmptyState icon="box" title={t('deployments.deployments.nothing-is-deployed-for-this-app')}>
      {may(app, createDeployment) && (
        <>
          {t('deployments.deployments.choose-an-image-a-name-and')}
          <br />
          <LinkButton to="/deployments/new" search={{ app: app.id }} size="sm" mt="md">
            {t('common.deploy-a-container')}
          </LinkButton>
        </>
      )}
    </EmptyState>
  </Section>
)

const columnsOf = (app_id: string): Column<Deployment>[] => [
  {
    head: t('common.name'),
    th: { miw: 130 },
    on_phone: 'line',
    cell: ({ id, subdomain, custom_domain }) => (
      <>
        <Link to="/deployments/$id" params={{ id }} search={{ app: app_id }} fw={600}>
          {subdomain}
        </Link>
        <Text size="xs" lh={1.4}>
          <Address name={nameOf(subdomain)} />
        </Text>
        {custom_domain && (
          <Text size="xs" c="dimmed">
            {custom_domain}
          </Text>
        )}
      </>
    ),
  },
  { head: t('common.state'), th: { miw: 190 }, cell: (deployment) => <StatusBadge deployment={deployment} /> },
  {
    head: t('common.image'),
    td: { maxWidth: 300 },
    on_phone: 'line',
    cell: ({ container_image }) => <Code>{container_image}</Code>,
  },
  {
    head: t('common.limits'),
    className: 'number',
    cell: ({ memory_limit_mb, cpu_limit_millicores }) => `${memory(memory_limit_mb)}, ${cores(cpu_limit_millicores)}`,
  },
  timeColumn(t('common.created'), ({ inserted_at }) => inserted_at),
]
