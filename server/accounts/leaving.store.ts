import { erasesRowsOf, type EraseRound } from '../platform/erasure.ts'
import { tableSection } from '../platform/export-section.ts'
import { countRows, firstRow, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'
import { removePasskeysOf } from './passkeys.store.ts'

/** Locks the account if its password is still this one; undefined otherwise. */
export const lockLeaver = (tx: Tx, user_id: string, password_hash: string) =>
  firstRow(tx.sql<{ is_admin: boolean }>`
    select is_admin from users where id = ${user_id} and password_hash = ${password_hash} for update`)

/** Administrators who are not suspended. */
export const countAdministrators = (db: Sql) =>
  theValue(db.sql<{ count: number }>`
    select count(*) as count from users where is_admin and 'administrator' = any(admin_roles) and suspended_at is null`)

/**
 * Deletes the account with everything that proves or changes its identity, and its waiting jobs and mails. A job that
 * is running finds no account.
 */
export async function deleteUser(tx: Tx, user_id: string, email: string) {
  await tx.sql`delete from recovery_codes where user_id = ${user_id}`
  await tx.sql`delete from mailed_codes where user_id = ${user_id}`
  await tx.sql`delete from reset_codes where user_id = ${user_id}`
  await tx.sql`delete from email_changes where user_id = ${user_id}`
  await tx.sql`delete from account_undos where user_id = ${user_id}`
  await tx.sql`delete from account_changes where user_id = ${user_id}`
  await tx.sql`update reserved_usernames set user_id = null where user_id = ${user_id}`
  await tx.sql`delete from second_factor_proofs where user_id = ${user_id}`
  await removePasskeysOf(tx, user_id)
  await tx.sql`delete from pictures where owner_id = ${user_id}`
  await tx.sql`delete from users where id = ${user_id}`
  await tx.sql`
    delete from graphile_worker._private_jobs
     where id = any(array(
       select id from graphile_worker._private_jobs
        where locked_at is null and (payload ->> 'user_id' = ${user_id} or lower(payload ->> 'email') = lower(${email}))
          for update skip locked))`
}

/** Counts of calls and failures. Their keys contain the account and its network addresses. */
const eraseCounts: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    delete from rate_limits
     where key = any(array(
       select key from rate_limits where key like '%' || ${user_id} || '%' limit ${rows_max} for update skip locked))
    returning key`)

export const account_erasure = [
  erasesRowsOf('login_sessions', 'user_id'),
  erasesRowsOf('login_addresses', 'user_id'),
  eraseCounts,
]

export const login_sections = [
  tableSection('sign_ins', 'login_sessions', {
    columns: 'id, user_agent, inserted_at, renewed_at, expires_at, ended_at',
  }),
  tableSection('sign_in_addresses', 'login_addresses', {
    columns: 'address, inserted_at',
    key: { column: 'address', type: 'text' },
  }),
]
