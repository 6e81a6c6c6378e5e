import { keyedHash } from '../platform/secrets.ts'
import { newRecoveryCodes, normalizeRecoveryCode } from './rules.ts'
import type { AccountsDeps } from './service.ts'

/** The text of a recovery code that is hashed. */
export const recoveryCodeText = (user_id: string, code: string) => `${user_id} ${normalizeRecoveryCode(code)}`

/** New recovery codes for a user, and what is stored of them. */
export function newRecoveryCodeHashes({ keys }: Pick<AccountsDeps, 'keys'>, user_id: string) {
  const recovery_codes = newRecoveryCodes()
  const code_hashes = recovery_codes.map((code) => keyedHash(keys.codes[0], recoveryCodeText(user_id, code)))
  return { recovery_codes, code_hashes }
}
