import { Button, List, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { undoChange } from '../../../contract/account-upkeep.ts'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { endSession } from '../../session/session.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'

const { password_min } = decisions['D-13'].value
const { undo_days } = decisions['D-107'].value

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
      form.setFieldError('code', `This code is wrong, was used already, or is older than ${undo_days} days.`)
      form.getInputNode('code')?.focus()
      return true
    },
  })
  if (done)
    return (
      <CardPage
        title="Your account is yours again"
        about="Address and name are as they were, and every device was signed out. Sign in with the new password, and look through your apps and sign-ins."
      >
        <LinkButton to="/sign-in">Sign in</LinkButton>
      </CardPage>
    )
  return (
    <CardPage title="This was not you?" about="Take the change of your account back.">
      <form {...props}>
        <Stack>
          <List size="sm" spacing={4}>
            <List.Item>Your address and name are restored.</List.Item>
            <List.Item>Everybody is signed out, and apps lose their access.</List.Item>
            <List.Item>A second factor that was turned on since is off again.</List.Item>
          </List>
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
            description={`At least ${password_min} characters, and none that you used before.`}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          <Button type="submit" loading={busy} fullWidth>
            Take it back
          </Button>
        </Stack>
      </form>
    </CardPage>
  )
}
