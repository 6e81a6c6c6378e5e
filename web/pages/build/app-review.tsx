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

/** The reason of a rejection, with a button to submit again. */
export function Rejected({ app }: { app: MyApp }) {
  const { reason, decided_at } = app.review
  const submit = useApiMutation(submitMyApp, {
    invalidates: [listMyApps],
    onDone: ({ app_name }) => notify(`${app_name} is submitted again. An admin decides.`),
  })
  return (
    <Section
      title="Rejected"
      about={
        <>
          {decided_at && (
            <>
              Decided <RelativeTime at={decided_at} />.{' '}
            </>
          )}
          Nobody can sign in with this app.
        </>
      }
    >
      <Reason title="Reason" reason={reason} color="red" />
      <Text size="sm" mt="md">
        Correct what the reason names in the{' '}
        <Link to="/apps/$id" params={{ id: app.id }} search={{ tab: 'settings' }}>
          settings
        </Link>
        , then submit the app again. An admin looks at it once more and sees this reason too.
      </Text>
      <Group justify="flex-end" mt="md">
        <FailureNote error={submit.error} />
        <Button loading={submit.isPending} onClick={() => submit.mutate({ params: { id: app.id } })}>
          Submit again
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
        Submitted again: <RelativeTime at={review.resubmitted_at} />.
      </Text>
      <Reason title="Reason of the last rejection" reason={review.reason} color="yellow" mb="md" />
    </>
  )

const Reason = ({ title, reason, ...rest }: { title: string; reason: string | null; color: string; mb?: string }) => (
  <Alert icon={<Icon name="info" />} {...rest}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Text size="sm" className="user-content" style={{ whiteSpace: 'pre-wrap' }}>
      {reason || 'No reason was given. Ask an admin of this Plaza.'}
    </Text>
  </Alert>
)
