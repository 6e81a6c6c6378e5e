import { Alert, Button, Group, Text } from '@mantine/core'
import { listMyApps, submitMyApp } from '../../../contract/oauth-apps.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

/** The reason of a rejection, with a button to submit again. */
export function Rejected({ app }: { app: MyApp }) {
  const { reason, decided_at } = app.review
  const submit = useApiMutation(submitMyApp, {
    invalidates: [listMyApps],
    onDone: ({ app_name }) => notify(t('build.app-review.is-submitted-again-an-admin-decides', { app_name })),
  })
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
      <Text size="sm" mt="md">
        <RichText
          k="build.app-review.correct-what-the-reason-names-in"
          link={(part) => (
            <Link to="/apps/$id" params={{ id: app.id }} search={{ tab: 'settings' }}>
              {part}
            </Link>
          )}
        />
      </Text>
      <Group justify="flex-end" mt="md">
        <FailureNote error={submit.error} />
        <Button loading={submit.isPending} onClick={() => submit.mutate({ params: { id: app.id } })}>
          {t('build.app-review.submit-again')}
        </Button>
      </Group>
    </Section>
  )
}

/** The reason of the previous rejection of a resubmitted app. */
export const PreviousReason = ({ app: { review } }: { app: MyApp }) =>
  review.resubmitted_at && (
    <>
      <Text size="sm" mb="xs">
        <RichText k="build.app-review.submitted-again" time={<RelativeTime at={review.resubmitted_at} />} />
      </Text>
      <Reason
        title={t('build.app-review.reason-of-the-last-rejection')}
        reason={review.reason}
        color="yellow"
        mb="md"
      />
    </>
  )

const Reason = ({ title, reason, ...rest }: { title: string; reason: string | null; color: string; mb?: string }) => (
  <Alert icon={<Icon name="info" />} {...rest}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Text size="sm" className="user-content" style={{ whiteSpace: 'pre-wrap' }}>
      {reason || t('build.app-review.no-reason-was-given-ask-an')}
    </Text>
  </Alert>
)
