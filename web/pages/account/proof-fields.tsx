import { PasswordInput, TextInput } from '@mantine/core'
import { isApiError } from '../../api/errors.ts'
import { t } from '../../texts.ts'

/** What forms of sensitive changes begin with (D-107). */
export const no_proof = { password: '', totp_code: '' }

interface ProofForm {
  setFieldError(path: 'password' | 'totp_code', error: string): void
  getInputNode(path: 'password' | 'totp_code'): HTMLElement | null
}

/** Shows a refused password or second factor at its field; false for any other error. */
export function showProofError(error: Error, form: ProofForm) {
  const show = (name: 'password' | 'totp_code', message: string) => {
    form.setFieldError(name, message)
    form.getInputNode(name)?.focus()
    return true
  }
  if (isApiError(error, 'invalid_credentials')) return show('password', error.message)
  if (isApiError(error, 'totp_required'))
    return show('totp_code', t('account.proof-fields.this-change-needs-a-code-from'))
  if (isApiError(error, 'invalid_code')) return show('totp_code', t('account.proof-fields.this-code-is-wrong-or-was'))
  return false
}

interface ProofFieldsProps {
  field: (name: 'password' | 'totp_code') => object
  with_code: boolean
}

/** The inputs that show that it is you: the password, and a code where two-factor authentication is on. */
export const ProofFields = ({ field, with_code }: ProofFieldsProps) => (
  <>
    <PasswordInput
      {...field('password')}
      required
      label={t('account.proof-fields.your-password')}
      autoComplete="current-password"
      visibilityToggleButtonProps={{ 'aria-label': t('account.proof-fields.show-the-password') }}
    />
    {with_code && (
      <TextInput
        {...field('totp_code')}
        required
        label={t('common.two-factor-code')}
        description={t('account.proof-fields.from-your-authenticator-app-or-a')}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
      />
    )}
  </>
)
