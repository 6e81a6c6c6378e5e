import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { undoChange } from '../../../contract/account-upkeep.ts'
import type { resetPassword } from '../../../contract/accounts.ts'
import type { ApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { NewPasswordInput } from '../../forms/new-password-input.tsx'
import { endSession } from '../../session/session.ts'
import { t } from '../../texts.ts'

interface NewPasswordFormProps {
  endpoint: typeof resetPassword | typeof undoChange
  /** The code of a mailed link; empty if the person types it. */
  mailed: string
  intro?: ReactNode
  /** The description of the password. */
  rule: string
  action: string
  /** The message for a wrong code. */
  wrongCode: (error: ApiError) => string
  onDone: () => void
}

/** Sets a new password with a mailed code, and signs out. */
export function NewPasswordForm({ endpoint, mailed, intro, rule, action, wrongCode, onDone }: NewPasswordFormProps) {
  const form = useContractForm(endpoint, {
    ignore_unsaved: true,
    initial: { code: mailed, new_password: '' },
    onDone: () => {
      endSession()
      onDone()
    },
    refusals: mailed ? {} : { invalid_code: (error) => ({ code: wrongCode(error) }) },
  })
  return (
    <Form form={form} intro={intro} action={action} button={{ flex: 1 }}>
      {!mailed && (
        <TextInput
          {...form.field('code')}
          label={t('common.code-from-the-mail')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      <NewPasswordInput
        {...form.field('new_password')}
        label={t('common.new-password')}
        description={rule}
        visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
      />
    </Form>
  )
}
