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
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Mail = AnswerOf<typeof listMyMails>['data'][number]

const { mails_kept_days } = decisions.sandbox

export default function MyMails() {
  const list = usePagedQuery(listMyMails, {})
  const address = useSession().session?.user.email
  return (
    <>
      <PageHead
        title={t('common.my-mails')}
        about={
          <RichText
            k="sandbox.mails.what-plaza-wrote-to-in-the"
            mark={<span className="user-content">{address}</span>}
            mails_kept_days={mails_kept_days}
            is_mail_sent={Boolean(settings.is_mail_sent)}
          />
        }
        actions={
          <Button variant="default" loading={list.isRefetching} onClick={() => void list.refetch()}>
            {t('sandbox.mails.look-again')}
          </Button>
        }
      />
      <Stack gap="md" maw={760} aria-live="polite">
        <PagedListStates
          list={list}
          lines={5}
          empty={
            <Section>
              <EmptyState icon="mail" title={t('sandbox.mails.no-mails-yet')}>
                {t('sandbox.mails.ask-for-a-verification-code-or')}
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
