import { Alert, List, Stack, Text, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { listMyApps, submitMyApp } from '../../../contract/oauth-apps.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { may, NeedsRole } from './may.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

/** The state of the review of an unapproved app. */
export default function AppReview({ app }: { app: MyApp }) {
  return app.review.status === 'rejected' ? <Rejected app={app} /> : <WhilePending app={app} />
}

/** The reason of a rejection, with a form to resubmit the app. */
function Rejected({ app }: { app: MyApp }) {
  const { reason, decided_at } = app.review
  return (
    <Section
      title={t('common.rejected')}
      about={
        <>
          <RichText
            k="build.app-review.nobody-can-sign-in-with-this"
            decided_at={
              decided_at && (
                <>
                  <RichText k="build.app-review.decided" time={<RelativeTime at={decided_at} />} />{' '}
                </>
              )
            }
          />
        </>
      }
    >
      <Reason title={t('common.reason')} reason={reason} color="red" />
      {may(app, submitMyApp) ? <Resubmission app={app} /> : <NeedsRole of={submitMyApp} />}
    </Section>
  )
}

function Resubmission({ app }: { app: MyApp }) {
  const form = useContractForm(submitMyApp, {
    initial: { note: '' },
    toInput: (body) => ({ params: { id: app.id }, body }),
    invalidates: [listMyApps],
    onDone: ({ app_name }) => {
      notify(t('build.app-review.is-submitted-again-an-admin-decides', { app_name }))
    },
  })
  return (
    <>
      <Text size="sm" my="md">
        <RichText
          k="build.app-review.correct-what-the-reason-names-in"
          link={(part) => (
            <Link to="/apps/$id" params={{ id: app.id }} search={{ tab: 'settings' }}>
              {part}
            </Link>
          )}
        />
      </Text>
      <Form form={form} action={t('build.app-review.submit-again')}>
        <Textarea
          {...form.field('note')}
          label={t('build.app-review.note-to-the-reviewer')}
          description={t('build.app-review.optional-say-what-you-changed')}
          autosize
          minRows={2}
          maxRows={10}
        />
      </Form>
    </>
  )
}

/** The reason of the previous rejection of a resubmitted app. */
const PreviousReason = ({ app: { review } }: { app: MyApp }) =>
  review.resubmitted_at && (
    <>
      <Text size="sm" mb="xs">
        <RichText k="build.app-review.submitted-again" time={<RelativeTime at={review.resubmitted_at} />} />
      </Text>
      <Stack gap="xs" mb="md">
        <Reason title={t('build.app-review.reason-of-the-last-rejection')} reason={review.reason} color="yellow" />
        {review.note !== null && <Reason title={t('build.app-review.your-note')} reason={review.note} color="gray" />}
      </Stack>
    </>
  )

const Reason = ({ title, reason, color }: { title: string; reason: string | null; color: string }) => (
  <Alert icon={<Icon name="info" />} color={color}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Text size="sm" className="user-content" style={{ whiteSpace: 'pre-wrap' }}>
      {reason || t('build.app-review.the-admin-gave-no-reason')}
    </Text>
  </Alert>
)

/** Next steps before the review. */
function WhilePending({ app }: { app: MyApp }) {
  const linkTo = (tab: 'settings' | 'developers', hash?: string) => (part: ReactNode) => (
    <Link to="/apps/$id" params={{ id: app.id }} search={{ tab }} {...(hash && { hash })}>
      {part}
    </Link>
  )
  return (
    <Section title={t('common.pending-review')} about={t('build.app-review.an-admin-reviews-it-the-decision')}>
      <PreviousReason app={app} />
      <List size="sm" spacing={6}>
        <List.Item>
          <RichText
            k="build.app-review.say-what-it-does-the-admin"
            link={linkTo('settings')}
            app_description={Boolean(app.app_description)}
          />
        </List.Item>
        <List.Item>
          <RichText k="build.app-review.put-the-client-id-and-a" link={linkTo('developers', 'secrets')} />
        </List.Item>
        <List.Item>
          <RichText k="build.app-review.check-the-redirect-uris-they-are" link={linkTo('settings')} />
        </List.Item>
        <List.Item>
          <RichText k="build.app-review.ask-for-further-scopes-now-so" link={linkTo('developers', 'scopes')} />
        </List.Item>
        <List.Item>
          <RichText
            k="build.app-review.read-the-guides-the-playground-shows"
            link={(part) => <a href="/docs">{part}</a>}
            link_2={(part) => <Link to="/playground">{part}</Link>}
          />
        </List.Item>
      </List>
    </Section>
  )
}
