import { allValues, theValue, type Sql } from '../platform/postgres/database.ts'
import type { RowLocks } from '../platform/batching/row-locks.ts'
import type { PresenceRecord } from './rules.ts'

export interface PresenceRow extends PresenceRecord {
  user_id: string
}

/** A user is online, possibly in a game and lobby, or leaves. */
export interface PresenceUpdate {
  user_id: string
  game: string | null
  lobby: string | null
  leaves: boolean
}

/**
 * Writes updates, at most one per user, and the events of their visible changes, in one transaction of one round trip; see
 * `move_presence` in functions.sql. Updates with texts of muted people are not written (D-124); returns the ends of these mutes.
 */
export async function writePresence(
  db: Sql,
  { updates, now, online_since }: { updates: PresenceUpdate[]; now: Date; online_since: Date },
) {
  // `moved` comes first in the join, so that it also runs if nobody is muted.
  const rows = await db.sql<{ user_id: string | null; muted_until: Date }>`
    with sent as materialized (
      select *
        from unnest(
          ${updates.map(({ user_id }) => user_id)}::uuid[],
          ${updates.map(({ game }) => game)}::text[],
          ${updates.map(({ lobby }) => lobby)}::text[],
          ${updates.map(({ leaves }) => leaves)}::boolean[]
        ) with ordinality s(user_id, game, lobby, leaves, at)
    ), muted as materialized (
      select user_id, m.muted_until
        from sent join chat_mutes m using (user_id)
       where m.muted_until > ${now} and concat(game, lobby) <> ''
    ), moved as materialized (
      select move_presence(${now}, ${online_since}, array_agg(user_id order by at), array_agg(game order by at),
                           array_agg(lobby order by at), array_agg(leaves order by at))
        from sent
       where user_id not in (select user_id from muted)
    )
    select user_id, muted_until from moved left join muted on true`
  return new Map(rows.flatMap(({ user_id, muted_until }) => (user_id === null ? [] : [[user_id, muted_until]])))
}

/** The rows of users' presence that `move_presence` locks. */
export const presenceLocks = (db: Sql): RowLocks => ({
  async findLocked(user_ids) {
    return allValues(db.sql<{ user_id: string }>`
      with free as materialized (
        select user_id from presence where user_id = any(${user_ids}::uuid[]) for update skip locked
      ), free_to_announce as materialized (
        select user_id from announced_presence where user_id = any(${user_ids}::uuid[]) for update skip locked
      )
      select p.user_id from presence p left join free using (user_id)
       where p.user_id = any(${user_ids}::uuid[]) and free.user_id is null
      union
      select a.user_id from announced_presence a left join free_to_announce free using (user_id)
       where a.user_id = any(${user_ids}::uuid[]) and free.user_id is null`)
  },
  waitFor: (user_id) =>
    db.sql`
      with announced as materialized (select from announced_presence where user_id = ${user_id} for update),
           present as materialized (select from presence where user_id = ${user_id} for update)
      select (select count(*) from announced) + (select count(*) from present)`,
})

interface LapseFilter {
  now: Date
  online_since: Date
  rows_max: number
}

/** Publishes users who are no longer online; returns how many. See `publish_lapsed_presence` in functions.sql. */
export const publishLapsedPresence = (db: Sql, { now, online_since, rows_max }: LapseFilter) =>
  theValue(db.sql<{ lapsed: number }>`
    select publish_lapsed_presence(${now}, ${online_since}, ${rows_max}) as lapsed`)

interface FriendsFilter {
  user_id: string
  /** Only these users; null for all. */
  among: string[] | null
  rows_max: number
}

/** The records of a user's friends, last seen first, without suspended ones. */
export const findFriendsPresence = (db: Sql, { user_id, among, rows_max }: FriendsFilter) =>
  db.sql<PresenceRow>`
    select p.user_id, p.last_seen, p.current_game, p.lobby
      from friends f join presence p on p.user_id = f.friend_id join users u on u.id = f.friend_id
     where f.user_id = ${user_id} and u.suspended_at is null and (${among}::uuid[] is null or f.friend_id = any(${among}::uuid[]))
     order by p.last_seen desc, p.user_id
     limit ${rows_max}`

interface TableFilter {
  viewer_id: string
  game: string
  ref_id: string
  seen_after: Date
  rows_max: number
}

/** Users seen at a table, last seen first, without suspended ones and blocks with the viewer. */
export const findTablePresence = (db: Sql, { viewer_id, game, ref_id, seen_after, rows_max }: TableFilter) =>
  db.sql<{
    user_id: string
    username: string
    display_name: string | null
    picture_url: string | null
    last_seen: Date
  }>`
    select p.user_id, u.username, u.display_name, u.picture_url, p.last_seen
      from presence p join users u on u.id = p.user_id
     where p.current_game = ${game} and p.lobby = ${ref_id} and p.last_seen > ${seen_after}
       and u.suspended_at is null
       and not exists (select 1 from blocks b where b.blocker_id = ${viewer_id} and b.blocked_id = p.user_id)
       and not exists (select 1 from blocks b where b.blocked_id = ${viewer_id} and b.blocker_id = p.user_id)
     order by p.last_seen desc, p.user_id
     limit ${rows_max}`
