import { purgesRowsOf } from '../platform/erasure.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import { firstRow, firstValue, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface NewLoginSession {
  id: string
  user_id: string
  /** The hash that the password matched. */
  password_hash: string
  user_agent: string | null
  now: Date
  expires_at: Date
}

/**
 * Inserts a session; false if the password was changed or the user suspended since the check. The share lock on the
 * user orders it with such a change: the change either commits first, or waits and ends this session too.
 */
export const insertLoginSession = (
  db: Sql,
  { id, user_id, password_hash, user_agent, now, expires_at }: NewLoginSession,
) =>
  hasRows(db.sql`
    insert into login_sessions (id, user_id, user_agent, inserted_at, expires_at)
    select ${id}, u.id, ${user_agent}, ${now}, ${expires_at}
      from users u
     where u.id = ${user_id} and u.password_hash = ${password_hash} and u.suspended_at is null
       for share
    returning id`)

export interface SessionUser {
  session_id: string
  user_id: string
  is_admin: boolean
  admin_roles: AdminRole[]
  expires_at: Date
  renewals: number
  renewed_at: Date | null
}

/** The users of sessions that have not ended and whose user is not suspended; the caller checks `expires_at`. */
export const findSessionUsers = (db: Sql, session_ids: string[]) =>
  db.sql<SessionUser>`
    select s.id as session_id, u.id as user_id, u.is_admin, u.admin_roles, s.expires_at, s.renewals, s.renewed_at
      from login_sessions s join users u on u.id = s.user_id
     where s.id = any(${session_ids}::uuid[]) and s.ended_at is null and u.suspended_at is null`

/**
 * Locks an active session and its user until the transaction ends; undefined if the session has ended or the user is
 * suspended.
 */
export const lockSession = (tx: Tx, { session_id, user_id, now }: { session_id: string; user_id: string; now: Date }) =>
  firstRow(tx.sql<{ admin_roles: AdminRole[] }>`
    select u.admin_roles
      from users u join login_sessions s on s.user_id = u.id
     where s.id = ${session_id} and u.id = ${user_id} and s.ended_at is null and s.expires_at > ${now}
       and u.suspended_at is null
       for share`)

interface KeptSession {
  session_id: string
  renewal_hash: Buffer
  /** When it ends without another renewal, or by its maximum lifetime. */
  idle_until: Date
  max_seconds: number
  admin_max_seconds: number
}

/** Makes a session renewable by the secret with this hash, and extends it. */
export const keepSession = (db: Sql, kept: KeptSession) =>
  db.sql`
    update login_sessions s
       set renewal_hash = ${kept.renewal_hash},
           expires_at = least(${kept.idle_until}::timestamptz, s.inserted_at + make_interval(
             secs => case when u.is_admin then ${kept.admin_max_seconds}::integer else ${kept.max_seconds}::integer end))
      from users u
     where s.id = ${kept.session_id} and u.id = s.user_id and s.ended_at is null`

/**
 * Renews an active session if the hash matches its secret; undefined otherwise. Renewals after `overlap_since` count as
 * one, so that tabs that renew in parallel get JWTs with the same number.
 */
export async function renewSession(tx: Tx, renewed: KeptSession & { user_id: string; now: Date; overlap_since: Date }) {
  const { now, overlap_since } = renewed
  return firstRow(tx.sql<{ renewals: number; expires_at: Date }>`
    with kept as (
      select s.id, coalesce(s.renewed_at > ${overlap_since}, false) as is_overlapping,
             least(${renewed.idle_until}::timestamptz, s.inserted_at + make_interval(
               secs => case when u.is_admin then ${renewed.admin_max_seconds}::integer else ${renewed.max_seconds}::integer end)) as expires_at
        from login_sessions s join users u on u.id = s.user_id
       where s.id = ${renewed.session_id} and s.user_id = ${renewed.user_id} and s.renewal_hash = ${renewed.renewal_hash}
         and s.ended_at is null and s.expires_at > ${now} and u.suspended_at is null
         for update of s
    )
    update login_sessions s
       set renewals = case when kept.is_overlapping then s.renewals else s.renewals + 1 end,
           renewed_at = case when kept.is_overlapping then s.renewed_at else ${now} end,
           expires_at = kept.expires_at
      from kept
     where s.id = kept.id and kept.expires_at > ${now}
    returning s.renewals, s.expires_at`)
}

/** The sign-in time of a session; undefined if the session is gone. */
export const findSignInTime = (db: Sql, session_id: string) =>
  firstValue(db.sql<{ inserted_at: Date }>`
    select inserted_at from login_sessions where id = ${session_id}`)

/** When an active session of the user began, and the end of its proof, if it has one. */
export const findProvedSession = (db: Sql, { user_id, session_id }: { user_id: string; session_id: string }) =>
  firstRow(db.sql<{ inserted_at: Date; proved_until: Date | null }>`
    select inserted_at, proved_until from login_sessions
     where id = ${session_id} and user_id = ${user_id} and ended_at is null`)

/** Stores a proof for an active session; false if it has ended, or the password has changed since it was checked. */
export const setProved = (
  db: Sql,
  session: { user_id: string; session_id: string; password_hash: string; proved_until: Date },
) =>
  hasRows(db.sql`
    update login_sessions s set proved_until = ${session.proved_until}
      from users u
     where s.id = ${session.session_id} and s.user_id = ${session.user_id} and s.ended_at is null
       and u.id = s.user_id and u.password_hash = ${session.password_hash}
    returning s.id`)

export const listSessions = (db: Sql, { user_id, now }: { user_id: string; now: Date }) =>
  db.sql<{ id: string; user_agent: string | null; inserted_at: Date; last_used_at: Date; expires_at: Date }>`
    select id, user_agent, inserted_at, coalesce(renewed_at, inserted_at) as last_used_at, expires_at
      from login_sessions
     where user_id = ${user_id} and ended_at is null and expires_at > ${now}
     order by inserted_at desc
     limit 200`

/** Ends one session of the user; false if it is not active. */
export const endSession = (db: Sql, { user_id, session_id, now }: { user_id: string; session_id: string; now: Date }) =>
  hasRows(db.sql`
    update login_sessions set ended_at = ${now}
     where id = ${session_id} and user_id = ${user_id} and ended_at is null and expires_at > ${now}
    returning id`)

/** Ends all sessions of the user except one, if given. */
export const endSessions = (
  db: Sql,
  { user_id, except_session_id, now }: { user_id: string; except_session_id: string | null; now: Date },
) =>
  db.sql`update login_sessions set ended_at = ${now}
          where user_id = ${user_id} and ended_at is null and id is distinct from ${except_session_id}::uuid`

export const purgeSessions = purgesRowsOf('login_sessions', 'expires_at')
