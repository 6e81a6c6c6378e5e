import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { me, sendVerification, verifyEmail } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { queryKeyOf, queryClient, useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { nextTarget } from '../../session/next.ts'
import { settings } from '../../settings.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { QueryResult } from '../../ui/page-parts.tsx'

const { digits, lifetime_seconds } = decisions['D-11'].value

export default function VerifyEmail() {
  const query = useApiQuery(me, {})
  const mailed = useMailedCode()
  return (
    <QueryResult query={query}>
      {({ user }) => (user.email_verified ? <Verified /> : <EnterCode email={user.email} mailed={mailed} />)}
    </QueryResult>
  )
}

function Verified() {
  const { next } = useSearch({ from: '/verify-email' })
  const router = useRouter()
  return (
    <CardPage title="Your e-mail address is verified" about="Nothing more to do here.">
      <Button onClick={() => void router.navigate(nextTarget(next))}>Go on</Button>
    </CardPage>
  )
}

const outbox_note = 'Whoever runs this Plaza finds the mail in its outbox folder; its log says where that is.'

function mailText(is_sent: boolean) {
  if (settings.is_sandbox) return is_sent ? 'My mails shows a mail to ' : 'My mails will show a mail to '
  if (settings.is_mail_sent) return is_sent ? 'A mail is on its way to ' : 'We send a mail to '
  return is_sent
    ? 'This Plaza sends no mail out: its outbox folder holds one for '
    : 'This Plaza sends no mail out: it writes one into its outbox folder, for '
}

const newCodeNote = (message: string) => {
  if (settings.is_sandbox) return 'A new code is in My mails.'
  return settings.is_mail_sent ? message : 'A new code is in the outbox folder.'
}

const whereElse = () => {
  if (settings.is_sandbox) return 'This is a sandbox: its mails need no mail server.'
  return settings.is_mail_sent ? 'No mail? Look in the spam folder.' : outbox_note
}

function EnterCode({ email, mailed }: { email: string; mailed: string }) {
  const { sent } = useSearch({ from: '/verify-email' })
  const sending = useApiMutation(sendVerification)
  const is_sent = sent === 'yes' || sending.isSuccess || mailed !== ''
  const { form, field, props, busy, failure } = useContractForm(verifyEmail, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: () => queryClient.invalidateQueries({ queryKey: queryKeyOf(me) }),
    onError: (error) => {
      if (!isApiError(error, 'invalid_code')) return false
      form.setFieldError('code', `${error.message} You can have a new one sent.`)
      form.getInputNode('code')?.focus()
      return true
    },
  })
  return (
    <CardPage
      title="Verify your e-mail address"
      about={
        <>
          {mailText(is_sent)}
          <strong className="user-content">{email}</strong> with a code of {digits} digits, good for{' '}
          {lifetime_seconds / 60} minutes.
        </>
      }
    >
      <form {...props}>
        <Stack>
          <FailureNote error={failure ?? sending.error} />
          {sending.isSuccess && (
            <Alert role="status" icon={<Icon name="mail" />}>
              {newCodeNote(sending.data.message)}
            </Alert>
          )}
          <TextInput
            {...field('code')}
            label="Code from the mail"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={64}
          />
          <Group>
            <Button type="submit" loading={busy}>
              Verify
            </Button>
            {settings.is_sandbox && is_sent && (
              <LinkButton to="/sandbox/mails" variant="default">
                My mails
              </LinkButton>
            )}
            <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate({})}>
              {is_sent ? 'Send a new code' : 'Send the code'}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {whereElse()} Until then you can look around, but not register an app.
          </Text>
        </Stack>
      </form>
    </CardPage>
  )
}
