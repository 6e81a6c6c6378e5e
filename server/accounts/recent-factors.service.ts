import { decisions } from '../../contract/decisions.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { findChangesSince } from './changes.store.ts'
import { countRecoveryCodes, endPasskeyChallenges, listPasskeysOf, removePasskeysSince } from './passkeys.store.ts'
import type { Factors } from './notices.rules.ts'
import { findUser } from './store.ts'
import { clearPendingTotp, clearRecoveryCodes, clearTotp, deleteRecoveryCodes } from './two-factor.store.ts'

/**
 * Removes factors added or replaced at or after this moment: passkeys, the second factor by passkey, an authenticator
 * app and recovery codes (D-107, D-122), also unfinished set-ups. Older ones stay.
 */
export async function endFactorsSince(tx: Tx, user_id: string, since: Date) {
  const changed = await findChangesSince(tx, user_id, since)
  await removePasskeysSince(tx, user_id, since)
  await endPasskeyChallenges(tx, user_id)
  await clearPendingTotp(tx, user_id)
  if (changed.includes('totp')) await clearTotp(tx, user_id)
  // Both come with new codes, which an older passkey keeps.
  if (changed.includes('totp') || changed.includes('recovery_codes')) await deleteRecoveryCodes(tx, user_id)
  await clearRecoveryCodes(tx, user_id)
}

export async function findFactors(tx: Tx, user_id: string): Promise<Factors> {
  const passkeys = await listPasskeysOf(tx, user_id, decisions.passkeys.passkeys_max)
  return {
    passkeys: passkeys.map(({ name, inserted_at }) => ({ name, day: inserted_at.toISOString().slice(0, 10) })),
    has_totp: (await findUser(tx, user_id))?.totp_enabled ?? false,
    recovery_codes: await countRecoveryCodes(tx, user_id),
  }
}
