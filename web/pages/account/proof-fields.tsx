import { Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { listPasskeys } from '../../../contract/passkeys.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { has_passkeys } from '../../session/passkey-sign-in.tsx'
import { Icon } from '../../ui/icon.tsx'
import { provePasskey } from './prove-passkey.ts'
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
  if (isApiError(error, 'invalid_code')) return show('totp_code', t('common.this-code-is-wrong-or-was'))
  return false
}

interface ProofFieldsProps {
  field: (name: 'password' | 'totp_code') => object
  /** Whether the account has an authenticator app. */
  with_code: boolean
  busy: boolean
  /** Sends the form with this proof in place of the password. */
  sendWith: (proof: typeof provePasskey) => void
}

/** Whether a passkey of the account may be used here in place of the password. */
export function useCanUsePasskey() {
  const { data } = useApiQuery(listPasskeys, {})
  return has_passkeys && (data?.passkeys.length ?? 0) > 0
}

/** Sends the form with a passkey as the proof. */
export const PasskeyButton = ({ busy, sendWith }: Pick<ProofFieldsProps, 'busy' | 'sendWith'>) => (
  <Button
    variant="default"
    disabled={busy}
    leftSection={<Icon name="key" size={17} />}
    onClick={() => sendWith(provePasskey)}
  >
    {t('common.use-a-passkey')}
  </Button>
)

/** The inputs that show that it is you: the password, and a code where there is a second factor; or a passkey. */
export function ProofFields({ field, with_code, busy, sendWith }: ProofFieldsProps) {
  const { data } = useApiQuery(listPasskeys, {})
  const can_use_passkey = useCanUsePasskey()
  return (
    <>
      <PasswordInput
        {...field('password')}
        required={!can_use_passkey}
        label={t('account.proof-fields.your-password')}
        description={can_use_passkey && t('account.proof-form.or-use-a-passkey-below')}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
      />
      {(with_code || data?.second_factor) && (
        <TextInput
          {...field('totp_code')}
          required={!can_use_passkey}
          label={t('common.two-factor-code')}
          description={t('common.from-your-authenticator-app-or-a')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      {can_use_passkey && (
        <Group>
          <PasskeyButton busy={busy} sendWith={sendWith} />
        </Group>
      )}
    </>
  )
}
