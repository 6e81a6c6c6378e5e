import type { Sql } from './postgres/database.ts'
import { sealedUnderId, type SealedChange, type SealedRow, type SealedRows } from './sealed-rows.ts'
import type { SealingKeys } from './secrets.ts'

/** A column of sealed values. Each begins with the fingerprint of its key. The names become parts of statements. */
export interface SealedColumn {
  noun: string
  table: string
  column: string
  /** The condition for rows that have a value; all rows by default. */
  where?: string
  /** The column whose id is authenticated with the value; `id` by default. */
  bound_to?: string
  rows_at_once: number
}

/** Reads and replaces the values of a column, for the rotation of SECRET_KEYS. Call it once per column, at the top of a module. */
export function sealedColumn(sealed: SealedColumn): (db: Sql, keys: SealingKeys) => SealedRows {
  const statements = statementsOf(sealed)
  return (db, keys) => ({
    noun: sealed.noun,
    rows_at_once: sealed.rows_at_once,
    ...sealedUnderId(keys),
    async keyIds() {
      const rows = await db.sql<{ key_id: Buffer }>(statements.key_ids)
      return rows.map(({ key_id }) => key_id)
    },
    async count(key_id) {
      const [row] = await db.sql<{ count: number }>(statements.count, key_id)
      return row?.count ?? 0
    },
    // Every value names its key.
    list: async (key_id, after, rows_max) =>
      key_id === null ? [] : db.sql<SealedRow>(statements.list, key_id, after, rows_max),
    async replace(changes: readonly SealedChange[]) {
      const ids = changes.map(({ id }) => id)
      const [olds, news] = [changes.map(({ old }) => old), changes.map((change) => change.sealed)]
      return (await db.sql(statements.replace, ids, ids, olds, news)).length
    },
  })
}

function statementsOf({ table, column, where = 'true', bound_to = 'id' }: SealedColumn) {
  const key_id = `substring(${column} from 1 for 4)`
  return {
    // One index probe per key.
    key_ids: template(`
      with recursive ids(key_id) as (
        (select ${key_id} from ${table} where ${where} order by ${key_id} limit 1)
        union all
        select (select ${key_id} from ${table} where ${key_id} > i.key_id and ${where} order by ${key_id} limit 1)
          from ids i where i.key_id is not null
      )
      select key_id from ids where key_id is not null`),
    count: template(`select count(*) as count from ${table} where ${key_id} = ? and ${where}`),
    list: template(`
      select id, ${bound_to} as bound_to, ${column} as sealed, ${key_id} as key_id from ${table}
       where ${key_id} = ? and ${where} and id > ? order by id limit ?`),
    // Skips locked rows, so that a batch never waits while it holds locks.
    replace: template(`
      with free as (
        select id from ${table} where id = any(?::uuid[]) order by id for no key update skip locked
      )
      update ${table} t
         set ${column} = c.sealed
        from free, unnest(?::uuid[], ?::bytea[], ?::bytea[]) c(id, old, sealed)
       where t.id = free.id and t.id = c.id and t.${column} = c.old
      returning t.id`),
  }
}

/** The text as the strings of a tagged template, with a value for each question mark. */
const template = (text: string): TemplateStringsArray => Object.assign(text.split('?'), { raw: [] })
