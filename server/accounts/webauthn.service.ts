import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Static } from 'typebox'
import type { authentication_response, registration_response } from '../../contract/passkey-fields.ts'
import { isInForeignPage, key_algorithms, type RelyingParty } from './passkeys.rules.ts'

export type PasskeyAnswer = Static<typeof authentication_response>
export type NewPasskeyAnswer = Static<typeof registration_response>

/** Loaded on first use: it takes a third of a second and 30 MB, which processes without passkeys save. */
const library = () => import('@simplewebauthn/server')

/** The outcome of a check, or why it failed: for the log, never for the client. */
export type Checked<Facts> = { facts: Facts } | { why: string }

async function checked<Facts>(client_data: string, run: () => Promise<Facts | undefined>): Promise<Checked<Facts>> {
  if (isInForeignPage(client_data)) return { why: 'it was asked for inside a page of another origin' }
  try {
    const facts = await run()
    return facts ? { facts } : { why: 'its signature is wrong' }
  } catch (error) {
    return { why: error instanceof Error ? error.message : 'the library refused it' }
  }
}

/**
 * Checks an authenticator's signed answer: kind, challenge, origin (also of an embedding page), domain, presence, user
 * verification if required, and signature. It leaves the counter to the statement that records the use, because two
 * uses may race.
 */
export const checkAnswer = (
  { id, origin }: RelyingParty,
  {
    answer,
    challenge,
    public_key,
    verified,
  }: { answer: PasskeyAnswer; challenge: string; public_key: Buffer; verified: boolean },
) =>
  checked(answer.response.clientDataJSON, async () => {
    const { verifyAuthenticationResponse } = await library()
    const result = await verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      credential: { id: answer.id, publicKey: new Uint8Array(public_key), counter: 0 },
      requireUserVerification: verified,
    })
    return result.verified ? { sign_count: result.authenticationInfo.newCounter } : undefined
  })

/** Checks a new passkey in the same way. No attestation is requested; an unrequested one must be valid. */
export const checkNewPasskey = (
  { id, origin }: RelyingParty,
  { answer, challenge }: { answer: NewPasskeyAnswer; challenge: string },
) =>
  checked(answer.response.clientDataJSON, async () => {
    const { verifyRegistrationResponse } = await library()
    const result = await verifyRegistrationResponse({
      response: { clientExtensionResults: {}, ...answer } as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: key_algorithms,
    })
    if (!result.verified) return undefined
    const { credential, credentialBackedUp } = result.registrationInfo
    return {
      credential_id: Buffer.from(credential.id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      sign_count: credential.counter,
      backed_up: credentialBackedUp,
    }
  })
