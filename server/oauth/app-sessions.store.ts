import { purgesRowsOf } from '../platform/erasure.ts'
import { clocks_apart } from '../platform/clock.ts'
import { firstRow, firstValue, hasRows, type Sql } from '../platform/postgres/database.ts'

export interface SessionRow {
  id: string
  inserted_at: Date
  last_heartbeat_at: Date
}

/** The grant's session, if it has neither ended nor expired. */
export const findActiveSession = (db: Sql, grant_id: string, now: Date) =>
  firstRow(db.sql<SessionRow>`
    select id, inserted_at, last_heartbeat_at from app_sessions
     where grant_id = ${grant_id} and ended_at is null and expires_at > ${now}`)

/** Ends the grant's session; undefined if none is active. */
export const endActiveSession = (db: Sql, grant_id: string, now: Date) =>
  firstValue(db.sql<{ id: string }>`
    update app_sessions set ended_at = ${now}
     where grant_id = ${grant_id} and ended_at is null and expires_at > ${now}
    returning id`)

/** Ends the session of a session token, if it belongs to the app and is active. */
export const endSessionOfToken = (
  db: Sql,
  { token_hash, app_id, now }: { token_hash: Buffer; app_id: string; now: Date },
) =>
  db.sql`
    update app_sessions s set ended_at = ${now}
      from session_tokens t
     where t.token_hash = ${token_hash} and t.expires_at > ${now} and s.id = t.session_id
       and s.app_id = ${app_id} and s.ended_at is null`

/** Adds a token to the session of a valid session token and records a heartbeat; false if the token is invalid. */
export const renewSession = (db: Sql, token_hash: Buffer, next: { token_hash: Buffer; expires_at: Date; now: Date }) =>
  hasRows(db.sql`
    with session as (
      update app_sessions s
         set expires_at = greatest(s.expires_at, ${next.expires_at}),
             last_heartbeat_at = greatest(s.last_heartbeat_at, ${next.now})
        from session_tokens t, grants g, oauth_apps a, users u
       where t.token_hash = ${token_hash} and t.expires_at > ${next.now}
         and s.id = t.session_id and s.ended_at is null
         and g.id = s.grant_id and g.revoked_at is null
         and a.id = g.app_id and a.is_approved and g.approval_epoch = a.approval_epoch
         and u.id = g.user_id and u.suspended_at is null
      returning s.id
    )
    insert into session_tokens (token_hash, session_id, expires_at)
    select ${next.token_hash}, id, ${next.expires_at} from session
    returning session_id`)

export interface Use {
  grant_id: string
  user_id: string
  app_id: string
  at: Date
}

/**
 * Records the last uses of grants: the heartbeats of their sessions and the last uses of their connections. Skips
 * locked rows and returns their grants. Overwrites a time in the future, which a wrong clock wrote.
 */
export const recordUses = (db: Sql, uses: Use[]) =>
  db.sql<{ grant_id: string }>`
    with used as materialized (
      select * from unnest(
        ${uses.map((use) => use.grant_id)}::uuid[], ${uses.map((use) => use.user_id)}::uuid[],
        ${uses.map((use) => use.app_id)}::uuid[], ${uses.map((use) => use.at)}::timestamptz[]
      ) as u(grant_id, user_id, app_id, at)
    ), sessions as materialized (
      select s.id, used.at from app_sessions s join used using (grant_id)
       where s.ended_at is null and not s.last_heartbeat_at between used.at and used.at + ${clocks_apart}::interval
       order by s.id for update of s skip locked
    ), heartbeats as (
      update app_sessions s set last_heartbeat_at = sessions.at from sessions where s.id = sessions.id
    ), connected as materialized (
      select c.user_id, c.app_id, latest.at
        from connections c
        join (select user_id, app_id, max(at) as at from used group by user_id, app_id) latest using (user_id, app_id)
       where c.last_used_at is null or not c.last_used_at between latest.at and latest.at + ${clocks_apart}::interval
       order by c.user_id, c.app_id for update of c skip locked
    ), stamped as (
      update connections c set last_used_at = connected.at
        from connected
       where c.user_id = connected.user_id and c.app_id = connected.app_id
    )
    select used.grant_id from used join app_sessions s using (grant_id) left join sessions on sessions.id = s.id
     where s.ended_at is null and not s.last_heartbeat_at between used.at and used.at + ${clocks_apart}::interval and sessions.id is null
    union
    select used.grant_id from used join connections c using (user_id, app_id) left join connected using (user_id, app_id)
     where (c.last_used_at is null or not c.last_used_at between used.at and used.at + ${clocks_apart}::interval)
       and connected.user_id is null`

export const purgeSessionTokens = purgesRowsOf('session_tokens', 'expires_at')
