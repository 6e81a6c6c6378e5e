import { keyedHash } from '../platform/secrets.ts'
import { newRecoveryCodes, normalizeRecoveryCode } from './rules.ts'
import type { AccountsDeps } from './service.ts'

/** The text that is hashed for a recovery code. */
export const recoveryCodeText = (user_id: string, code: string) => `${user_id} ${normalizeRecoveryCode(code)}`

/** New recovery codes for a user, with the hashes to store. */
export function newRecoveryCodeHashes({ keys }: Pick<AccountsDeps, 'keys'>, user_id: string) {
  const recovery_codes = newRecoveryCodes()
  const code_hashes = recovery_codes.map((code) => keyedHash(keys.codes[0], recoveryCodeText(user_id, code)))
  return { recovery_codes, code_hashes }
}
