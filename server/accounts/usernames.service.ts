import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { violates, type Tx } from '../platform/postgres/database.ts'
import { keyedHash, keyedHashes } from '../platform/secrets.ts'
import { enqueueNotice } from './notices.service.ts'
import { requireProof, type Proof } from './proof.service.ts'
import type { AccountsDeps } from './service.ts'
import { requireSession } from './sessions.service.ts'
import { findUserIdByUsername } from './store.ts'
import { countReservedNames, isNameReserved, releaseName, reserveName, setUsername } from './usernames.store.ts'

const { name_reserved_days, names_reserved_max } = decisions.account_changes

// Keyed, so that the table does not reveal who left: a plain hash of a short name could be guessed.
const nameText = (username: string) => `username ${username.toLowerCase()}`

type NameDeps = Pick<AccountsDeps, 'keys' | 'clock'>

/**
 * Refuses a name that is reserved for somebody else. Call it after the row with the name is written: its unique index
 * has then waited for parallel transactions that give the name up, and this statement sees the reservation. Fails with
 * `username_taken`.
 */
export async function refuseReservedName({ keys, clock }: NameDeps, tx: Tx, user_id: string, username: string) {
  const name_hashes = keyedHashes(keys.codes, nameText(username))
  if (await isNameReserved(tx, { name_hashes, user_id, now: clock() }))
    throw new Failure('username_taken', { user_id, why: 'reserved' })
}

/** Refuses a name that imitates the platform or its staff (D-118). Fails with `username_taken`. */
export function refuseStaffName({ isStaffName }: Pick<AccountsDeps, 'isStaffName'>, username: string) {
  if (isStaffName(username)) throw new Failure('username_taken', { why: 'a name of the platform or its staff' })
}

/** Reserves a name that a user gave up, for this user or (null) for nobody (D-106, D-107). */
export const reserveOldName = ({ keys, clock }: NameDeps, tx: Tx, username: string, user_id: string | null) =>
  reserveName(tx, {
    name_hash: keyedHash(keys.codes[0], nameText(username)),
    user_id,
    reserved_until: secondsAfter(clock(), name_reserved_days * 86_400),
  })

/**
 * Changes the caller's name (D-107). The old one stays reserved for the caller. Fails with `username_taken`, also for a
 * name that is reserved for somebody else or imitates staff, with `too_many_names`, with `muted`, or as `requireProof`
 * does.
 */
export async function changeUsername(
  deps: AccountsDeps,
  caller: UserCaller,
  { username, ...proof }: Proof & { username: string },
) {
  const { user_id } = caller
  const holder_id = await findUserIdByUsername(deps.db, username)
  if (holder_id !== undefined && holder_id !== user_id) throw new Failure('username_taken', { user_id })
  // The holder of such a name may change its case.
  if (holder_id === undefined) refuseStaffName(deps, username)
  const { password_hash } = await requireProof(deps, caller, proof)
  await takingNames(() =>
    deps.db.transaction(async (tx) => {
      await renameIn(deps, tx, { user_id, username, password_hash })
      if (holder_id === undefined) await deps.events.renamed(tx, { user_id, now: deps.clock() })
      await requireSession(deps, tx, caller)
      if ((await countReservedNames(tx, user_id, deps.clock())) > names_reserved_max)
        throw new Failure('too_many_names', { user_id })
      await enqueueNotice(tx, { user_id, kind: 'username', now: deps.clock() })
    }),
  )
}

/**
 * Renames in the caller's transaction. Fails with `wrong_password` if the password has changed since it was checked.
 */
export async function renameIn(
  deps: NameDeps,
  tx: Tx,
  { user_id, username, password_hash }: { user_id: string; username: string; password_hash: string | null },
) {
  const old_name = await setUsername(tx, user_id, username, password_hash)
  if (old_name === undefined) throw new Failure('wrong_password', { user_id, why: 'changed meanwhile' })
  if (old_name.toLowerCase() === username.toLowerCase()) return
  await refuseReservedName(deps, tx, user_id, username)
  await releaseName(tx, keyedHashes(deps.keys.codes, nameText(username)))
  await reserveOldName(deps, tx, old_name, user_id)
}

async function takingNames(work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    throw violates(error, 'users_username') ? new Failure('username_taken') : error
  }
}
