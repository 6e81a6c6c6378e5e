import type { Sql, Tx } from './postgres/database.ts'

/** A person who left, and the apps that this person owned. */
export interface Leaver {
  user_id: string
  app_ids: string[]
}

/** Erases up to `rows_max` rows of a person who left, in the caller's transaction; returns their number. Safe to repeat. */
export type EraseRound = (tx: Tx, leaver: Leaver, rows_max: number) => Promise<number>

/** Deletes the rows of a table whose column has the person's id, or one of `idsOf`. `table` and `column` become part of the statement. */
export function erasesRowsOf(
  table: string,
  column: string,
  idsOf: (leaver: Leaver) => string[] = ({ user_id }) => [user_id],
): EraseRound {
  const strings = template(
    `delete from ${table} where ctid = any(array(select ctid from ${table} where ${column} = any(`,
    '::uuid[]) limit ',
    ')) returning 1',
  )
  return async (tx, leaver, rows_max) => (await tx.sql(strings, idsOf(leaver), rows_max)).length
}

/** Deletes up to `rows_max` rows from before a time; returns their number. */
export type Purge = (db: Sql, page: { before: Date; rows_max: number }) => Promise<number>

/**
 * Deletes the rows of a table whose time is before the given one (with `<=`, or equal to it), the oldest first. Skips
 * locked rows. The names and the condition become part of the statement.
 */
export function purgesRowsOf(
  table: string,
  time: string,
  { condition = 'true', comparison = '<' }: { condition?: string; comparison?: '<' | '<=' } = {},
): Purge {
  const strings = template(
    `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} and ${time} ${comparison} `,
    ` order by ${time} limit `,
    ' for update skip locked)) returning 1',
  )
  return async (db, { before, rows_max }) => (await db.sql(strings, before, rows_max)).length
}

const template = (...text: string[]): TemplateStringsArray => Object.assign(text, { raw: text })
