import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { adminGetMessage } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { useSingleField } from '../../forms/single-field.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { idError } from './search.ts'
import classes from './messages.module.css'

/** Reading a message is audited: it is a mutation, sent on submit only and never refetched. */
export default function Messages() {
  const read = useApiMutation(adminGetMessage)
  const { form, field } = useSingleField({ validate: idError, onSubmit: (id) => read.mutate({ params: { id } }) })
  return (
    <>
      <PageHead title="Raw message" about="A chat message as it was typed, before rude words were masked." />
      <Stack>
        <Section>
          <Alert color="yellow" variant="light" icon={<Icon name="info" />} mb="md" title="Every access is recorded">
            The audit log records who read which message, and when. Read a message only if you must; those that were
            reported are read in the queue of reports.
          </Alert>
          <form {...form}>
            <Group align="flex-end" gap="xs">
              <TextInput
                label="Id of the message"
                description="It stands in the details of an entry of the audit log."
                {...field}
                autoComplete="off"
                spellCheck={false}
                flex="1 1 18rem"
                maw={460}
              />
              <Button type="submit" loading={read.isPending}>
                Show the message
              </Button>
            </Group>
          </form>
        </Section>
        <FailureNote error={read.error} />
        <div aria-live="polite">{read.data && <MessageDetails message={read.data} />}</div>
      </Stack>
    </>
  )
}

const MessageDetails = ({ message }: { message: AnswerOf<typeof adminGetMessage> }) => (
  <Section title="The message">
    <Stack gap="lg">
      <MessageText title="As it was typed" text={message.body} />
      {message.body === message.filtered_body ? (
        <Text size="sm" c="dimmed">
          Nothing in it is masked: everybody reads the same.
        </Text>
      ) : (
        <MessageText title="As others read it" text={message.filtered_body} />
      )}
      <DescriptionList
        items={[
          [
            'Sent by',
            <Link key="by" to="/admin/users/$id" params={{ id: message.sender_id }} className="user-content">
              {message.sender_username ?? 'deleted account'}
            </Link>,
          ],
          ['Sent', <RelativeTime key="at" at={message.sent_at} />],
          ['Channel', message.channel_id],
          [
            'Who read it',
            <Link key="looks" to="/admin/audit" search={{ target_id: message.id }}>
              In the audit log
            </Link>,
          ],
        ]}
      />
    </Stack>
  </Section>
)

const MessageText = ({ title, text }: { title: string; text: string }) => (
  <figure className={classes.message}>
    <Text component="figcaption" size="sm" c="dimmed" mb={4}>
      {title}
    </Text>
    <blockquote className={`${classes.text} user-content`} dir="auto">
      {text}
    </blockquote>
  </figure>
)
