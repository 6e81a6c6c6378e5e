import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { login } from '../../contract/accounts.ts'
import { isApiError } from '../api/errors.ts'
import { useContractForm } from '../forms/contract-form.ts'
import { submitsCode } from '../forms/submit-code.ts'
import { FailureNote } from '../ui/failure-note.tsx'
import { askedAfterPassword, has_passkeys, PasskeySignIn } from './passkey-sign-in.tsx'
import { PasskeyStep, SecondStepText } from './second-step.tsx'
import { startSession, type Session } from './session.ts'
import { StorageNote } from './storage-note.tsx'
import type { PasskeyRequest } from './webauthn.ts'
import { t } from '../texts.ts'

interface SignInFormProps {
  email?: string
  /** Focuses the first field when mounted. */
  auto_focus?: boolean
  onDone: (session: Session) => void
}

/**
 * Signs in with e-mail and password; asks for a second factor if the account has one. With `email` the address is
 * fixed, for an expired session.
 */
export function SignInForm({ email, auto_focus = false, onDone }: SignInFormProps) {
  const [second_factor, setSecondFactor] = useState(false)
  const [asked, setAsked] = useState<PasskeyRequest>()
  // Without an authenticator app: the code can only be a recovery code.
  const [only_passkey, setOnlyPasskey] = useState(false)
  const done = startThen(onDone)
  const code = useRef<HTMLInputElement>(null)
  const { form, field, props, showErrors, busy, failure, setFailure } = useContractForm(login, {
    ignore_unsaved: true,
    initial: { email: email ?? '', password: '', totp_code: '' },
    validators: {
      totp_code: (value) => (second_factor && !value.trim() ? t('common.enter-the-code') : undefined),
    },
    toInput: ({ totp_code, ...body }) => ({
      // Authenticator apps show the six digits in two groups; people also type the space.
      body: { ...body, email: body.email.trim(), ...(totp_code && { totp_code: totp_code.replaceAll(/\s/g, '') }) },
    }),
    onDone: done,
    onError: (error) => {
      if (isApiError(error, 'totp_required') || isApiError(error, 'passkey_required')) {
        setSecondFactor(true)
        setAsked(has_passkeys ? askedAfterPassword(error) : undefined)
        setOnlyPasskey(isApiError(error, 'passkey_required'))
        return true
      }
      if (!isApiError(error, 'invalid_totp_code')) return false
      setSecondFactor(true)
      form.setValues({ totp_code: '' } as Partial<typeof form.values>)
      showErrors({ totp_code: error.message })
      return true
    },
  })
  useEffect(() => {
    if (second_factor) code.current?.focus()
  }, [second_factor])
  const address = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (auto_focus) address.current?.focus()
  }, [auto_focus])
  const startOver = () => {
    setSecondFactor(false)
    setAsked(undefined)
    setFailure(undefined)
    form.setValues({ password: '', totp_code: '' } as Partial<typeof form.values>)
  }
  return (
    <form {...props}>
      <Stack>
        <FailureNote error={failure} />
        <StorageNote />
        {second_factor ? (
          <>
            <SecondStepText only={only_passkey} />
            {asked && (
              <PasskeyStep
                options={asked}
                credentials={{ email: form.getValues().email.trim(), password: form.getValues().password }}
                only={only_passkey}
                onDone={done}
                onFailure={setFailure}
              />
            )}
            <TextInput
              {...submitsCode(field('totp_code'))}
              ref={code}
              label={only_passkey ? t('session.sign-in-form.recovery-code') : t('common.two-factor-code')}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
            />
          </>
        ) : (
          <>
            <TextInput {...field('email')} ref={address} {...addressProps(email)} />
            <PasswordInput {...field('password')} {...passwordProps(email)} />
          </>
        )}
        <Button type="submit" loading={busy} fullWidth variant={only_passkey && asked ? 'default' : 'filled'}>
          {t('common.sign-in')}
        </Button>
        {!second_factor && has_passkeys && <PasskeySignIn email={email} onDone={onDone} onFailure={setFailure} />}
        {second_factor && (
          <Button variant="subtle" onClick={startOver}>
            {t('common.use-another-account')}
          </Button>
        )}
      </Stack>
    </form>
  )
}

const startThen = (onDone: (session: Session) => void) => (session: Session) => {
  startSession(session)
  onDone(session)
}

/** With an address (of an expired session) the field is fixed. */
const addressProps = (email: string | undefined) =>
  ({
    label: t('common.e-mail-address'),
    type: 'email',
    autoComplete: has_passkeys && email === undefined ? 'username webauthn' : 'username',
    autoCapitalize: 'none',
    readOnly: email !== undefined,
  }) as const

const passwordProps = (email: string | undefined) =>
  ({
    label: t('common.password'),
    autoComplete: 'current-password',
    visibilityToggleButtonProps: { 'aria-label': t('common.show-the-password') },
    'data-autofocus': email !== undefined || undefined,
  }) as const
