import { purgesRowsOf } from '../platform/erasure.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { HoldRow } from './holds.store.ts'

export interface WatchRow {
  /** The time since which all changes of the person are recorded. */
  since: Date
  read_at: Date
}

export async function findWatch(db: Sql, user_id: string) {
  const [row] = await db.sql<WatchRow>`select since, read_at from point_watches where user_id = ${user_id}`
  return row
}

/** Starts recording the changes of a person, under the lock of the account, which the ledger takes too. */
export async function watchPerson(tx: Tx, user_id: string, now: Date) {
  await tx.sql`select from point_accounts where id = ${user_id} for no key update`
  await tx.sql`
    insert into point_watches as w (user_id, since, read_at) values (${user_id}, ${now}, ${now})
    on conflict (user_id) do update set read_at = greatest(w.read_at, excluded.read_at)`
  await tx.sql`update point_accounts set listened = true where id = ${user_id} and not listened`
}

/** Stops recording for up to `rows_max` people whom no app has followed since; returns how many. */
export async function endWatches(tx: Tx, { before, rows_max }: { before: Date; rows_max: number }) {
  const idle = await tx.sql<{ user_id: string }>`
    select user_id from point_watches where read_at < ${before} order by user_id limit ${rows_max}`
  const ids = idle.map(({ user_id }) => user_id)
  await tx.sql`select from point_accounts where id = any(${ids}::uuid[]) order by id desc for no key update`
  const ended = await tx.sql<{ user_id: string }>`
    delete from point_watches where user_id = any(${ids}::uuid[]) and read_at < ${before} returning user_id`
  await tx.sql`
    update point_accounts set listened = false where id = any(${ended.map(({ user_id }) => user_id)}::uuid[])`
  return idle.length
}

export const purgeChanges = purgesRowsOf('point_changes', 'inserted_at')

export interface Standing {
  points: number
  held: number
  /** The person's latest change; 0 if there is none. */
  last_seq: number
  /** The changed holds in their current state, each once, in the order of their last change. */
  holds: { seq: number; hold: HoldRow }[]
  /** The last change that was read, if there may be more. */
  read_to: number | undefined
}

interface StandingRow extends HoldRow {
  points: number
  held: number
  last_seq: number
  seq: number | null
  changes: number | null
  read_to: number | null
}

/** A snapshot of a person's balance and of an app's holds that changed after `since`; reads at most `rows_max` changes. */
export async function readStanding(
  db: Sql,
  { user_id, app_id, after, rows_max }: { user_id: string; app_id: string; after: number; rows_max: number },
): Promise<Standing> {
  const rows = await db.sql<StandingRow>`
    select a.credited - a.debited - a.held as points, a.held,
           coalesce((select seq from point_changes where user_id = a.id order by seq desc limit 1), 0) as last_seq,
           c.seq, c.changes, c.read_to, h.id, h.user_id, h.app_id, h.amount, h.status, h.captured_amount, h.release_reason,
           h.transfer_id, h.reference, h.metadata, h.inserted_at, h.expires_at, h.settled_at
      from point_accounts a
      left join (
        select max(seq) as seq, hold_id, sum(count(*)) over () as changes, max(max(seq)) over () as read_to
          from (select seq, hold_id from point_changes
                 where user_id = ${user_id} and seq > ${after} and app_id = ${app_id} and hold_id is not null
                 order by seq limit ${rows_max}) changed
         group by hold_id
      ) c on true
      left join holds h on h.id = c.hold_id
     where a.id = ${user_id}
     order by c.seq`
  const [first] = rows
  const holds = rows.flatMap((row) => (row.seq === null ? [] : [{ seq: row.seq, hold: holdOf(row) }]))
  const is_full = (first?.changes ?? 0) >= rows_max
  return {
    points: first?.points ?? 0,
    held: first?.held ?? 0,
    last_seq: first?.last_seq ?? 0,
    holds,
    read_to: is_full ? (first?.read_to ?? undefined) : undefined,
  }
}

const holdOf = (row: HoldRow): HoldRow => ({
  id: row.id,
  user_id: row.user_id,
  app_id: row.app_id,
  amount: row.amount,
  status: row.status,
  captured_amount: row.captured_amount,
  release_reason: row.release_reason,
  transfer_id: row.transfer_id,
  reference: row.reference,
  metadata: row.metadata,
  inserted_at: row.inserted_at,
  expires_at: row.expires_at,
  settled_at: row.settled_at,
})
