import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { forgotPassword } from '../../../contract/accounts.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { nextSearch } from '../../session/next.ts'
import { settings } from '../../settings.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'

export default function ForgotPassword() {
  const search = nextSearch(useSearch({ from: '/forgot-password' }).next)
  const [sent_to, setSentTo] = useState<string>()
  const { field, props, busy, failure } = useContractForm(forgotPassword, {
    ignore_unsaved: true,
    initial: { email: '' },
    onDone: (_answer, { email }) => setSentTo(email),
  })
  if (sent_to !== undefined)
    return (
      <CardPage
        title="Check your mail"
        about={
          <>
            If an account has the address <strong className="user-content">{sent_to}</strong>, a mail with a link and a
            code{' '}
            {settings.is_mail_sent
              ? 'is on its way.'
              : 'is in the outbox folder of this Plaza, which sends none out: whoever runs it can look there.'}{' '}
            The link leads to the next step.
          </>
        }
      >
        <LinkButton to="/reset-password" search={search} variant="default">
          Type the code by hand
        </LinkButton>
        <Text size="sm" mt="lg">
          Have you set your new password?{' '}
          <Link to="/sign-in" search={search}>
            Sign in here
          </Link>
        </Text>
      </CardPage>
    )
  return (
    <CardPage title="Forgot your password?" about="We mail you a link with which you set a new one.">
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          <TextInput
            {...field('email')}
            label="E-mail address of your account"
            type="email"
            autoComplete="username"
            autoCapitalize="none"
          />
          <Button type="submit" loading={busy} fullWidth>
            Send the mail
          </Button>
        </Stack>
      </form>
      <Text size="sm" mt="lg">
        <Link to="/sign-in" search={search}>
          Back to the sign-in
        </Link>
      </Text>
    </CardPage>
  )
}
