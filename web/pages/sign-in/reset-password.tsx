import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { resetPassword } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { nextSearch } from '../../session/next.ts'
import { endSession } from '../../session/session.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'

const { password_min } = decisions['D-13'].value

export default function ResetPassword() {
  const mailed = useMailedCode()
  const search = nextSearch(useSearch({ from: '/reset-password' }).next)
  const [done, setDone] = useState(false)
  const { form, field, props, busy, failure } = useContractForm(resetPassword, {
    ignore_unsaved: true,
    initial: { code: mailed, new_password: '' },
    onDone: () => {
      endSession()
      setDone(true)
    },
    onError: (error) => {
      if (!isApiError(error, 'invalid_code') || mailed) return false
      form.setFieldError('code', error.message)
      form.getInputNode('code')?.focus()
      return true
    },
  })
  if (done)
    return (
      <CardPage
        title="Your new password is set"
        about="Every device was signed out, and apps have to ask for access again. Sign in with the new password."
      >
        <LinkButton to="/sign-in" search={search}>
          Sign in
        </LinkButton>
      </CardPage>
    )
  return (
    <CardPage title="Set a new password" about={mailed ? 'The code from the link is filled in.' : undefined}>
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          {!mailed && (
            <TextInput
              {...field('code')}
              label="Code from the mail"
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
          <PasswordInput
            {...field('new_password')}
            label="New password"
            description={`At least ${password_min} characters.`}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          <Button type="submit" loading={busy} fullWidth>
            Set the password
          </Button>
        </Stack>
      </form>
      <Text size="sm" mt="lg">
        No code, or one that is too old?{' '}
        <Link to="/forgot-password" search={search}>
          Send a new mail
        </Link>
      </Text>
    </CardPage>
  )
}
