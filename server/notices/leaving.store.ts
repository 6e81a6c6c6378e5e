import type { EraseRound } from '../platform/erasure.ts'
import type { Sql } from '../platform/postgres/database.ts'

export const eraseNotices: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql`
    delete from notices
     where user_id = ${user_id} and about = any(array(select about from notices where user_id = ${user_id} limit ${rows_max}))
    returning 1`
  return rows.length
}

export const eraseSettings: EraseRound = async (tx, { user_id }) => {
  const rows = await tx.sql`delete from notice_settings where user_id = ${user_id} returning 1`
  return rows.length
}

export const listAllNotices = (
  db: Sql,
  { user_id, after_id, rows_max }: { user_id: string; after_id: string | null; rows_max: number },
) =>
  db.sql<{ id: string }>`
    select id, kind, event, count, amount, subject_id, app_id, reason, happened_at, read_at
      from notices
     where user_id = ${user_id} and (${after_id}::uuid is null or id > ${after_id}) order by id limit ${rows_max}`

export const eraseDevices: EraseRound = async (tx, { user_id }) => {
  const rows = await tx.sql`delete from notice_devices where user_id = ${user_id} returning 1`
  return rows.length
}

/** Without the keys, which belong to the browser. */
export const listAllDevices = (db: Sql, user_id: string) =>
  db.sql<{ endpoint: string }>`
    select endpoint, kinds, with_texts, inserted_at from notice_devices where user_id = ${user_id} order by inserted_at, id`
