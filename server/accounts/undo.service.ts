import { Failure } from '../platform/failure.ts'
import { violates } from '../platform/postgres/database.ts'
import { sha256 } from '../platform/secrets.ts'
import { consumeUndo, deleteEmailChange, setEmail } from './changes.store.ts'
import { endFactorsSince } from './recent-factors.service.ts'
import { voidResetCodes } from './reset-codes.store.ts'
import type { AccountsDeps } from './service.ts'
import { endAllSessions } from './sessions.service.ts'
import { findUser, setPassword } from './store.ts'
import { renameIn } from './usernames.service.ts'

/**
 * Undoes a change with the code of its notice (D-107): restores the previous address and name, sets a new password if
 * one is given, and ends everything opened with the account since: login sessions, pending codes, app connections,
 * second factors, and undos of later changes. Signs nobody in: that needs the password and a second factor from before
 * (D-122). Single use. Fails with `invalid_code`, or with `email_taken` or `username_taken` if they cannot be restored.
 */
export async function undoChange(deps: AccountsDeps, { code, new_password }: { code: string; new_password?: string }) {
  const { db, clock, passwords, events } = deps
  const now = clock()
  const password_hash = new_password === undefined ? undefined : await passwords.hash(new_password)
  const restored = db.transaction(async (tx) => {
    const undo = await consumeUndo(tx, sha256(code.trim()), now)
    const user = undo && (await findUser(tx, undo.user_id))
    if (!undo || !user) throw new Failure('invalid_code')
    const { user_id } = undo
    if (password_hash !== undefined) await setPassword(tx, user_id, password_hash, null)
    await voidResetCodes(tx, user_id)
    if (user.email !== undo.email) await setEmail(tx, user_id, undo.email)
    if (user.username !== undo.username)
      await renameIn(deps, tx, { user_id, username: undo.username, password_hash: null })
    await deleteEmailChange(tx, user_id)
    await endFactorsSince(tx, user_id, undo.changed_at)
    await endAllSessions(deps, tx, user_id, null)
    await events.access_revoked(tx, { user_id, now })
  })
  await restored.catch((error: unknown) => {
    throw violates(error, 'users_email') ? new Failure('email_taken') : nameFailure(error)
  })
}

/**
 * Address and name are reserved while the undo is valid, so neither conflict occurs as long as both reservations hold.
 */
const nameFailure = (error: unknown) => (violates(error, 'users_username') ? new Failure('username_taken') : error)
