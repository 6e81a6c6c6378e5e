import { Stack, Text, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { PlazaClient } from '../../../contract/client.ts'
import { login, register, sendVerification } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { getReferral } from '../../../contract/profiles.ts'
import { callApi } from '../../api/call.ts'
import { isApiError, NetworkError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { startSession, type Session } from '../../session/session.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { StorageNote } from '../../session/storage-note.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { NewPasswordInput } from '../../forms/new-password-input.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { username_min, username_max } = decisions.usernames
const { password_min } = decisions.passwords
const username_rule = () => t('common.to-letters-digits-dots-dashes-or', { username_min, username_max })

/** An account that was created but not signed in, with the error of the sign-in. */
interface CreatedAccount {
  email: string
  error?: Error
}

/** Requests the verification mail; resolves to whether that succeeded. */
const sendMail = async ({ token }: Session) => {
  const mail = await new PlazaClient(location.origin, token).call(sendVerification).catch(() => undefined)
  return mail?.ok ?? false
}

export default function Register() {
  const router = useRouter()
  const { ref, next } = useSearch({ from: '/register' })
  const [created, setCreated] = useState<CreatedAccount>()
  /** The e-mail address of a call without a response: the account may have been created. */
  const unanswered_email = useRef<string>(undefined)
  const continueToVerify = async (sent: boolean) => {
    const search = { ...(sent && { sent: 'yes' as const }), next }
    await router.navigate({ to: '/verify-email', search, replace: true })
  }
  const form = useContractForm(register, {
    initial: { email: '', username: '', password: '', referral_code: ref ?? '' },
    pattern_messages: { username: username_rule() },
    onDone: async (_answer, { email, password }) => {
      const session = await callApi(login, { body: { email: email.trim(), password } }).catch((error: Error) => error)
      if (session instanceof Error) {
        setCreated({ email: email.trim(), error: session })
        return
      }
      const sent = await sendMail(session)
      startSession(session)
      await continueToVerify(sent)
    },
    onError: (error, { email }) => {
      if (error instanceof NetworkError) unanswered_email.current = email
      const is_created = isApiError(error, 'email_taken') && unanswered_email.current === email
      if (is_created) setCreated({ email: email.trim() })
      return is_created
    },
    refusals: {
      email_taken: ({ message }) => ({ email: message }),
      username_taken: ({ message }) => ({ username: message }),
    },
  })
  const invitation = useApiQuery(getReferral, { params: { code: ref ?? '' } }, { enabled: ref !== undefined }).data
  if (created) return <AccountExists made={created} onDone={() => void continueToVerify(false)} />
  return (
    <CardPage
      title={
        invitation
          ? t('preview.invitation.title', { name: invitation.display_name ?? invitation.username })
          : t('common.create-an-account')
      }
      about={
        invitation ? t('preview.invitation.about', invitation) : t('sign-in.register.one-account-for-every-app-on')
      }
    >
      <Form form={form} action={t('sign-in.register.create-the-account')} button={{ flex: 1 }}>
        <StorageNote />
        <TextInput
          {...form.field('email')}
          label={t('common.e-mail-address')}
          description={t('sign-in.register.we-send-a-code-there-to')}
          type="email"
          autoComplete="email"
          autoCapitalize="none"
        />
        <TextInput
          {...form.field('username')}
          label={t('common.username')}
          description={t('sign-in.register.others-see-it', { username_rule: username_rule() })}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <NewPasswordInput
          {...form.field('password')}
          label={t('common.password')}
          description={t('sign-in.register.at-least-characters-several-words-are', { password_min })}
          visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
        />
        {!invitation && (
          <TextInput
            {...form.field('referral_code')}
            label={t('sign-in.register.referral-code-optional')}
            description={t('sign-in.register.if-somebody-invited-you')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Form>
      <SignInInstead next={next} />
    </CardPage>
  )
}

const SignInInstead = ({ next }: { next: string | undefined }) => (
  <Text size="sm" mt="lg">
    <RichText
      k="sign-in.register.already-have-an-account-sign-in"
      link={(part) => (
        <Link to="/sign-in" search={{ next }}>
          {part}
        </Link>
      )}
    />
  </Text>
)

const AccountExists = ({ made: { email, error }, onDone }: { made: CreatedAccount; onDone: () => void }) => (
  <CardPage
    title={t('sign-in.register.your-account-exists')}
    about={error ? t('sign-in.register.it-was-created-but-signing-in') : t('sign-in.register.sign-in-to-continue')}
  >
    <Stack>
      <FailureNote error={error} />
      <SignInForm email={email} onDone={onDone} />
    </Stack>
    <Text size="sm" mt="lg">
      <Link to="/forgot-password">{t('common.forgot-your-password')}</Link>
    </Text>
  </CardPage>
)
