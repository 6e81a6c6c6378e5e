import { decisions } from '../../contract/decisions.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { shortSection } from '../platform/export-section.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { openSealed, seal } from '../platform/secrets.ts'
import { mailIn } from '../platform/texts.ts'
import { findEmailChange } from './changes.store.ts'
import { countAdministrators, deleteUser, lockLeaver, login_sections } from './leaving.store.ts'
import { isOnlyAdministrator } from './admin-roles.service.ts'
import { findPasskeySecondFactor, listPasskeysOf } from './passkeys.store.ts'
import type { AccountsDeps } from './service.ts'
import { endAllSessions } from './sessions.service.ts'
import { findProfile, lockAdmins } from './store.ts'
import { shownIn, type UserRow } from './user-columns.rules.ts'
import { reserveOldName } from './usernames.service.ts'

export { account_erasure } from './leaving.store.ts'
export { requireProof, type Proof } from './proof.service.ts'

export const farewell_job = 'accounts.mail_farewell'
const farewell_context = 'mail to somebody who left'

/** Whether this account is the only administrator's. */
export const isLastAdministrator = async (db: Sql, { admin_roles }: UserRow) =>
  admin_roles.includes('administrator') && (await countAdministrators(db)) <= 1

/**
 * Locks the account of a person who leaves, which waits for operations that use it, and refuses the last administrator.
 * Fails with `last_administrator_leaves`, or with `wrong_password` if the password has changed since it was checked.
 */
export async function beginLeaving(tx: Tx, { id, is_admin, password_hash }: UserRow) {
  // Admins first, then the account: the order in which an admin's change of users locks them.
  if (is_admin && isOnlyAdministrator(await lockAdmins(tx), id))
    throw new Failure('last_administrator_leaves', { user_id: id })
  const locked = await lockLeaver(tx, id, password_hash)
  if (!locked || (locked.is_admin && !is_admin))
    throw new Failure('wrong_password', { user_id: id, why: 'changed meanwhile' })
}

/**
 * Deletes the account, which takes effect in every process immediately, and queues a last mail. The mail's job holds
 * the address only sealed.
 */
export async function deleteAccount(deps: AccountsDeps, tx: Tx, user: UserRow) {
  await endAllSessions(deps, tx, user.id, null)
  await reserveOldName(deps, tx, user.username, null)
  await deleteUser(tx, user.id, user.email)
  if (!user.email_verified) return
  const told = JSON.stringify({ to: user.email, username: user.username, language: user.language })
  const sealed = seal(deps.keys.totp, told, farewell_context)
  await enqueue(tx, farewell_job, { sealed: sealed.toString('base64') }, { priority: 'mail' })
}

export async function mailFarewell({ keys }: AccountsDeps, mailer: JobMailer, sealed: string) {
  const opened = openSealed(keys.totp, Buffer.from(sealed, 'base64'), farewell_context)
  const { to, username, language } = JSON.parse(opened) as { to: string; username: string; language?: string }
  await mailer.send({ to, ...mailIn(language ?? null, 'mail.farewell', { username }) })
}

/** The data of the account, without secrets. */
export const account_sections = [
  shortSection('account', accountOf),
  ...login_sections,
  shortSection('passkeys', passkeysOf),
]

async function passkeysOf(db: Sql, user_id: string) {
  const passkeys = await listPasskeysOf(db, user_id, decisions.passkeys.passkeys_max)
  return passkeys.map(({ user_id: _owner, credential_id: _id, public_key: _key, ...told }) => told)
}

async function accountOf(db: Sql, user_id: string, now: Date) {
  const profile = await orFail(findProfile(db, user_id), 'not_found', { user_id })
  const change = await findEmailChange(db, user_id, now)
  const { required } = await findPasskeySecondFactor(db, user_id)
  const { points, held, total_earned, total_spent } = profile
  return [
    {
      ...shownIn('in_export', profile),
      points,
      held,
      total_earned,
      total_spent,
      new_email: change?.new_email ?? null,
      passkey_second_factor: required,
    },
  ]
}
