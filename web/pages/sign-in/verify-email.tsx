import { Alert, Button, Text, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { me, sendVerification, verifyEmail } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { submitsCode } from '../../forms/submit-code.ts'
import { nextTarget } from '../../session/next.ts'
import { SignedInAs } from '../../session/signed-in-as.tsx'
import { settings } from '../../settings.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { notify } from '../../ui/notify.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { contractText, t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { digits, lifetime_seconds } = decisions.mailed_codes

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
    <CardPage
      title={t('sign-in.verify-email.your-e-mail-address-is-verified')}
      about={t('sign-in.verify-email.nothing-more-to-do-here')}
    >
      <SignedInAs />
      <Button onClick={() => void router.navigate(nextTarget(next))}>{t('common.go-on')}</Button>
    </CardPage>
  )
}

const outbox_note = () => t('sign-in.verify-email.the-people-who-run-this-plaza')

function mailText(is_sent: boolean) {
  if (settings.is_sandbox)
    return is_sent
      ? `${t('sign-in.verify-email.my-mails-shows-a-mail-to')} `
      : `${t('sign-in.verify-email.my-mails-will-show-a-mail')} `
  if (settings.is_mail_sent)
    return is_sent
      ? `${t('sign-in.verify-email.a-mail-is-on-its-way')} `
      : `${t('sign-in.verify-email.we-send-a-mail-to')} `
  return is_sent
    ? `${t('sign-in.verify-email.this-plaza-sends-no-mail-out')} `
    : `${t('sign-in.verify-email.this-plaza-sends-no-mail-out-2')} `
}

const newCodeNote = (message: string) => {
  if (settings.is_sandbox) return t('sign-in.verify-email.a-new-code-is-in-my')
  return settings.is_mail_sent ? contractText(message) : t('sign-in.verify-email.a-new-code-is-in-the')
}

const whereElse = () => {
  if (settings.is_sandbox) return t('sign-in.verify-email.this-is-a-sandbox-its-mails')
  return settings.is_mail_sent ? t('sign-in.verify-email.no-mail-look-in-the-spam') : outbox_note()
}

function EnterCode({ email, mailed }: { email: string; mailed: string }) {
  const { sent, next } = useSearch({ from: '/verify-email' })
  const router = useRouter()
  const sending = useApiMutation(sendVerification)
  const is_sent = sent === 'yes' || sending.isSuccess || mailed !== ''
  const form = useContractForm(verifyEmail, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: async () => {
      notify(t('sign-in.verify-email.welcome'))
      await router.navigate(nextTarget(next))
    },
    invalidates: [me],
    refusals: {
      invalid_code: ({ message }) => ({ code: t('sign-in.verify-email.you-can-have-a-new-one', { message }) }),
    },
  })
  return (
    <CardPage
      title={t('common.verify-your-e-mail-address')}
      about={
        <RichText
          k="sign-in.verify-email.with-a-code-of-digits-good"
          is_sent={mailText(is_sent)}
          strong={<strong className="user-content">{email}</strong>}
          digits={digits}
          lifetime_seconds={lifetime_seconds / 60}
        />
      }
    >
      <SignedInAs />
      <Form
        form={{ ...form, failure: form.failure ?? sending.error }}
        action={t('common.verify')}
        buttons={
          <>
            {settings.is_sandbox && is_sent && (
              <LinkButton to="/sandbox/mails" variant="default">
                {t('common.my-mails')}
              </LinkButton>
            )}
            <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate({})}>
              {is_sent ? t('sign-in.verify-email.send-a-new-code') : t('sign-in.verify-email.send-the-code')}
            </Button>
          </>
        }
        note={
          <Text size="sm" c="dimmed">
            {t('sign-in.verify-email.until-then-you-can-look-around', { whereElse: whereElse() })}
          </Text>
        }
      >
        {sending.isSuccess && (
          <Alert role="status" icon={<Icon name="mail" />}>
            {newCodeNote(sending.data.message)}
          </Alert>
        )}
        <TextInput
          {...submitsCode(form.field('code'))}
          label={t('common.code-from-the-mail')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={64}
        />
      </Form>
    </CardPage>
  )
}
