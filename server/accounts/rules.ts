import { randomInt } from 'node:crypto'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { decisions } from '../../contract/decisions.ts'

const { step_seconds, window_steps, recovery_codes, digits } = decisions.totp

/** A tier of users, shown next to their name (D-16). */
export interface Tier {
  name: string
  emoji: string
}

/** Letters and digits that are not easily confused. */
const unambiguous_alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

const randomWord = (length: number) =>
  Array.from({ length }, () => unambiguous_alphabet[randomInt(unambiguous_alphabet.length)]).join('')

export const newReferralCode = () => randomWord(10)

/** Single-use codes for users without their authenticator, with about 50 bits each. */
export const newRecoveryCodes = () => Array.from({ length: recovery_codes }, () => `${randomWord(5)}-${randomWord(5)}`)

/** Recovery codes match without case, spaces and hyphens. */
export const normalizeRecoveryCode = (code: string) => code.toLowerCase().replace(/[\s-]/g, '')

export const newTotpSecret = () => generateSecret()

/** The otpauth URI that an authenticator app scans. */
export const totpUri = (secret: string, account: string) => generateURI({ issuer: 'Plaza', label: account, secret })

/**
 * The time step that `code` is right for (RFC 6238: SHA-1, 6 digits, 30 s, one step of drift each way); undefined if it
 * is wrong or malformed.
 */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  if (!new RegExp(`^\\d{${digits}}$`).test(code)) return undefined
  const result = verifySync({
    secret,
    token: code,
    epoch: Math.floor(now.getTime() / 1000),
    period: step_seconds,
    epochTolerance: step_seconds * window_steps,
  })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

export const tierEmoji = (tiers: Tier[], name: string) => tiers.find((tier) => tier.name === name)?.emoji ?? ''

/**
 * A link to the page that uses a mailed code. The code is in the fragment: browsers do not send it to the server, so no
 * log contains it.
 */
export const mailedLink = (public_url: string, path: string, code: string) =>
  `${public_url}${path}#code=${encodeURIComponent(code)}`
