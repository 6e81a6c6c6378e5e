import { Badge, Button, Code, Group, Table, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { listDeployLog } from '../../../contract/deployments.ts'
import { useSession } from '../../session/session.ts'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import rowsClasses from '../../ui/responsive-table.module.css'
import { RelativeTime } from '../../ui/format.tsx'
import { useAppQuery } from '../build/access.ts'
import classes from './deployments.module.css'
import { actions, results, type LogEntry } from './labels.ts'
import { shortImage } from './releases.ts'
import { t } from '../../texts.ts'

const shown_first = 15

/** The action log of a deployment. */
export const LogView = ({ app_id, deployment_id }: { app_id: string; deployment_id: string }) => (
  <LogSection query={useAppQuery(app_id, listDeployLog, { params: { id: deployment_id } })} />
)

/** An action log that is read. */
export function LogSection({ query }: { query: UseQueryResult<{ logs: LogEntry[] }> }) {
  const [all, setAll] = useState(false)
  return (
    <Section title={t('deployments.log-view.action-log')} about={t('deployments.log-view.what-was-asked-for-and-what')}>
      <QueryResult query={query}>
        {({ logs }) =>
          logs.length === 0 ? (
            <EmptyState icon="scroll" title={t('deployments.log-view.nothing-was-done-yet')} />
          ) : (
            <>
              <Entries logs={all ? logs : logs.slice(0, shown_first)} />
              {logs.length > shown_first && !all && (
                <Group justify="center" mt="md">
                  <Button variant="default" onClick={() => setAll(true)}>
                    {t('common.show-all', { count: logs.length })}
                  </Button>
                </Group>
              )}
            </>
          )
        }
      </QueryResult>
    </Section>
  )
}

const Entries = ({ logs }: { logs: LogEntry[] }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label={t('deployments.log-view.action-log')}>
    <Table className={rowsClasses.rows} miw={{ base: 0, sm: 700 }} verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th miw={96}>{t('common.action')}</Table.Th>
          <Table.Th miw={112}>{t('deployments.log-view.result')}</Table.Th>
          <Table.Th miw={280}>{t('deployments.log-view.what-happened')}</Table.Th>
          <Table.Th miw={72}>{t('common.by')}</Table.Th>
          <Table.Th miw={112}>{t('common.when')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {logs.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </Table.Tbody>
    </Table>
  </div>
)

/** Formats a value of the details; objects one level deep. */
function formatValue(value: unknown): string {
  if (typeof value === 'string') return /^[a-z_]+$/.test(value) ? value.replaceAll('_', ' ') : shortImage(value)
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join(', ')
}

function Entry({ entry }: { entry: LogEntry }) {
  const { session } = useSession()
  const { color, label } = results()[entry.status] ?? { color: 'gray', label: entry.status }
  const { message, tail, ...facts } = entry.details ?? {}
  const shown_facts = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  return (
    <Table.Tr>
      <Table.Td fw={600} valign="top">
        {actions()[entry.action]}
      </Table.Td>
      <Table.Td valign="top">
        <Badge color={color}>{label}</Badge>
      </Table.Td>
      <Table.Td valign="top" data-wide>
        <Text size="sm">{typeof message === 'string' ? message : t('deployments.log-view.no-details')}</Text>
        {shown_facts.map(([name, value]) => (
          <Text key={name} size="xs" c="dimmed">
            {name.replaceAll('_', ' ')}: {formatValue(value)}
          </Text>
        ))}
        {Array.isArray(tail) && tail.length > 0 && (
          <Code
            block
            className={classes.details}
            tabIndex={0}
            role="region"
            aria-label={t('deployments.log-view.last-output')}
          >
            {tail.join('\n')}
          </Code>
        )}
      </Table.Td>
      <Table.Td valign="top" fz="sm" data-label="By">
        {entry.initiated_by === null
          ? 'Plaza'
          : entry.initiated_by === session?.user.id
            ? t('deployments.log-view.you')
            : t('deployments.log-view.somebody-else')}
      </Table.Td>
      <Table.Td valign="top">
        <RelativeTime at={entry.inserted_at} />
      </Table.Td>
    </Table.Tr>
  )
}
