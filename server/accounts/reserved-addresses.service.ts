import { Failure } from '../platform/failure.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { isAddressReserved } from './changes.store.ts'
import type { AccountsDeps } from './service.ts'

/**
 * Refuses an address that another account may still restore (D-107). Call it after the row with the address is written:
 * its unique index has then waited for parallel transactions that give the address up, and this statement sees what can
 * be restored. Fails with `email_taken`.
 */
export async function refuseReservedAddress(
  { clock }: Pick<AccountsDeps, 'clock'>,
  tx: Tx,
  user_id: string,
  email: string,
) {
  if (await isAddressReserved(tx, { email, user_id, now: clock() }))
    throw new Failure('email_taken', { user_id, why: 'reserved' })
}
