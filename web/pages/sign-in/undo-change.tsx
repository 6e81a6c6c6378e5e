import { Button, List, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { undoChange } from '../../../contract/account-upkeep.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { endSession } from '../../session/session.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { NewPasswordInput } from '../../forms/new-password-input.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { t } from '../../texts.ts'

const { password_min } = decisions.passwords
const { undo_days } = decisions.account_changes

export default function UndoChange() {
  const mailed = useMailedCode()
  const [done, setDone] = useState(false)
  const { form, field, props, busy, failure } = useContractForm(undoChange, {
    ignore_unsaved: true,
    initial: { code: mailed, new_password: '' },
    onDone: () => {
      endSession()
      setDone(true)
    },
    onError: (error) => {
      if (!isApiError(error, 'invalid_code') || mailed) return false
      form.setFieldError('code', t('sign-in.undo-change.this-code-is-wrong-was-used', { undo_days }))
      form.getInputNode('code')?.focus()
      return true
    },
  })
  if (done)
    return (
      <CardPage
        title={t('sign-in.undo-change.your-account-is-yours-again')}
        about={t('sign-in.undo-change.address-and-name-are-as-they')}
      >
        <LinkButton to="/sign-in">{t('common.sign-in')}</LinkButton>
      </CardPage>
    )
  return (
    <CardPage
      title={t('sign-in.undo-change.this-was-not-you')}
      about={t('sign-in.undo-change.take-the-change-of-your-account')}
    >
      <form {...props}>
        <Stack>
          <List size="sm" spacing={4}>
            <List.Item>{t('sign-in.undo-change.your-address-and-name-are-restored')}</List.Item>
            <List.Item>{t('sign-in.undo-change.everybody-is-signed-out-and-apps')}</List.Item>
            <List.Item>{t('sign-in.undo-change.a-second-factor-that-was-turned')}</List.Item>
          </List>
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
            description={t('sign-in.undo-change.at-least-characters-and-none-that', { password_min })}
            visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
          />
          <Button type="submit" loading={busy} fullWidth>
            {t('sign-in.undo-change.take-it-back')}
          </Button>
        </Stack>
      </form>
    </CardPage>
  )
}
