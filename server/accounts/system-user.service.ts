import { newId } from '../platform/ids.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { newSecret } from '../platform/secrets.ts'
import { findUser, insertSuspendedUser } from './store.ts'
import type { AccountsDeps } from './service.ts'

/** Owns what belongs to no person. Nobody can sign in as it, and nobody can register its name. */
export const system_user_id = '00000000-0000-7000-8000-000000000100'

/**
 * Creates the system user if it does not exist: suspended, with an unknown password and address, at a domain that never
 * receives mail (RFC 2606). Returns whether it did.
 */
export async function ensureSystemUser(
  { clock, passwords, tiers }: Pick<AccountsDeps, 'clock' | 'passwords' | 'tiers'>,
  tx: Tx,
): Promise<boolean> {
  if (await findUser(tx, system_user_id)) return false
  return insertSuspendedUser(tx, {
    id: system_user_id,
    email: `${newId()}@system.invalid`,
    username: 'a client metadata document',
    password_hash: await passwords.hash(newSecret('')),
    tier: tiers[0].name,
    referral_code: newSecret('').slice(0, 20),
    now: clock(),
  })
}
