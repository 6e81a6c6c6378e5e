import type { Sql } from '../kit/database.ts'

/**
 * Users whose name begins with the text, whatever its case, in the order of the index: a name that is the text itself
 * comes first. The range is spelt out instead of `like`, so that a prepared plan that knows no text yet uses the index
 * too and no character is a wildcard. No name goes past the last of all code points.
 */
export const findUsersByPrefix = (
  db: Sql,
  { viewer_id, prefix, rows_max }: { viewer_id: string; prefix: string; rows_max: number },
) =>
  db.sql<{ id: string; username: string }>`
    select u.id, u.username
      from users u
     where lower(u.username) ~>=~ lower(${prefix}::text)
       and lower(u.username) ~<~ (lower(${prefix}::text) || chr(1114111))
       and u.id <> ${viewer_id} and u.suspended_at is null
       and not exists (select 1 from blocks b where b.blocker_id = ${viewer_id} and b.blocked_id = u.id)
       and not exists (select 1 from blocks b where b.blocked_id = ${viewer_id} and b.blocker_id = u.id)
     order by lower(u.username) using ~<~
     limit ${rows_max}`
