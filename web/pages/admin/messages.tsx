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
import { t } from '../../texts.ts'

/** Reading a message is audited: it is a mutation, sent only on submit and never refetched. */
export default function Messages() {
  const read = useApiMutation(adminGetMessage)
  const { form, field } = useSingleField({ validate: idError, onSubmit: (id) => read.mutate({ params: { id } }) })
  return (
    <>
      <PageHead title={t('common.raw-message')} about={t('admin.messages.a-chat-message-as-it-was')} />
      <Stack>
        <Section>
          <Alert
            color="yellow"
            variant="light"
            icon={<Icon name="info" />}
            mb="md"
            title={t('admin.messages.every-access-is-recorded')}
          >
            {t('admin.messages.the-audit-log-records-who-read')}
          </Alert>
          <form {...form}>
            <Group align="flex-end" gap="xs">
              <TextInput
                label={t('admin.messages.id-of-the-message')}
                description={t('admin.messages.it-stands-in-the-details-of')}
                {...field}
                autoComplete="off"
                spellCheck={false}
                flex="1 1 18rem"
                maw={460}
              />
              <Button type="submit" loading={read.isPending}>
                {t('admin.messages.show-the-message')}
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
  <Section title={t('admin.messages.the-message')}>
    <Stack gap="lg">
      <MessageText title={t('admin.messages.as-it-was-typed')} text={message.body} />
      {message.body === message.filtered_body ? (
        <Text size="sm" c="dimmed">
          {t('admin.messages.nothing-in-it-is-masked-everybody')}
        </Text>
      ) : (
        <MessageText title={t('admin.messages.as-others-read-it')} text={message.filtered_body} />
      )}
      <DescriptionList
        items={[
          [
            t('common.sent-by'),
            <Link key="by" to="/admin/users/$id" params={{ id: message.sender_id }} className="user-content">
              {message.sender_username ?? t('admin.messages.deleted-account')}
            </Link>,
          ],
          [t('common.sent'), <RelativeTime key="at" at={message.sent_at} />],
          [t('admin.messages.channel'), message.channel_id],
          [
            t('admin.messages.who-read-it'),
            <Link key="looks" to="/admin/audit" search={{ target_id: message.id }}>
              {t('admin.messages.in-the-audit-log')}
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
