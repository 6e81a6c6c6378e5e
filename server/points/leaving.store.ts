import { erasesRowsOf, type EraseRound, type Leaver } from '../platform/erasure.ts'
import type { Tx } from '../platform/postgres/database.ts'

export const closeAccounts = (tx: Tx, ids: string[]) =>
  tx.sql`update point_accounts set closed = true, listened = false, limited = false where id = any(${ids}::uuid[])`

/** Deletes idempotency keys, which the person's clients chose. */
export const eraseKeys = erasesRowsOf('idempotency_keys', 'user_id', ({ user_id, app_ids }) => [user_id, ...app_ids])

export const eraseHoldTexts: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql`
    update holds set reference = null, metadata = null
     where id = any(array(
       select id from holds where user_id = ${user_id} and (reference is not null or metadata is not null) limit ${rows_max}))
    returning id`
  return rows.length
}

/** Removes the texts of the person's movements; amounts and accounts remain (D-106). */
export const eraseTransferTexts: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql`
    update transfers set description = null, reference = null, metadata = null
     where seq = any(array(
       (select seq from transfers
         where from_account = ${user_id} and (description is not null or reference is not null or metadata is not null)
         limit ${rows_max})
       union
       (select seq from transfers
         where to_account = ${user_id} and (description is not null or reference is not null or metadata is not null)
         limit ${rows_max})))
    returning seq`
  return rows.length
}

const erasePointChanges = erasesRowsOf('point_changes', 'user_id')

export const eraseChanges: EraseRound = async (tx, leaver, rows_max) => {
  await tx.sql`delete from point_watches where user_id = ${leaver.user_id}`
  await tx.sql`delete from spending_limits where user_id = ${leaver.user_id}`
  return erasePointChanges(tx, leaver, rows_max)
}

/** Deletes the limits that people set for the apps. */
export async function deleteLimitsOfApps(tx: Tx, { app_ids }: Leaver, rows_max: number) {
  const rows = await tx.sql`
    delete from spending_limits
     where ctid = any(array(
       select s.ctid from connections c join spending_limits s using (user_id, app_id)
        where c.app_id = any(${app_ids}::uuid[]) limit ${rows_max}))
    returning app_id`
  return rows.length
}
