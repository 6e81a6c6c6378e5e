import { Button, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { login } from '../../contract/accounts.ts'
import { callApi } from '../api/call.ts'
import { Icon } from '../ui/icon.tsx'
import { askedAfterPassword, loadWebAuthn } from './passkey-sign-in.tsx'
import type { Session } from './session.ts'
import type { PasskeyRequest } from './webauthn.ts'
import { t } from '../texts.ts'

interface PasskeyStepProps {
  /** The response to the password. */
  options: PasskeyRequest
  credentials: { email: string; password: string }
  /** A passkey is the primary option if the account has no authenticator app. */
  only: boolean
  onDone: (session: Session) => void
  onFailure: (error: Error | undefined) => void
}

/** The step after the password, with a passkey instead of a code. */
export function PasskeyStep({ options, credentials, only, onDone, onFailure }: PasskeyStepProps) {
  const [busy, setBusy] = useState(false)
  // Valid for one answer; afterwards, sending the password again yields new options.
  const [unused, setUnused] = useState<PasskeyRequest | undefined>(options)
  async function use() {
    setBusy(true)
    onFailure(undefined)
    try {
      const asked = unused ?? (await askAgain(credentials))
      const { askForPasskey } = await loadWebAuthn()
      const passkey = await askForPasskey(asked)
      setUnused(undefined)
      onDone(await callApi(login, { body: { ...credentials, passkey } }))
    } catch (error) {
      onFailure(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant={only ? 'filled' : 'default'}
      fullWidth
      loading={busy}
      onClick={() => void use()}
      leftSection={<Icon name="key" size={17} />}
      data-autofocus={only || undefined}
    >
      {t('common.use-a-passkey')}
    </Button>
  )
}

/** Sends the password again, to get new options. */
async function askAgain(credentials: PasskeyStepProps['credentials']) {
  const error = await callApi(login, { body: credentials }).catch((refusal: unknown) => refusal)
  const asked = askedAfterPassword(error)
  if (asked) return asked
  throw error instanceof Error ? error : new Error(t('session.second-step.sign-in-again'))
}

/** The factors that the second step asks for. */
export const SecondStepText = ({ only }: { only: boolean }): ReactNode => (
  <Text size="sm" c="dimmed">
    {only
      ? t('session.second-step.this-account-asks-for-a-passkey')
      : t('session.second-step.this-account-has-two-factor')}
  </Text>
)
