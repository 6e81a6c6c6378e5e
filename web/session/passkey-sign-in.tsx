import { Button } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { passkeyLogin, passkeyLoginOptions } from '../../contract/passkeys.ts'
import { callApi } from '../api/call.ts'
import { isApiError } from '../api/errors.ts'
import { settings } from '../settings.ts'
import { Icon } from '../ui/icon.tsx'
import { loadChunk } from '../ui/lazy-component.tsx'
import { endInService } from './end-in-service.ts'
import { startSession, type Session } from './session.ts'
import type { PasskeyAnswer } from './webauthn.ts'
import { t } from '../texts.ts'

/** Loaded when a passkey may be used. */
export const loadWebAuthn = () => loadChunk(() => import('./webauthn.ts'))

/** Whether this Plaza and this browser support passkeys. */
export const has_passkeys = settings.has_passkeys && typeof PublicKeyCredential === 'function'

interface PasskeySignInProps {
  /** The address of the only account that may sign in here, whose session has expired. */
  email: string | undefined
  onDone: (session: Session) => void
  onFailure: (error: Error | undefined) => void
}

/** Signs in with a passkey's answer. */
async function signInWith(response: PasskeyAnswer, email: string | undefined) {
  const session = await callApi(passkeyLogin, { body: { response } })
  if (email === undefined || session.user.email === email) return session
  await endInService(session.token)
  throw new Error(t('session.passkey-sign-in.this-passkey-belongs-to-another-account'))
}

/** The button that signs in with a passkey; at the same time, the browser offers passkeys at the address field. */
export function PasskeySignIn({ email, onDone, onFailure }: PasskeySignInProps) {
  const [busy, setBusy] = useState(false)
  // Restarted after each use, because a request is valid for one answer.
  const [round, setRound] = useState(0)
  const finish = async (response: PasskeyAnswer) => {
    const session = await signInWith(response, email)
    startSession(session)
    onDone(session)
  }
  useOffer(round, email === undefined, finish, (error) => {
    onFailure(error)
    setRound((before) => before + 1)
  })
  async function signIn() {
    setBusy(true)
    onFailure(undefined)
    try {
      const { askForPasskey } = await loadWebAuthn()
      const { options } = await callApi(passkeyLoginOptions)
      await finish(await askForPasskey(options))
    } catch (error) {
      onFailure(error as Error)
      setRound((before) => before + 1)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      fullWidth
      loading={busy}
      onClick={() => void signIn()}
      leftSection={<Icon name="key" size={17} />}
    >
      {t('session.passkey-sign-in.sign-in-with-a-passkey')}
    </Button>
  )
}

/** A request for passkeys is renewed before it expires. */
const offered_ms = 4 * 60_000

/** Lets the browser offer passkeys at the address field, if it can. Errors before a choice are not shown. */
function useOffer(
  round: number,
  enabled: boolean,
  onChosen: (response: PasskeyAnswer) => Promise<void>,
  onError: (error: Error) => void,
) {
  const chosen = useEffectEvent(onChosen)
  const failed = useEffectEvent(onError)
  useEffect(() => {
    if (!enabled) return undefined
    let over = false
    let stop = () => {}
    async function offer() {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.()) || over) return
      const { offerPasskeys, stopOffering } = await loadWebAuthn()
      if (over) return
      stop = stopOffering
      const { options } = await callApi(passkeyLoginOptions)
      if (over) return
      const response = await offerPasskeys(options)
      if (!over) await chosen(response).catch((error: Error) => failed(error))
    }
    // Another request replaced it, or the service does not respond; the button remains.
    const begin = () => void offer().catch(() => undefined)
    begin()
    const again = setInterval(begin, offered_ms)
    return () => {
      over = true
      clearInterval(again)
      stop()
    }
  }, [enabled, round])
}

/** The request for a passkey after the password, if a refused login contains one. */
export const askedAfterPassword = (error: unknown) =>
  isApiError(error, 'totp_required') || isApiError(error, 'passkey_required') ? error.passkey_options : undefined
