import { hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'
import { recordChange } from './changes.store.ts'
import type { SealedTotp } from './totp-secrets.rules.ts'

/** Stores the secret of a set-up; false if two-factor authentication is already enabled. */
export const setPendingTotp = (db: Sql, user_id: string, { sealed, key_id }: SealedTotp) =>
  hasRows(db.sql`
    update users set totp_pending_secret = ${sealed}, totp_key_id = ${key_id}
     where id = ${user_id} and totp_secret is null
    returning id`)

export interface CheckedSetup {
  user_id: string
  /** The password hash that was proved; null if none was. */
  password_hash: string | null
  pending: Buffer
  step: number
}

/** Enables the pending secret if it and the password are still those that were checked. */
export const enablePendingTotp = (db: Sql, { user_id, password_hash, pending, step }: CheckedSetup) =>
  hasRows(db.sql`
    update users
       set totp_secret = totp_pending_secret, totp_pending_secret = null, totp_last_step = ${step}
     where id = ${user_id} and totp_secret is null and totp_pending_secret = ${pending}
       and password_hash = coalesce(${password_hash}, password_hash)
    returning id`)

/** Ends an unfinished set-up. */
export const clearPendingTotp = (tx: Tx, user_id: string) =>
  tx.sql`
    update users
       set totp_pending_secret = null, totp_key_id = case when totp_secret is null then null else totp_key_id end
     where id = ${user_id} and totp_pending_secret is not null`

export const clearTotp = async (tx: Tx, user_id: string) => {
  await tx.sql`
    update users
       set totp_secret = null, totp_pending_secret = null, totp_key_id = null, totp_last_step = null
     where id = ${user_id}`
  await clearRecoveryCodes(tx, user_id)
}

/** Deletes the recovery codes of a user who has neither an authenticator app nor passkeys left. */
export const clearRecoveryCodes = (tx: Tx, user_id: string) =>
  tx.sql`
    delete from recovery_codes
     where user_id = ${user_id}
       and not exists (select 1 from users where id = ${user_id} and totp_secret is not null)
       and not exists (select 1 from passkey_second_factors where user_id = ${user_id})`

/** Accepts a time step once; false if it or a later one was accepted before (RFC 6238 §5.2). */
export const acceptTotpStep = (db: Sql, user_id: string, step: number) =>
  hasRows(db.sql`
    update users set totp_last_step = ${step}
     where id = ${user_id} and totp_secret is not null and (totp_last_step is null or totp_last_step < ${step})
    returning id`)

/** Replaces a user's recovery codes, and records when (D-107). */
export const replaceRecoveryCodes = async (tx: Tx, user_id: string, code_hashes: Buffer[], now: Date) => {
  await recordChange(tx, { user_id, kind: 'recovery_codes', now })
  await tx.sql`delete from recovery_codes where user_id = ${user_id}`
  await tx.sql`insert into recovery_codes (user_id, code_hash) select ${user_id}, unnest(${code_hashes}::bytea[])`
}

/** Consumes the recovery code with any of these hashes; false if it is unknown or used. */
export const consumeRecoveryCode = (db: Sql, user_id: string, code_hashes: Buffer[], now: Date) =>
  hasRows(db.sql`
    update recovery_codes set used_at = ${now}
     where user_id = ${user_id} and code_hash = any(${code_hashes}::bytea[]) and used_at is null
    returning user_id`)

export const deleteRecoveryCodes = (tx: Tx, user_id: string) =>
  tx.sql`delete from recovery_codes where user_id = ${user_id}`

/** Locks the account if its second factor is on and its password is this one; otherwise returns false. */
export const lockTotp = (tx: Tx, user_id: string, password_hash: string) =>
  hasRows(tx.sql`
    select from users where id = ${user_id} and totp_secret is not null and password_hash = ${password_hash} for no key update`)

/** The same if either second factor is on. */
export const lockSecondFactor = (tx: Tx, user_id: string, password_hash: string) =>
  hasRows(tx.sql`
    select from users u
     where u.id = ${user_id} and u.password_hash = ${password_hash}
       and (u.totp_secret is not null or exists (select 1 from passkey_second_factors p where p.user_id = u.id))
       for no key update of u`)
