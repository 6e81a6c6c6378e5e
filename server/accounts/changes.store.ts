import { purgesRowsOf } from '../platform/erasure.ts'
import { allValues, firstRow, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'
import { voidResetCodes } from './reset-codes.store.ts'
import type { UndoKind } from './notices.rules.ts'

export interface UndoRow {
  id: string
  user_id: string
  kind: UndoKind
  /** Address and name before the change. */
  email: string
  username: string
  changed_at: Date
  expires_at: Date
}

export const insertUndo = (tx: Tx, undo: UndoRow) =>
  tx.sql`
    insert into account_undos (id, user_id, kind, email, username, changed_at, expires_at)
    values (${undo.id}, ${undo.user_id}, ${undo.kind}, ${undo.email}, ${undo.username}, ${undo.changed_at}, ${undo.expires_at})`

/** Sets the code of an undo's mail in place of an earlier one; undefined if the undo was used or has expired. */
export const setUndoCode = (db: Sql, { id, code_hash, now }: { id: string; code_hash: Buffer; now: Date }) =>
  firstRow(db.sql<UndoRow>`
    update account_undos set code_hash = ${code_hash} where id = ${id} and expires_at > ${now} returning *`)

/**
 * Locks the account of an undo, then consumes the undo together with the others of this change and those of later
 * changes; undefined if the code is unknown, expired or used.
 */
export async function consumeUndo(tx: Tx, code_hash: Buffer, now: Date) {
  const [locked] = await tx.sql<{ id: string }>`
    select u.id from account_undos c join users u on u.id = c.user_id
     where c.code_hash = ${code_hash} and c.expires_at > ${now} for update of u`
  if (!locked) return undefined
  const [undo] = await tx.sql<UndoRow>`
    delete from account_undos where code_hash = ${code_hash} and expires_at > ${now} returning *`
  if (!undo) return undefined
  await tx.sql`delete from account_undos where user_id = ${undo.user_id} and changed_at >= ${undo.changed_at}`
  return undo
}

/**
 * Deletes undos that would restore another address, of changes later than one that the present address could undo. The
 * owner of the present address has the older right, and could void them with that undo too.
 */
export const deleteUndosOfOthers = (tx: Tx, user_id: string, email: string) =>
  tx.sql`
    delete from account_undos
     where user_id = ${user_id} and lower(email) <> lower(${email})
       and changed_at > (select min(changed_at) from account_undos where user_id = ${user_id} and lower(email) = lower(${email}))`

/** Whether another account can still restore this address. */
export const isAddressReserved = (db: Sql, { email, user_id, now }: { email: string; user_id: string; now: Date }) =>
  hasRows(db.sql`
    select from account_undos
     where kind = 'email' and lower(email) = lower(${email}) and user_id <> ${user_id} and expires_at > ${now} limit 1`)

export const recordChange = (
  tx: Tx,
  { user_id, kind, now }: { user_id: string; kind: 'totp' | 'recovery_codes'; now: Date },
) => tx.sql`
  insert into account_changes (user_id, kind, changed_at) values (${user_id}, ${kind}, ${now})
  on conflict (user_id, kind) do update set changed_at = excluded.changed_at`

/** The parts of the account that were changed at this moment or later. */
export const findChangesSince = (tx: Tx, user_id: string, since: Date) =>
  allValues(tx.sql<{ kind: 'totp' | 'recovery_codes' }>`
    select kind from account_changes where user_id = ${user_id} and changed_at >= ${since}`)

export const purgeUndos = purgesRowsOf('account_undos', 'expires_at')

// Changes of address that await their code

export const putEmailChange = (
  db: Sql,
  { user_id, new_email, tries, expires_at }: { user_id: string; new_email: string; tries: number; expires_at: Date },
) => db.sql`
  insert into email_changes (user_id, new_email, tries_left, expires_at)
  select ${user_id}, ${new_email}, ${tries}, ${expires_at} from users where id = ${user_id} for share
  on conflict (user_id) do update
     set new_email = excluded.new_email, code_hash = null, tries_left = excluded.tries_left, expires_at = excluded.expires_at`

export interface EmailChange {
  user_id: string
  new_email: string
  expires_at: Date
  /** Whether a code was mailed; none is mailed for an address in use. */
  has_code: boolean
}

export const findEmailChange = (db: Sql, user_id: string, now: Date) =>
  firstRow(db.sql<EmailChange>`
    select user_id, new_email, expires_at, code_hash is not null as has_code from email_changes
     where user_id = ${user_id} and expires_at > ${now} and tries_left > 0`)

/** Sets the code of the change to this address; false if the change was replaced or has ended. */
export const setEmailChangeCode = (
  db: Sql,
  { user_id, new_email, code_hash, now }: { user_id: string; new_email: string; code_hash: Buffer; now: Date },
) =>
  hasRows(db.sql`
    update email_changes set code_hash = ${code_hash}
     where user_id = ${user_id} and new_email = ${new_email} and expires_at > ${now}
    returning user_id`)

/** Consumes one attempt at the code; returns the new address if it is right. The last wrong attempt voids the code. */
export async function consumeEmailChangeAttempt(
  db: Sql,
  { user_id, code_hashes, now }: { user_id: string; code_hashes: Buffer[]; now: Date },
) {
  const [row] = await db.sql<{ new_email: string; matched: boolean }>`
    update email_changes
       set tries_left = case when code_hash = any(${code_hashes}::bytea[]) then 0 else tries_left - 1 end
     where user_id = ${user_id} and expires_at > ${now} and tries_left > 0 and code_hash is not null
    returning new_email, code_hash = any(${code_hashes}::bytea[]) as matched`
  return row?.matched ? row.new_email : undefined
}

export const deleteEmailChange = (db: Sql, user_id: string) =>
  db.sql`delete from email_changes where user_id = ${user_id}`

export const purgeEmailChanges = purgesRowsOf('email_changes', 'expires_at')

/** Sets the address as verified; returns the previous account. Voids codes mailed to the old address. */
export async function setEmail(tx: Tx, user_id: string, email: string) {
  const [before] = await tx.sql<{ email: string; username: string; email_verified: boolean }>`
    with before as (select id, email, username, email_verified from users where id = ${user_id} for update)
    update users u set email = ${email}, email_verified = true from before b where u.id = b.id
    returning b.email, b.username, b.email_verified`
  await voidResetCodes(tx, user_id)
  await tx.sql`delete from mailed_codes where user_id = ${user_id}`
  return before
}
