import type { Sql } from '../platform/postgres/database.ts'

/**
 * Users whose name begins with the text, whatever its case, in the order of the index: a name that is the text itself
 * comes first. Reads little more than it answers; see `search_users` in the migrations.
 */
export const findUsersByPrefix = (
  db: Sql,
  { viewer_id, prefix, rows_max }: { viewer_id: string; prefix: string; rows_max: number },
) =>
  db.sql<{ id: string; username: string }>`
    select id, username from search_users(${viewer_id}, ${prefix}, ${rows_max})`
