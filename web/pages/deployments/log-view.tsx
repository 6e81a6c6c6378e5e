import { Badge, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { DataTable, timeColumn, type Column } from '../../ui/data-table.tsx'
import { actions, results, type LogEntry } from './labels.ts'
import { Tail } from './parts.tsx'
import { shortImage } from './releases.ts'
import { t } from '../../texts.ts'

/** The action log of a deployment. */
export function LogView({ query }: { query: UseQueryResult<{ logs: LogEntry[] }> }) {
  const { session } = useSession()
  const by = (user_id: string | null) => {
    if (user_id === null) return 'Plaza'
    return user_id === session?.user.id ? t('deployments.log-view.you') : t('deployments.log-view.somebody-else')
  }
  const top = { verticalAlign: 'top' }
  const columns: Column<LogEntry>[] = [
    {
      head: t('common.action'),
      th: { miw: 96 },
      td: { ...top, fontWeight: 600 },
      cell: ({ action }) => actions()[action],
    },
    { head: t('deployments.log-view.result'), th: { miw: 112 }, td: top, cell: ({ status }) => <Result of={status} /> },
    {
      head: t('deployments.log-view.what-happened'),
      th: { miw: 280 },
      td: top,
      on_phone: 'line',
      cell: ({ details }) => <Details details={details ?? {}} />,
    },
    {
      head: t('common.by'),
      th: { miw: 72 },
      td: top,
      cell: ({ initiated_by }) => by(initiated_by),
    },
    timeColumn(t('common.when'), ({ inserted_at }) => inserted_at, { th: { miw: 112 }, td: top }),
  ]
  return (
    <Section title={t('deployments.log-view.action-log')} about={t('deployments.log-view.what-was-asked-for-and-what')}>
      <QueryResult
        query={query}
        empty={<EmptyState icon="scroll" title={t('deployments.log-view.nothing-was-done-yet')} />}
      >
        {({ logs }) => (
          <DataTable
            label={t('deployments.log-view.action-log')}
            rows={logs}
            columns={columns}
            miw={700}
            shown_first={15}
          />
        )}
      </QueryResult>
    </Section>
  )
}

/** Formats a value of the details; objects one level deep. */
function formatValue(value: unknown): string {
  if (typeof value === 'string') return /^[a-z_]+$/.test(value) ? value.replaceAll('_', ' ') : shortImage(value)
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join(', ')
}

function Result({ of: status }: { of: string }) {
  const { color, label } = results()[status] ?? { color: 'gray', label: status }
  return <Badge color={color}>{label}</Badge>
}

function Details({ details: { message, tail, ...facts } }: { details: Record<string, unknown> }) {
  const shown_facts = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  return (
    <>
      <Text size="sm">{typeof message === 'string' ? message : t('deployments.log-view.no-details')}</Text>
      {shown_facts.map(([name, value]) => (
        <Text key={name} size="xs" c="dimmed">
          {name.replaceAll('_', ' ')}: {formatValue(value)}
        </Text>
      ))}
      <Tail lines={tail} label={t('deployments.log-view.last-output')} />
    </>
  )
}
