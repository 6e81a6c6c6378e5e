import type { Sql, Tx } from '../platform/postgres/database.ts'

export interface PointsProgress {
  /** Movements up to this number have their notices. */
  seq: number
  /** Movements up to this number are complete once `is_over`; null if no bound is stored. */
  next_seq: number | null
  is_over: boolean
}

/** The progress of the notices; undefined while another process holds the lock. */
export async function lockPointsProgress(tx: Tx): Promise<PointsProgress | undefined> {
  const [row] = await tx.sql<PointsProgress>`
    select seq, next_seq,
           coalesce(next_xid <= oldest_transaction() or next_xid > pg_snapshot_xmax(pg_current_snapshot()), false) as is_over
      from notice_progress where source = 'points' for update skip locked`
  return row
}

/** The highest number of a movement, including those of open transactions. */
export async function findLastSeq(db: Sql) {
  const [row] = await db.sql<{ seq: number }>`
    select coalesce(pg_sequence_last_value(pg_get_serial_sequence('transfers', 'seq')::regclass), 0) as seq`
  return row?.seq ?? 0
}

/**
 * Stores a bound that was read before this transaction got its id. A movement takes its number after its transaction got an id, so all
 * movements up to the bound are complete once every earlier transaction has ended.
 */
export const setPointsBound = (tx: Tx, next_seq: number) =>
  tx.sql`
    update notice_progress set next_seq = ${next_seq}, next_xid = pg_current_xact_id() where source = 'points'`

export const setPointsProgress = (tx: Tx, seq: number) =>
  tx.sql`
    update notice_progress set seq = ${seq}, next_seq = nullif(next_seq, ${seq}::bigint) where source = 'points'`

export interface ArrivedPoints {
  user_id: string
  kind: 'award' | 'transfer' | 'direct' | 'refund' | 'payout' | 'referral'
  app_id: string | null
  /** The sender of a transfer between people. */
  from_user_id: string | null
  count: number
  amount: number
}

/** The points received in a range of movements, by person, kind and giver. */
export const sumArrivedPoints = (db: Sql, { after, upto }: { after: number; upto: number }) =>
  db.sql<ArrivedPoints>`
    select t.to_account as user_id, t.kind, t.app_id,
           case when t.kind in ('transfer', 'direct') then t.from_account end as from_user_id,
           count(*)::integer as count, sum(t.amount)::bigint as amount
      from transfers t
     where t.seq > ${after} and t.seq <= ${upto} and t.kind in ('award', 'transfer', 'direct', 'refund', 'payout', 'referral')
     group by 1, 2, 3, 4`
