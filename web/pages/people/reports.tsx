import { Badge, Group, Stack, Text } from '@mantine/core'
import { listMyReports } from '../../../contract/moderation.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { EmptyState, LoadMore, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { reason_names } from '../../ui/report-reasons.ts'
import { t } from '../../texts.ts'

type Report = AnswerOf<typeof listMyReports>['data'][number]

const outcomes = () =>
  ({
    open: { label: t('people.reports.waits-for-an-admin'), color: 'yellow' },
    acted: { label: t('people.reports.something-was-done'), color: 'plaza' },
    dismissed: { label: t('people.reports.nothing-was-done'), color: 'gray' },
  }) as const

export default function Reports() {
  const list = usePagedQuery(listMyReports, {})
  return (
    <>
      <PageHead title={t('common.your-reports')} about={t('people.reports.what-you-reported-to-the-admins')} />
      <Section>
        <QueryResult query={list} rows={5}>
          {() =>
            list.rows.length === 0 ? (
              <EmptyState icon="flag" title={t('people.reports.you-have-reported-nothing')}>
                {t('people.reports.messages-and-people-are-reported-from')}
              </EmptyState>
            ) : (
              <Stack gap="md" role="list" aria-label={t('common.your-reports')}>
                {list.rows.map((report) => (
                  <ReportRow key={report.id} report={report} />
                ))}
              </Stack>
            )
          }
        </QueryResult>
        <LoadMore query={list} />
      </Section>
    </>
  )
}

const ReportRow = ({
  report: { kind, username, reported_text, reason, note, status, inserted_at },
}: {
  report: Report
}) => (
  <Group role="listitem" justify="space-between" align="flex-start" gap="xs">
    <div>
      <Text size="sm" fw={600} className="user-content">
        {kind === 'person'
          ? (username ?? t('common.deleted-account'))
          : t('people.reports.a-part-of', { kind, username: username ?? t('people.reports.a-deleted-account') })}
      </Text>
      {reported_text !== null && (
        <Text component="blockquote" size="sm" m={0} my={4} lineClamp={3} className="user-content">
          “{reported_text}”
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {reason_names()[reason]}, <RelativeTime at={inserted_at} />
      </Text>
      {note !== null && (
        <Text size="sm" className="user-content" mt={2}>
          {note}
        </Text>
      )}
    </div>
    <Badge variant="light" color={outcomes()[status].color}>
      {outcomes()[status].label}
    </Badge>
  </Group>
)
