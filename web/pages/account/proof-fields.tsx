import { Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { listPasskeys, passkeyProofOptions } from '../../../contract/passkeys.ts'
import { callApi } from '../../api/call.ts'
import type { ApiError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { has_passkeys, loadWebAuthn } from '../../session/passkey-sign-in.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../texts.ts'

/** The first values of forms that need a proof of identity (D-107). */
export const no_proof = { password: '', totp_code: '' }

/** Shows a refused password or second factor at its field. */
export const proof_refusals = {
  invalid_credentials: ({ message }: ApiError) => ({ password: message }),
  totp_required: () => ({ totp_code: t('account.proof-fields.this-change-needs-a-code-from') }),
  invalid_code: () => ({ totp_code: t('common.this-code-is-wrong-or-was') }),
}

/** Has the browser ask for a passkey of the account, as the proof of a change (D-107). */
async function provePasskey() {
  const { askForPasskey } = await loadWebAuthn()
  const { options } = await callApi(passkeyProofOptions)
  return { passkey: await askForPasskey(options) }
}

interface ProvedForm {
  busy: boolean
  sendWith: (proof: typeof provePasskey) => void
}

/** Whether a passkey of the account may be used here in place of the password. */
export function useCanUsePasskey() {
  const { data } = useApiQuery(listPasskeys, {})
  return has_passkeys && (data?.passkeys.length ?? 0) > 0
}

/** Sends the form with a passkey as the proof. */
export const PasskeyButton = ({ form: { busy, sendWith } }: { form: ProvedForm }) => (
  <Button
    variant="default"
    disabled={busy}
    leftSection={<Icon name="key" size={17} />}
    onClick={() => sendWith(provePasskey)}
  >
    {t('common.use-a-passkey')}
  </Button>
)

interface ProofFieldsProps {
  form: ProvedForm & { field: (name: 'password' | 'totp_code') => object }
  /** Whether the account has an authenticator app. */
  with_code: boolean
}

/** The inputs that prove the identity of the owner: the password, and a code where there is a second factor; or a passkey. */
export function ProofFields({ form, with_code }: ProofFieldsProps) {
  const { data } = useApiQuery(listPasskeys, {})
  const can_use_passkey = useCanUsePasskey()
  return (
    <>
      <PasswordInput
        {...form.field('password')}
        required={!can_use_passkey}
        label={t('account.proof-fields.your-password')}
        description={can_use_passkey && t('account.proof-form.or-use-a-passkey-below')}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
        data-autofocus
      />
      {(with_code || data?.second_factor) && (
        <TextInput
          {...form.field('totp_code')}
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
          <PasskeyButton form={form} />
        </Group>
      )}
    </>
  )
}
