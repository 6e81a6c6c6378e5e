import { Failure } from '../platform/failure.ts'
import { violates, type Tx } from '../platform/postgres/database.ts'
import { sha256 } from '../platform/secrets.ts'
import { consumeUndo, deleteEmailChange, findChangesSince, setEmail, type UndoRow } from './changes.store.ts'
import { removePasskeysSince } from './passkeys.store.ts'
import { endAllSessions, type AccountsDeps } from './service.ts'
import { findUser, setPassword } from './store.ts'
import { clearRecoveryCodes, clearTotp, deleteRecoveryCodes } from './two-factor.store.ts'
import { renameIn } from './usernames.service.ts'

/**
 * Takes a change back with the code of its notice (D-107): restores address and name as they were, sets a new password, and ends all that
 * was opened with the account since: login sessions, pending codes, app connections, and what later changes could be taken back to. Single
 * use. Fails with `invalid_code`, or with `email_taken` or `username_taken` where they cannot be restored.
 */
export async function undoChange(deps: AccountsDeps, { code, new_password }: { code: string; new_password: string }) {
  const { db, clock, passwords, events } = deps
  const now = clock()
  const password_hash = await passwords.hash(new_password)
  const restored = db.transaction(async (tx) => {
    const undo = await consumeUndo(tx, sha256(code.trim()), now)
    const user = undo && (await findUser(tx, undo.user_id))
    if (!undo || !user) throw new Failure('invalid_code')
    const { user_id } = undo
    await setPassword(tx, user_id, password_hash, null)
    if (user.email !== undo.email) await setEmail(tx, user_id, undo.email)
    if (user.username !== undo.username)
      await renameIn(deps, tx, { user_id, username: undo.username, password_hash: null })
    await deleteEmailChange(tx, user_id)
    await voidSecondFactorsSince(tx, undo)
    await endAllSessions(deps, tx, user_id, null)
    await events.access_revoked(tx, { user_id, now })
  })
  await restored.catch((error: unknown) => {
    throw violates(error, 'users_email') ? new Failure('email_taken') : nameFailure(error)
  })
}

/** Both are reserved meanwhile: only a process of version 0.1.0 that runs beside gives them away. */
const nameFailure = (error: unknown) => (violates(error, 'users_username') ? new Failure('username_taken') : error)

/** Voids what was added or replaced for proving the owner's identity since a change that its owner did not make. */
async function voidSecondFactorsSince(tx: Tx, { user_id, changed_at }: UndoRow) {
  const changed = await findChangesSince(tx, user_id, changed_at)
  await removePasskeysSince(tx, user_id, changed_at)
  if (changed.includes('totp')) await clearTotp(tx, user_id)
  // Both bring new codes, and a passkey from before keeps them.
  if (changed.includes('totp') || changed.includes('recovery_codes')) await deleteRecoveryCodes(tx, user_id)
  await clearRecoveryCodes(tx, user_id)
}
