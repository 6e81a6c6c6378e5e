import type { Sql } from '../platform/postgres/database.ts'

/**
 * Users whose name begins with the prefix, ignoring case, in index order: a name equal to the prefix comes first. Reads
 * few more rows than it returns; see `search_users` in functions.sql. Uses subqueries, because a join was planned as a
 * scan of all users.
 */
export const findUsersByPrefix = (
  db: Sql,
  { viewer_id, prefix, rows_max }: { viewer_id: string; prefix: string; rows_max: number },
) =>
  db.sql<{ id: string; username: string; display_name: string | null; picture_url: string | null }>`
    select id, username,
           (select u.display_name from users u where u.id = found.id) as display_name,
           (select u.picture_url from users u where u.id = found.id) as picture_url
      from search_users(${viewer_id}, ${prefix}, ${rows_max}) found`
