import type { Sql } from '../platform/postgres/database.ts'

/**
 * Users whose name begins with the prefix, in any case, in the order of the index: a name that equals the prefix comes
 * first. Reads little more rows than it returns; see `search_users` in functions.sql.
 */
export const findUsersByPrefix = (
  db: Sql,
  { viewer_id, prefix, rows_max }: { viewer_id: string; prefix: string; rows_max: number },
) =>
  db.sql<{ id: string; username: string }>`
    select id, username from search_users(${viewer_id}, ${prefix}, ${rows_max})`
