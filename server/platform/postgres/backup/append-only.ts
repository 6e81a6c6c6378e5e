import type pg from 'pg'
import type { Table } from './catalog.ts'

/** A table whose rows never change after their transaction has ended. */
export interface AppendOnly {
  /** The column with the time at which a row was inserted. */
  time: string
  /** A condition for rows that may change after all. These are read within the snapshot. */
  but?: string
}

/** The snapshot of a transaction, in PostgreSQL's format. */
export interface Snapshot {
  text: string
  /** The oldest transaction that was in progress. */
  oldest: bigint
  taken_at: string
}

const pages_at_once = 4_096
const id_bits = 4_294_967_296n
const half = 2_147_483_648n

export async function readSnapshot(client: pg.Client): Promise<Snapshot> {
  const { rows } = await client.query<{ text: string; oldest: string; taken_at: string }>(
    `select pg_current_snapshot()::text as text, pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
            now()::text as taken_at`,
  )
  const row = rows[0]!
  return { ...row, oldest: BigInt(row.oldest) }
}

/**
 * The queries that read an append-only table as the snapshot saw it, a range of pages each, after the snapshot's
 * transaction has ended. While a transaction is open, PostgreSQL keeps every version of every row that changes, and an
 * operator's row changes with each batch of spends: after a minute, finding its newest version takes milliseconds. So
 * large tables are read in this way, and the snapshot is held only for tables that change in place.
 *
 * A row's `xmin` holds the lower 32 bits of the transaction that inserted it. Transactions before the snapshot's oldest
 * one are visible; for the others, PostgreSQL decides. After more than 2^31 transactions an old row may look like a new
 * one; then its time decides.
 */
export function* partsOf(client: pg.Client, table: Table, { time, but }: AppendOnly, snapshot: Snapshot) {
  const columns = columnsOf(client, table)
  const has_wrapped = snapshot.oldest >= half
  const seen = [
    `plaza_distance >= ${half}`,
    `pg_visible_in_snapshot((${snapshot.oldest} + plaza_distance)::text::xid8, ${client.escapeLiteral(snapshot.text)})`,
    ...(has_wrapped
      ? [
          `${client.escapeIdentifier(time)} < ${client.escapeLiteral(snapshot.taken_at)}::timestamptz - interval '1 day'`,
        ]
      : []),
  ]
  for (let page = 0; page < (table.pages ?? 0); page += pages_at_once)
    yield `
      select ${columns}
        from (select t.*, (t.xmin::text::bigint - ${snapshot.oldest}) & ${id_bits - 1n} as plaza_distance
                from ${table.quoted} t
               where t.ctid >= '(${page},0)' and t.ctid < '(${Math.min(page + pages_at_once, table.pages ?? 0)},0)'
                 ${but === undefined ? '' : `and not (${but})`}) r
       where ${seen.join(' or ')}`
}

/** The rows of an append-only table that may change. The snapshot itself must read them. */
export const changingRows = (client: pg.Client, table: Table, but: string) =>
  `select ${columnsOf(client, table)} from ${table.quoted} where ${but}`

export const columnsOf = (client: pg.Client, { columns }: Pick<Table, 'columns'>) =>
  columns.map((column) => client.escapeIdentifier(column)).join(', ')

/** Fails if tables were rewritten between the snapshot and the last part, for example by VACUUM FULL: their pages moved. */
export function refuseRewritten(before: readonly Table[], after: readonly Table[]) {
  const now = new Map(after.map((table) => [table.name, table.filenode]))
  const moved = before.find(({ name, filenode }) => now.get(name) !== filenode)
  if (moved)
    throw new Error(
      `The table ${moved.name} was rewritten while it was copied (for example by VACUUM FULL): take the backup again.`,
    )
}
