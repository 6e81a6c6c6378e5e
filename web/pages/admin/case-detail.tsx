import { Alert, Badge, Button, Group, Image, Stack, Text, Title } from '@mantine/core'
import { adminGetMessage } from '../../../contract/admin.ts'
import { adminGetCase } from '../../../contract/admin-moderation.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { PersonAvatar } from '../../ui/person.tsx'
import { reason_names } from '../../ui/report-reasons.ts'
import { decisionText, kind_names, kindText, momentText, personName, reportCount, type Case } from './case-texts.ts'
import { PersonLink } from './person-link.tsx'
import classes from './cases.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Detail = AnswerOf<typeof adminGetCase>

const lookOf = (found: Case) => ({
  username: personName(found),
  display_name: found.person_display_name,
  picture_url: found.person_picture_url,
})

/** A case with everything needed to decide it. */
export function CaseDetail({ found }: { found: Case }) {
  const query = useApiQuery(adminGetCase, { params: { id: found.id } })
  return (
    <>
      <Group gap="xs" mb="xs">
        {found.person_username !== null && <PersonAvatar person={lookOf(found)} size={48} />}
        <Title order={2} className="user-content">
          {personName(found)}
        </Title>
        {found.person_display_name !== null && (
          <Text className="user-content">{t('admin.case-detail.shown-as', { name: found.person_display_name })}</Text>
        )}
        <Text size="sm" c="dimmed">
          {found.kind === 'message'
            ? t('admin.case-detail.wrote-a-message-that-was-reported')
            : t('admin.case-detail.was-reported', { kinds: kindText(found) })}
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
      {t('admin.case-detail.by', {
        decided_by_username: found.decided_by_username ?? t('admin.case-detail.an-admin-who-has-left'),
        decided_at: momentText(found.decided_at ?? ''),
        muted: found.muted_until !== null,
        muted_until: momentText(found.muted_until ?? ''),
      })}
    </Text>
  </Alert>
)

/** The reported message with its neighbours. */
function Context({ detail: { messages, case: found } }: { detail: Detail }) {
  const raw = useApiMutation(adminGetMessage)
  return (
    <section aria-label={t('admin.case-detail.messages-around')}>
      <ol className={classes.context}>
        {messages.map((message) => (
          <li
            key={message.id}
            className={classes.message}
            data-reported={message.reported || undefined}
            {...(message.reported && { 'aria-label': t('admin.case-detail.the-reported-message') })}
          >
            <Text span size="xs" c="dimmed" className={classes.time}>
              {momentText(message.sent_at)}
            </Text>
            <Text span size="sm" fw={600} className="user-content">
              {message.sender_username ?? t('common.deleted-account')}
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
            {t('admin.case-detail.as-it-was-typed', { body: raw.data.body })}
          </Text>
        ) : (
          <Group gap="xs">
            <Button
              size="compact-xs"
              variant="default"
              loading={raw.isPending}
              onClick={() => raw.mutate({ params: { id: found.message_id ?? '' } })}
            >
              {t('admin.case-detail.show-it-as-it-was-typed')}
            </Button>
            <Text size="xs" c="dimmed">
              {t('admin.case-detail.the-audit-log-notes-that-you')}
            </Text>
          </Group>
        )}
      </Stack>
    </section>
  )
}

const countsText = ({ open, acted, dismissed }: Detail['person']['counts']) =>
  t('admin.case-detail.open-acted-on-dismissed', {
    open: formatNumber(open),
    acted: formatNumber(acted),
    dismissed: formatNumber(dismissed),
  })

const Reports = ({ detail: { reports, reported_pictures, case: found } }: { detail: Detail }) => (
  <section aria-label={t('admin.case-detail.who-reported')}>
    <Title order={3} mb="xs">
      {reportCount(found.reports)}
    </Title>
    {reported_pictures.length > 0 && (
      <Group gap="sm" mb="sm">
        {reported_pictures.map((picture) => (
          <Image
            key={picture}
            src={picture}
            alt={t('admin.case-detail.the-reported-picture')}
            w={128}
            h={128}
            radius="md"
          />
        ))}
      </Group>
    )}
    <Stack gap="sm">
      {reports.map((report) => (
        <div key={report.id}>
          <Group gap={6}>
            <PersonLink id={report.reporter_id} name={report.reporter_username} />
            <Text span size="sm">
              {report.kind === 'message' ? '' : `${kind_names()[report.kind]}: `}
              {reason_names()[report.reason]}
            </Text>
            {report.doubted && (
              <Badge size="sm" color="orange" variant="light">
                {t('admin.case-detail.often-dismissed')}
              </Badge>
            )}
          </Group>
          {report.reported_text !== null && ![found.text, found.person_display_name].includes(report.reported_text) && (
            <Text size="sm" className="user-content">
              {t('admin.case-detail.it-was-then', { text: report.reported_text })}
            </Text>
          )}
          {report.note !== null && (
            <Text size="sm" className="user-content">
              {report.note}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            <RichText
              k="admin.case-detail.all-their-reports"
              time={<RelativeTime at={report.inserted_at} />}
              reporter_counts={countsText(report.reporter_counts)}
            />
          </Text>
        </div>
      ))}
      {found.reports > reports.length && (
        <Text size="sm" c="dimmed">
          {t('admin.case-detail.these-are-the-newest', { count: reports.length })}
        </Text>
      )}
    </Stack>
  </section>
)

const About = ({ detail: { person, earlier } }: { detail: Detail }) => (
  <section aria-label={t('admin.case-detail.about-the-person')}>
    <Title order={3} mb="xs">
      {t('admin.case-detail.about-the-person')}
    </Title>
    <DescriptionList
      items={[
        [t('common.account'), <PersonLink key="person" id={person.id} name={person.username} />],
        [
          t('common.joined'),
          <RelativeTime key="at" at={person.inserted_at} never={t('admin.case-detail.the-account-is-gone')} />,
        ],
        [t('common.now'), standingText(person)],
        [t('admin.case-detail.reported'), countsText(person.counts)],
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
    is_admin && t('admin.case-detail.is-an-admin'),
    suspended && t('common.suspended'),
    muted_until !== null && t('admin.case-detail.muted-until', { time: momentText(muted_until) }),
  ].filter((part) => part !== false)
  return parts.length === 0 ? t('admin.case-detail.may-sign-in-and-write') : parts.join(', ')
}
