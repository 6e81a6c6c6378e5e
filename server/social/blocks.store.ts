import type { Static } from 'typebox'
import type { blocked_user } from '../../contract/social-fields.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'

/** Inserts a block; an existing one keeps its date. */
export const insertBlock = (
  tx: Tx,
  { blocker_id, blocked_id, now }: { blocker_id: string; blocked_id: string; now: Date },
) =>
  tx.sql`
    insert into blocks (blocker_id, blocked_id, inserted_at)
    values (${blocker_id}, ${blocked_id}, ${now})
    on conflict (blocker_id, blocked_id) do nothing`

export const deleteBlock = (tx: Tx, blocker_id: string, blocked_id: string) =>
  tx.sql`delete from blocks where blocker_id = ${blocker_id} and blocked_id = ${blocked_id}`

interface BlockRow extends Static<typeof blocked_user> {
  seq: number
}

interface BlockFilter {
  blocker_id: string
  before_seq: number | null
  rows_max: number
}

/** The users whom a user has blocked, newest first. */
export const findBlocks = (db: Sql, { blocker_id, before_seq, rows_max }: BlockFilter) =>
  db.sql<BlockRow>`
    select b.seq, u.id as user_id, u.username, b.inserted_at as blocked_at
      from blocks b join users u on u.id = b.blocked_id
     where b.blocker_id = ${blocker_id} and b.seq < coalesce(${before_seq}::bigint, 9223372036854775807)
     order by b.seq desc
     limit ${rows_max}`
