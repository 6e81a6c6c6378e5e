import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useRef, useState, type ReactNode, type SubmitEvent } from 'react'
import { isApiError } from '../../api/errors.ts'
import { has_passkeys } from '../../session/passkey-sign-in.tsx'
import type { PasskeyAnswer } from '../../session/webauthn.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { provePasskey } from './prove-passkey.ts'
import { t } from '../../texts.ts'

/** What shows that the owner of the account makes a change: a passkey, or the password with a code where there is a second factor. */
export type Proof = { passkey: PasskeyAnswer } | { password: string; totp_code?: string }

interface ProofFormProps {
  /** The label of the button: a verb. */
  action: string
  color?: string
  /** Whether the account has a second factor, whose code is then asked for too. */
  needs_code: boolean
  /** Whether the account has a passkey that may be used in place of the password. */
  can_use_passkey: boolean
  /** Makes the change. What it rejects with is shown. */
  send: (proof: Proof) => Promise<void>
  onCancel: () => void
  /** More fields, above the password. */
  children?: ReactNode
  /** Whether those fields are valid; they show their own errors. */
  isRestValid?: () => boolean
}

type Errors = { password?: string; code?: string }

/** The field that an error of the service is about, with its message. */
function fieldErrors(error: unknown): Errors {
  if (isApiError(error, 'invalid_credentials')) return { password: error.message }
  if (isApiError(error, 'totp_required')) return { code: t('account.proof-form.enter-a-two-factor-code-too') }
  if (isApiError(error, 'invalid_code')) return { code: t('common.this-code-is-wrong-or-was') }
  return {}
}

/** A form for a change that needs a proof: asks for the password, or a passkey. */
export function ProofForm(props: ProofFormProps) {
  const { action, color, needs_code, can_use_passkey, send, onCancel, children, isRestValid = () => true } = props
  const [values, setValues] = useState({ password: '', code: '' })
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState<unknown>()
  const [busy, setBusy] = useState<'password' | 'passkey'>()
  const password_input = useRef<HTMLInputElement>(null)
  const code_input = useRef<HTMLInputElement>(null)
  const showErrors = (found: Errors) => {
    setErrors(found)
    const input = found.password === undefined ? code_input : password_input
    input.current?.focus()
  }

  async function run(by: 'password' | 'passkey', proof: () => Promise<Proof>) {
    if (busy || !isRestValid()) return
    setBusy(by)
    setErrors({})
    setFailure(undefined)
    try {
      await send(await proof())
    } catch (error) {
      const found = fieldErrors(error)
      if (Object.keys(found).length > 0) showErrors(found)
      else setFailure(error)
    } finally {
      setBusy(undefined)
    }
  }
  const { password, code } = values
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (password === '') return showErrors({ password: t('account.proof-form.enter-your-password') })
    if (needs_code && !code.trim()) return showErrors({ code: t('common.enter-the-code') })
    void run('password', async () => ({ password, ...(code.trim() && { totp_code: code.replaceAll(/\s/g, '') }) }))
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FailureNote error={failure} />
        {children}
        <PasswordInput
          ref={password_input}
          label={t('common.password')}
          description={t(
            can_use_passkey
              ? 'account.proof-form.or-use-a-passkey-below'
              : 'account.proof-form.so-that-nobody-else-changes-this',
          )}
          value={password}
          onChange={(event) => setValues({ ...values, password: event.currentTarget.value })}
          error={errors.password}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
          data-autofocus={children === undefined || undefined}
        />
        {needs_code && (
          <TextInput
            ref={code_input}
            label={t('common.two-factor-code')}
            description={t('common.from-your-authenticator-app-or-a')}
            value={code}
            onChange={(event) => setValues({ ...values, code: event.currentTarget.value })}
            error={errors.code}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          {can_use_passkey && has_passkeys && (
            <Button
              variant="default"
              loading={busy === 'passkey'}
              leftSection={<Icon name="key" size={17} />}
              onClick={() => void run('passkey', provePasskey)}
            >
              {t('common.use-a-passkey')}
            </Button>
          )}
          <Button type="submit" loading={busy === 'password'} {...(color !== undefined && { color })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
