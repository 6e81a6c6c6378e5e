import { Badge, Button, Group, Text } from '@mantine/core'
import { endLoginSession, endOtherLoginSessions, listLoginSessions } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { deviceName } from '../../ui/device-name.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Session = AnswerOf<typeof listLoginSessions>['sessions'][number]

/** The current session first, then the newest. */
const sortedSessions = (sessions: readonly Session[]) =>
  [...sessions].sort(
    (one, other) =>
      Number(other.current) - Number(one.current) || Date.parse(other.inserted_at) - Date.parse(one.inserted_at),
  )

export default function Sessions() {
  const query = useApiQuery(listLoginSessions, {})
  return (
    <>
      <PageHead
        title={t('common.sign-ins')}
        about={t('account.sessions.every-browser-and-device-that-is')}
        actions={(query.data?.sessions.length ?? 0) > 1 && <EndOthers count={(query.data?.sessions.length ?? 0) - 1} />}
      />
      <Section maw={760}>
        <QueryResult query={query} rows={4}>
          {({ sessions }) => (
            <Rows label={t('common.sign-ins')}>
              {sortedSessions(sessions).map((session) => (
                <Entry key={session.id} session={session} />
              ))}
            </Rows>
          )}
        </QueryResult>
      </Section>
    </>
  )
}

function Entry({ session: { id, current, user_agent, inserted_at, last_used_at, expires_at } }: { session: Session }) {
  const end = useApiMutation(endLoginSession, {
    invalidates: [listLoginSessions],
    onDone: () => notify(t('account.sessions.the-sign-in-is-ended')),
  })
  const name = deviceName(user_agent)
  return (
    <Row
      lead="screen"
      action={
        !current && (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending}
            onClick={() => end.mutate({ params: { id } })}
            aria-label={t('account.sessions.end', { name })}
          >
            {t('account.sessions.end-it')}
          </Button>
        )
      }
    >
      <Group gap="xs">
        <Text fw={550} className="user-content" {...(user_agent && { title: user_agent })}>
          {name}
        </Text>
        {current && <Badge>{t('account.sessions.this-one')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        <RichText
          k="account.sessions.signed-in-ends-by-itself"
          used={<RelativeTime at={last_used_at} />}
          time={<RelativeTime at={inserted_at} />}
          time_2={<RelativeTime at={expires_at} />}
        />
      </Text>
      <FailureNote error={end.error} />
    </Row>
  )
}

const EndOthers = ({ count }: { count: number }) => (
  <ConfirmButton
    label={t('account.sessions.end-all-others')}
    button={{ size: 'sm' }}
    endpoint={endOtherLoginSessions}
    input={{}}
    invalidates={[listLoginSessions]}
    done={() => t('account.sessions.you-are-signed-in-here-only')}
    title={t('account.sessions.end-all-other-sign-ins')}
    action={t('account.sessions.end-count', { count })}
  >
    <Text size="sm">{t('account.sessions.each-of-them-has-to-sign')}</Text>
  </ConfirmButton>
)
