import { Button, Stack, Text, Title } from '@mantine/core'
import { decisions } from '../../../contract/decisions.ts'
import { listMyMails } from '../../../contract/sandbox.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { settings } from '../../settings.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { EmptyState, PageHead, Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import classes from './sandbox.module.css'

type Mail = AnswerOf<typeof listMyMails>['data'][number]

const { mails_kept_days } = decisions['D-102'].value

export default function MyMails() {
  const list = usePagedQuery(listMyMails, {})
  const address = useSession().session?.user.email
  return (
    <>
      <PageHead
        title="My mails"
        about={
          <>
            What Plaza wrote to <span className="user-content">{address}</span> in the last {mails_kept_days} days.{' '}
            {settings.is_mail_sent ? 'It is sent there too.' : 'A sandbox needs no mail server.'}
          </>
        }
        actions={
          <Button variant="default" loading={list.isRefetching} onClick={() => void list.refetch()}>
            Look again
          </Button>
        }
      />
      <Stack gap="md" maw={760} aria-live="polite">
        <PagedListStates
          list={list}
          lines={5}
          empty={
            <Section>
              <EmptyState icon="mail" title="No mails yet">
                Ask for a verification code or a new password, or register an app: its mail comes here in a moment.
              </EmptyState>
            </Section>
          }
        >
          {list.rows.map((mail) => (
            <Entry key={mail.id} mail={mail} />
          ))}
        </PagedListStates>
      </Stack>
    </>
  )
}

const Entry = ({ mail: { subject, text, sent_at } }: { mail: Mail }) => (
  <Section>
    <Title order={2} fz="md" className="user-content">
      {subject}
    </Title>
    <Text size="sm" c="dimmed" mb="sm">
      <RelativeTime at={sent_at} />
    </Text>
    <div className={`${classes.mail} user-content`}>
      {text
        .trim()
        .split(/(https?:\/\/\S+)/)
        .map((part, at) => (at % 2 === 1 ? <ExternalLink key={at} address={part} /> : part))}
    </div>
  </Section>
)
