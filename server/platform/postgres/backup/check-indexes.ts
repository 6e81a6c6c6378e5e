import type { ConnectionConfig } from '../connection.ts'
import { openSession } from './session.ts'

/**
 * Checks every B-tree index of this database's own tables with amcheck: its order, and that it has an entry for every
 * row. Returns the number of checked indexes, 0 if the extension is not available or this user may not create it.
 */
export async function checkIndexes(connection: ConnectionConfig): Promise<number> {
  const client = await openSession(connection, 'plaza-restore')
  try {
    const can_check = await client.query('create extension if not exists amcheck').then(
      () => true,
      () => false,
    )
    if (!can_check) return 0
    const { rows } = await client.query<{ checked: number }>(`
      select count(bt_index_check(index => i.indexrelid, heapallindexed => true)::text)::integer as checked
        from pg_index i
        join pg_class c on c.oid = i.indexrelid
        join pg_am a on a.oid = c.relam and a.amname = 'btree'
        join pg_class t on t.oid = i.indrelid and t.relpersistence <> 't'
        join pg_namespace n on n.oid = t.relnamespace and n.nspname not like 'pg\\_%'`)
    return rows[0]?.checked ?? 0
  } finally {
    await client.end()
  }
}
