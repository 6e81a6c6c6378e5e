import { Code, Stack, Table, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { listDeployments } from '../../../contract/deployments.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import rowsClasses from '../../ui/responsive-table.module.css'
import { RelativeTime } from '../../ui/format.tsx'
import { AccessNote } from '../build/access-gate.tsx'
import { useAppQuery, type MyApp } from '../build/access.ts'
import { Address } from './address.tsx'
import { AvailabilityNote, useAvailability } from './availability.tsx'
import { Hosting } from './hosting.tsx'
import { StatusBadge } from './status-badge.tsx'
import { cores, isChanging, memory, nameOf, type Deployment } from './labels.ts'
import { t } from '../../texts.ts'

export default function Deployments() {
  const { app } = useSearch({ from: '/deployments' })
  const { data: availability } = useAvailability()
  return (
    <>
      <PageHead
        title={t('common.deployments')}
        about={t('deployments.deployments.containers-that-plaza-runs-for-your')}
        actions={
          <LinkButton to="/deployments/new" {...(app !== undefined && { search: { app } })}>
            {t('common.deploy-a-container')}
          </LinkButton>
        }
      />
      <AvailabilityNote availability={availability} />
      <Hosting what={t('deployments.deployments.manage-its-deployments')} has_app_choice>
        {(of) => <List app={of} />}
      </Hosting>
    </>
  )
}

function List({ app }: { app: MyApp }) {
  const query = useAppQuery(
    app.id,
    listDeployments,
    {},
    {
      refetchInterval: ({ state }) => (state.data?.deployments.some((each) => isChanging(each)) ? 4_000 : 20_000),
    },
  )
  return (
    <Stack>
      <AccessNote app_id={app.id} />
      <QueryResult query={query}>
        {({ deployments }) => (deployments.length === 0 ? <None app={app} /> : <Rows app={app} rows={deployments} />)}
      </QueryResult>
    </Stack>
  )
}

const None = ({ app }: { app: MyApp }) => (
  <Section>
    <EmptyState icon="box" title={t('deployments.deployments.nothing-is-deployed-for-this-app')}>
      {t('deployments.deployments.choose-an-image-a-name-and')}
      <br />
      <LinkButton to="/deployments/new" search={{ app: app.id }} size="sm" mt="md">
        {t('common.deploy-a-container')}
      </LinkButton>
    </EmptyState>
  </Section>
)

const Rows = ({ app, rows }: { app: MyApp; rows: Deployment[] }) => (
  <Section p={0}>
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.deployments')}>
      <Table
        className={rowsClasses.rows}
        miw={{ base: 0, sm: 780 }}
        verticalSpacing="sm"
        horizontalSpacing="md"
        highlightOnHover
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th miw={130}>{t('common.name')}</Table.Th>
            <Table.Th miw={190}>{t('common.state')}</Table.Th>
            <Table.Th>{t('common.image')}</Table.Th>
            <Table.Th>{t('common.limits')}</Table.Th>
            <Table.Th>{t('common.created')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td data-wide>
                <Link to="/deployments/$id" params={{ id: row.id }} search={{ app: app.id }} fw={600}>
                  {row.subdomain}
                </Link>
                <Text size="xs" lh={1.4}>
                  <Address name={nameOf(row.subdomain)} />
                </Text>
                {row.custom_domain && (
                  <Text size="xs" c="dimmed">
                    {row.custom_domain}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <StatusBadge deployment={row} />
              </Table.Td>
              <Table.Td maw={{ sm: 300 }} data-wide>
                <Code>{row.container_image}</Code>
              </Table.Td>
              <Table.Td className="number" fz="sm">
                {memory(row.memory_limit_mb)}, {cores(row.cpu_limit_millicores)}
              </Table.Td>
              <Table.Td data-label="Created">
                <RelativeTime at={row.inserted_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  </Section>
)
