import { Alert, Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { adminGetMessage } from '../../../contract/admin.ts'
import { adminGetCase } from '../../../contract/admin-moderation.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { reason_names } from '../people/report-reasons.ts'
import { decisionText, momentText, personName, reportCount, type Case } from './case-texts.ts'
import { PersonLink } from './person-link.tsx'
import classes from './cases.module.css'

type Detail = AnswerOf<typeof adminGetCase>

/** A case with all that is needed to decide it. */
export function CaseDetail({ found }: { found: Case }) {
  const query = useApiQuery(adminGetCase, { params: { id: found.id } })
  return (
    <>
      <Group gap="xs" mb="xs">
        <Title order={2} className="user-content">
          {personName(found)}
        </Title>
        <Text size="sm" c="dimmed">
          {found.kind === 'message' ? 'wrote a message that was reported' : 'was reported'}
        </Text>
      </Group>
      <QueryResult query={query} rows={6}>
        {(detail) => (
          <Stack gap="lg">
            {detail.case.status === 'decided' && <DecisionNote found={detail.case} />}
            {detail.messages.length > 0 && <Context detail={detail} />}
            <Reports detail={detail} />
            <About detail={detail} />
          </Stack>
        )}
      </QueryResult>
    </>
  )
}

const DecisionNote = ({ found }: { found: Case }) => (
  <Alert color="gray" title={decisionText(found.actions)}>
    <Text size="sm" className="user-content">
      {found.reason}
    </Text>
    <Text size="sm" c="dimmed" mt={4}>
      By {found.decided_by_username ?? 'an admin who has left'}, {found.decided_at && momentText(found.decided_at)}
      {found.muted_until && `, muted until ${momentText(found.muted_until)}`}
    </Text>
  </Alert>
)

/** The reported message among those around it. */
function Context({ detail: { messages, case: found } }: { detail: Detail }) {
  const raw = useApiMutation(adminGetMessage)
  return (
    <section aria-label="Messages around">
      <ol className={classes.context}>
        {messages.map((message) => (
          <li
            key={message.id}
            className={classes.message}
            data-reported={message.reported || undefined}
            {...(message.reported && { 'aria-label': 'The reported message' })}
          >
            <Text span size="xs" c="dimmed" className={classes.time}>
              {momentText(message.sent_at)}
            </Text>
            <Text span size="sm" fw={600} className="user-content">
              {message.sender_username ?? 'Deleted account'}
            </Text>
            <Text size="sm" className="user-content" dir="auto" {...(message.removed && { c: 'dimmed', fs: 'italic' })}>
              {message.filtered_body}
            </Text>
          </li>
        ))}
      </ol>
      <Stack gap="xs" mt="xs">
        <FailureNote error={raw.error} />
        {raw.data ? (
          <Text size="sm" className="user-content" role="status">
            As it was typed: {raw.data.body}
          </Text>
        ) : (
          <Group gap="xs">
            <Button
              size="compact-xs"
              variant="default"
              loading={raw.isPending}
              onClick={() => raw.mutate({ params: { id: found.message_id ?? '' } })}
            >
              Show it as it was typed
            </Button>
            <Text size="xs" c="dimmed">
              The audit log notes that you read it.
            </Text>
          </Group>
        )}
      </Stack>
    </section>
  )
}

const countsText = ({ open, acted, dismissed }: Detail['person']['counts']) =>
  `${formatNumber(open)} open, ${formatNumber(acted)} acted on, ${formatNumber(dismissed)} dismissed`

const Reports = ({ detail: { reports, case: found } }: { detail: Detail }) => (
  <section aria-label="Who reported">
    <Title order={3} mb="xs">
      {reportCount(found.reports)}
    </Title>
    <Stack gap="sm">
      {reports.map((report) => (
        <div key={report.id}>
          <Group gap={6}>
            <PersonLink id={report.reporter_id} name={report.reporter_username} />
            <Text span size="sm">
              {reason_names[report.reason]}
            </Text>
            {report.doubted && (
              <Badge size="sm" color="orange" variant="light">
                often dismissed
              </Badge>
            )}
          </Group>
          {report.note !== null && (
            <Text size="sm" className="user-content">
              {report.note}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            <RelativeTime at={report.inserted_at} /> · All their reports: {countsText(report.reporter_counts)}
          </Text>
        </div>
      ))}
      {found.reports > reports.length && (
        <Text size="sm" c="dimmed">
          These are the newest {reports.length}.
        </Text>
      )}
    </Stack>
  </section>
)

const About = ({ detail: { person, earlier } }: { detail: Detail }) => (
  <section aria-label="About the person">
    <Title order={3} mb="xs">
      About the person
    </Title>
    <DescriptionList
      items={[
        ['Account', <PersonLink key="person" id={person.id} name={person.username} />],
        ['Joined', <RelativeTime key="at" at={person.inserted_at} never="the account is gone" />],
        ['Now', standingText(person)],
        ['Reported', countsText(person.counts)],
        ...earlier
          .filter(({ status }) => status === 'decided')
          .slice(0, 5)
          .map(
            (one) =>
              [
                momentText(one.decided_at ?? one.inserted_at),
                <span key={one.id} className="user-content">
                  {decisionText(one.actions)}: {one.reason}
                </span>,
              ] as const,
          ),
      ]}
    />
  </section>
)

function standingText({ is_admin, suspended, muted_until }: Detail['person']) {
  const parts = [
    is_admin && 'is an admin',
    suspended && 'suspended',
    muted_until !== null && `muted until ${momentText(muted_until)}`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'may sign in and write' : parts.join(', ')
}
