import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { resetPassword } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { nextSearch } from '../../session/next.ts'
import { endSession } from '../../session/session.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { NewPasswordInput } from '../../forms/new-password-input.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { password_min } = decisions.passwords
const { recent_days } = decisions.account_recovery

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
        title={t('sign-in.reset-password.your-new-password-is-set')}
        about={t('sign-in.reset-password.every-device-was-signed-out-and', { recent_days })}
      >
        <LinkButton to="/sign-in" search={search}>
          {t('common.sign-in')}
        </LinkButton>
      </CardPage>
    )
  return (
    <CardPage
      title={t('common.set-a-new-password')}
      about={mailed ? t('sign-in.reset-password.the-code-from-the-link-is') : undefined}
    >
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          {!mailed && (
            <TextInput
              {...field('code')}
              label={t('common.code-from-the-mail')}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
          <NewPasswordInput
            {...field('new_password')}
            label={t('common.new-password')}
            description={t('sign-in.reset-password.at-least-characters', { password_min })}
            visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
          />
          <Button type="submit" loading={busy} fullWidth>
            {t('sign-in.reset-password.set-the-password')}
          </Button>
        </Stack>
      </form>
      <Text size="sm" mt="lg">
        <RichText
          k="sign-in.reset-password.no-code-or-one-that-is"
          link={(part) => (
            <Link to="/forgot-password" search={search}>
              {part}
            </Link>
          )}
        />
      </Text>
    </CardPage>
  )
}
