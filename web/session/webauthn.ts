import { startAuthentication, startRegistration, WebAuthnAbortService } from '@simplewebauthn/browser'
import type { Static } from 'typebox'
import type { BodyOf, Wire } from '../../contract/endpoint.ts'
import type { creation_options, request_options } from '../../contract/passkey-fields.ts'
import type { passkeyLogin, registerPasskey } from '../../contract/passkeys.ts'
import { t } from '../texts.ts'

export type PasskeyRequest = Static<typeof request_options>
export type PasskeyAnswer = Wire<BodyOf<typeof passkeyLogin>>['response']
export type NewPasskeyAnswer = Wire<BodyOf<typeof registerPasskey>>['response']

/** No passkey was used or made, for a reason that the message explains. */
export class PasskeyError extends Error {}

/** The same error in plain words; the browser's name no remedy. */
function inWords(error: unknown): Error {
  const { name } = error instanceof Error ? error : new Error()
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new PasskeyError(t('session.webauthn.no-passkey-was-used-it-was'))
  if (name === 'InvalidStateError') return new PasskeyError(t('session.webauthn.this-device-has-a-passkey-for'))
  return new PasskeyError(t('session.webauthn.your-browser-could-not-use-a'))
}

/** Asks the browser for a passkey. Rejects with `PasskeyError`. */
export const askForPasskey = (options: PasskeyRequest): Promise<PasskeyAnswer> =>
  startAuthentication({ optionsJSON: options }).catch((error: unknown) => {
    throw inWords(error)
  })

/** Offers passkeys while the address is typed. Rejects when another request or `stopOffering` replaces it. */
export const offerPasskeys = (options: PasskeyRequest): Promise<PasskeyAnswer> =>
  startAuthentication({ optionsJSON: options, useBrowserAutofill: true })

export const stopOffering = () => WebAuthnAbortService.cancelCeremony()

/** Makes the browser create a passkey. Rejects with `PasskeyError`. */
export const makePasskey = (options: Static<typeof creation_options>): Promise<NewPasskeyAnswer> =>
  startRegistration({ optionsJSON: options }).catch((error: unknown) => {
    throw inWords(error)
  })
